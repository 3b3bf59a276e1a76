//! Callers that do not wait, calls that run elsewhere, and gates of several machines on one ledger.

use std::sync::{Arc, Mutex, PoisonError};

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::ask::Ask;
use sekisho_gate::premises::{FileLayers, FileNow, Files, Keep, KeepError, Preview, RuleEdit, RuleEditError};
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{ApprovalId, Begun, Gate, Ports, Settings, Told};
use sekisho_policy::{Call, Fact, Facts, LayerKind, Need, Policy};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use tokio::sync::watch;

use crate::world::{World, ask_from_afar, config, settle};

async fn asked(gate: &Gate, ask: Ask) -> ApprovalId {
    match gate.begin(ask).await.unwrap() {
        Begun::Asked(id) => id,
        Begun::Told(told) => panic!("nobody has answered, and it was told {told:?}"),
    }
}

async fn told(gate: &Gate, ask: Ask) -> Told {
    match gate.begin(ask).await.unwrap() {
        Begun::Told(told) => told,
        Begun::Asked(id) => panic!("`{id}` was asked anew"),
    }
}

#[tokio::test]
async fn what_needs_no_question_is_told_at_once() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }], "deny": [{ "tool": "launch" }] })).await;
    assert_eq!(told(&world.gate, ask_from_afar()).await.approval, None);
    let mut launch = ask_from_afar();
    launch.call.tool = "launch".into();
    assert_eq!(world.gate.begin(launch).await.unwrap_err().code, RefusalCode::DeniedByRule);
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn a_question_stays_open_while_nobody_waits_and_ends_at_its_deadline() {
    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    assert_eq!(world.question().await.id, id);
    // Longer than those who wait may be away.
    world.advance(119).await;
    assert!(world.approval(id).await.is_pending());
    assert_eq!(asked(&world.gate, ask_from_afar()).await, id, "coming by finds the same question");
    world.advance(1).await;
    assert_eq!(world.approval(id).await.fate.state.name(), "expired");
}

#[tokio::test]
async fn an_answer_is_taken_by_asking_again_once_and_read_again_for_a_minute() {
    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    world.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    // The answer waits for its asker, even over a restart.
    let world = world.restart().await;
    world.advance(3600).await;
    let first = told(&world.gate, ask_from_afar()).await;
    assert_eq!((first.approval, &first.updated_input), (Some(id), &Some(json!({ "to": "test" }))));
    world.advance(60).await;
    assert_eq!(told(&world.gate, ask_from_afar()).await, first, "the same run, told again");
    assert_eq!(world.ledger.executions().len(), 1, "and let through once");
    world.advance(1).await;
    let anew = asked(&world.gate, ask_from_afar()).await;
    assert_ne!(anew, id);
    assert_eq!(world.ledger.executions().len(), 1);
}

#[tokio::test]
async fn a_no_is_told_to_who_comes_by() {
    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    world.answer(id, Answer::deny().because("not today")).await.unwrap();
    for _ in 0..2 {
        let refusal = world.gate.begin(ask_from_afar()).await.unwrap_err();
        assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::Denied, "not today"));
        world.advance(30).await;
    }
    assert!(world.ledger.executions().is_empty());
}

#[tokio::test]
async fn an_answer_goes_before_a_rule_that_came_later() {
    let allow = config(&json!({ "allow": [{ "tool": "deploy" }] }));
    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    world.answer(id, Answer::deny().because("not today")).await.unwrap();
    world.files.set(LayerKind::Global, allow.clone());
    settle().await;
    assert_eq!(world.gate.begin(ask_from_afar()).await.unwrap_err().reason, "not today");
    assert!(world.ledger.executions().is_empty());

    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    world.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    world.files.set(LayerKind::Global, allow);
    settle().await;
    let first = told(&world.gate, ask_from_afar()).await;
    assert_eq!((first.approval, &first.updated_input), (Some(id), &Some(json!({ "to": "test" }))));
    world.advance(60).await;
    assert_eq!(told(&world.gate, ask_from_afar()).await, first, "the same run, told again");
    world.advance(1).await;
    assert_ne!(told(&world.gate, ask_from_afar()).await, first, "by then it is another call");
}

#[tokio::test]
async fn another_key_or_another_input_takes_no_answer() {
    let world = World::new(json!({})).await;
    let id = asked(&world.gate, ask_from_afar()).await;
    let mut other = ask_from_afar();
    other.call.input = json!({ "to": "production" });
    assert_eq!(world.gate.begin(other.clone()).await.unwrap_err().code, RefusalCode::OtherInput);
    world.answer(id, Answer::approve()).await.unwrap();
    assert_ne!(asked(&world.gate, other).await, id);
    let mut stranger = ask_from_afar();
    stranger.asker.credential = "agent-2".into();
    assert_ne!(asked(&world.gate, stranger).await, id);
    assert!(world.ledger.executions().is_empty());
}

/// Files that note what was looked at.
#[derive(Clone)]
struct Watched {
    files: FixedFiles,
    looked: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn note(&self, what: String) {
        self.looked.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// What was looked at since the last time.
    fn looked(&self) -> String {
        std::mem::take(&mut *self.looked.lock().unwrap_or_else(PoisonError::into_inner)).join("; ")
    }
}

impl Files for Watched {
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers {
        self.note(format!("layers of {root:?} at {cwd:?}"));
        self.files.layers(root, cwd)
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.files.generation()
    }

    fn remember(&self, keep: Keep) -> Result<(), KeepError> {
        self.files.remember(keep)
    }

    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        self.files.edit(edit)
    }
}

