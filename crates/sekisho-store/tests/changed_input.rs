//! Somebody with the database changes the input of a call after a human approved it.

use std::sync::Arc;

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, Settings, Submission};
use sekisho_testkit::FixedFiles;
use serde_json::json;

use crate::harness::{TempDatabase, call};
use crate::postgres::harness::RUNTIME;

#[test]
fn another_input_than_was_approved_does_not_run() {
    RUNTIME.block_on(async {
        for edit in [None, Some(json!({ "to": "bob" }))] {
            let place = TempDatabase::new();
            let gate = gate(&place).await;
            let ask = CallRequest::new(call("1", json!({ "to": "ada" })), Caller::in_process("me"));
            let Submission::Pending(id) = gate.submit(ask).await.unwrap() else { panic!("it is a question") };
            let answer = Answer { updated_input: edit.clone(), ..Answer::approve() };
            let ann = Approver {
                credential: "token-ann".into(),
                name: "Ann".into(),
                role: Role::Approver,
                device: None,
                how: "test".into(),
            };
            gate.answer(id, answer, ann).await.unwrap();
            let db = place.other();
            db.execute("UPDATE calls SET input = replace(input, 'ada', 'zed')", []).unwrap();
            db.execute("UPDATE approvals SET fate = replace(fate, 'bob', 'zed')", []).unwrap();
            let refused = gate.redeem(id).await.unwrap_err();
            assert_eq!(refused.code, RefusalCode::NotRecorded, "{edit:?}: {refused}");
            assert_eq!(place.count("tool_executions"), 0);
            db.execute("UPDATE calls SET input = replace(input, 'zed', 'ada')", []).unwrap();
            db.execute("UPDATE approvals SET fate = replace(fate, 'zed', 'bob')", []).unwrap();
            assert!(matches!(gate.redeem(id).await, Ok(Submission::Permit(_))), "{edit:?}");
        }
    });
}

async fn gate(place: &TempDatabase) -> Gate {
    let (store, files) = (Arc::new(place.store()), FixedFiles::new());
    let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
    rulebook.refresh(jiff::Timestamp::now()).await.unwrap();
    let ports = Ports { ledger: store, rulebook, lookup: Arc::new(files), clock: Arc::new(SystemClock) };
    let (gate, keeper) = Gate::new(ports, Settings::default());
    tokio::spawn(keeper.run());
    gate
}