impl Preview for Watched {
    fn facts(&self, policy: &Policy, needs: &[Need], root: Option<&str>, home: Option<&str>) -> Facts {
        self.note(format!("facts for {home:?}"));
        self.files.facts(policy, needs, root, home)
    }

    fn file(&self, path: &str) -> FileNow {
        self.note(format!("file {path}"));
        self.files.file(path)
    }
}

fn watched(machine: Option<&str>) -> (Gate, Watched, MemoryLedger) {
    let files = Watched { files: FixedFiles::new(), looked: Arc::default() };
    files.files.know(Need::Resolve("/w/notes".into()), Fact::Resolved("/w/notes".into()));
    files.files.write("/w/notes", "what is here\n");
    let ledger = MemoryLedger::new();
    let ports = Ports {
        ledger: Arc::new(ledger.clone()),
        rulebook: Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()))),
        preview: Arc::new(files.clone()),
        clock: Arc::new(ManualClock::new()),
    };
    let settings = Settings { machine: machine.map(Into::into), ..Settings::default() };
    let (gate, keeper) = Gate::new(ports, settings);
    tokio::spawn(keeper.run());
    (gate, files, ledger)
}

/// A file is to be written, in a project.
fn writing(call_id: &str) -> Ask {
    let mut ask = ask_from_afar();
    ask.call = Call {
        call_id: Some(call_id.into()),
        cwd: Some("/w/src".into()),
        ..Call::new("write", json!({ "path": "/w/notes", "content": "anew\n" }))
    };
    ask.around.root = Some("/w".into());
    ask.around.home = Some("/home/u".into());
    ask
}

#[tokio::test]
async fn nothing_is_looked_up_for_a_call_that_runs_elsewhere() {
    for (machine, elsewhere, here) in [
        (None, false, true),
        (None, true, false),
        (Some("desk"), false, true),
        (Some("desk"), true, false),
        (Some("laptop"), false, false),
    ] {
        let (gate, files, ledger) = watched(Some("desk"));
        settle().await;
        files.looked();
        let mut ask = writing("w1");
        ask.around.machine = machine.map(Into::into);
        ask.around.elsewhere = elsewhere;
        let id = asked(&gate, ask.clone()).await;
        let looked = files.looked();
        assert_eq!(looked.contains("facts"), here, "{machine:?} {elsewhere}: {looked}");
        assert_eq!(looked.contains("file /w/notes"), here, "{looked}");
        let layers =
            if here { "layers of Some(\"/w\") at Some(\"/w/src\")" } else { "layers of None at None" };
        assert!(looked.contains(layers), "{looked}");
        let question = ledger.approval(id).await.unwrap().unwrap();
        assert_eq!(question.asked.verdict.facts == Facts::default(), !here);
        assert_eq!(question.asked.shown.files.is_empty(), !here);
        assert_eq!(format!("{:?}", question.asked.shown).contains("what is here"), here, "no preview of it");
        // What changes here does not undo a yes to what runs there.
        files.files.write("/w/notes", "something else\n");
        let yes = gate.answer(
            id,
            Answer::approve(),
            crate::world::person("ann", sekisho_gate::answer::Role::Admin),
        );
        yes.await.unwrap();
        match gate.begin(ask).await.unwrap() {
            Begun::Told(told) => assert!(!here && told.approval == Some(id)),
            Begun::Asked(anew) => assert!(here && anew != id, "what was shown has changed"),
        }
    }
}

/// The gates of two machines on one ledger, each with files of its own.
async fn two_machines() -> (World, World) {
    let (ledger, clock) = (MemoryLedger::new(), ManualClock::new());
    let named = |name: &str| Settings { machine: Some(name.into()), ..Settings::default() };
    let desk = World::start(ledger.clone(), FixedFiles::new(), clock.clone(), named("desk")).await;
    let laptop = World::start(ledger, FixedFiles::new(), clock, named("laptop")).await;
    (desk, laptop)
}

fn on_the_desk() -> Ask {
    let mut ask = ask_from_afar();
    ask.around.machine = Some("desk".into());
    ask
}

async fn rule(world: &World, effect: &str) {
    world.files.set(LayerKind::Global, config(&json!({ effect: [{ "tool": "deploy" }] })));
    settle().await;
}

#[tokio::test]
async fn another_machines_rules_do_not_let_a_call_through_but_turn_it_back() {
    let (desk, laptop) = two_machines().await;
    let id = asked(&desk.gate, on_the_desk()).await;
    rule(&laptop, "allow").await;
    assert!(desk.approval(id).await.is_pending(), "its own gate has not allowed it");
    rule(&laptop, "deny").await;
    assert_eq!(desk.approval(id).await.fate.state.name(), "denied");
    assert_eq!(desk.gate.begin(on_the_desk()).await.unwrap_err().code, RefusalCode::DeniedByRule);
}

#[tokio::test]
async fn its_own_machines_rules_do_both() {
    for (effect, state) in [("allow", "approved"), ("deny", "denied")] {
        let (desk, _laptop) = two_machines().await;
        let id = asked(&desk.gate, on_the_desk()).await;
        rule(&desk, effect).await;
        assert_eq!(desk.approval(id).await.fate.state.name(), state);
    }
}

#[tokio::test]
async fn a_call_that_names_no_machine_is_every_gates() {
    let (desk, laptop) = two_machines().await;
    let id = asked(&desk.gate, ask_from_afar()).await;
    rule(&laptop, "allow").await;
    assert_eq!(desk.approval(id).await.fate.state.name(), "approved");
}
