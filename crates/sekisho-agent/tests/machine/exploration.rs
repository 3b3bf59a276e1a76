//! Random runs of the machine against a pretended gate, with crashes at any point.
//!
//! The driver here does what the real one does: it stores each step, then begins effects, and after a crash it knows
//! only what was stored.

use std::collections::{BTreeMap, BTreeSet};

use sekisho_agent::conversation::{AssistantPart, CallInput, Message, ToolCall};
use sekisho_agent::machine::{CallOutcome, Effect, Phase, RunEvent, RunLimits, RunState, Step};
use sekisho_agent::model::{ModelError, ModelErrorCode, ModelReply, StopReason, Usage};
use sekisho_agent::spending::ExceededBudget;
use sekisho_gate::ApprovalId;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use serde_json::json;
use uuid::Uuid;

/// Small and fast, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}

/// What the gate remembers about a call.
#[derive(Clone, Copy, PartialEq)]
enum AtGate {
    Asked(ApprovalId),
    Approved(ApprovalId),
    Denied { interrupt: bool },
    Refused,
    Spent,
}

/// Everything outside of the machine that survives a crash.
struct World {
    random: Random,
    stored: String,
    messages: Vec<Message>,
    gate: BTreeMap<(u32, usize), AtGate>,
    executions: BTreeMap<(u32, usize), u32>,
    approvals: u128,
    withdrawn: BTreeSet<ApprovalId>,
}

impl World {
    fn store(&mut self, state: &RunState, step: Step) {
        self.stored = serde_json::to_string(state).unwrap();
        self.messages.extend(step.messages);
    }

    /// Somebody sends a message or ends the run, or its time is over; at most three messages.
    fn intervene(&mut self, state: &mut RunState, messages: &mut u32) {
        if *messages < 3 && self.random.one_in(30) {
            *messages += 1;
            if let Some(step) = state.handle(RunEvent::Message("more".into())) {
                self.store(state, step);
            }
        }
        let end = match self.random.below(240) {
            0 | 1 => Some(RunEvent::Abort { why: "enough".into() }),
            2 => Some(RunEvent::TimeUp),
            _ => None,
        };
        if let Some(step) = end.and_then(|end| state.handle(end)) {
            assert!(state.has_ended());
            self.store(state, step);
        }
    }

    fn reply(&mut self) -> RunEvent {
        if self.random.one_in(40) {
            let message = "it failed".into();
            let code = ModelErrorCode::ProviderFailed;
            return RunEvent::ModelFailed(ModelError { code, message, request_id: None, retry_after: None });
        }
        if self.random.one_in(60) {
            return RunEvent::OverBudget(ExceededBudget::NoPrice);
        }
        let count = self.random.below(4);
        let calls = (0..count).map(|number| {
            let input = match self.random.one_in(9) {
                true => CallInput::Unreadable("{".into()),
                false => CallInput::Object(json!({})),
            };
            AssistantPart::Call(ToolCall { id: format!("call-{number}"), name: "x".into(), input })
        });
        let parts = calls.collect();
        let stop = match self.random.below(40) {
            0 => StopReason::Length,
            1 => StopReason::Refusal,
            2 => StopReason::Paused,
            3 => StopReason::Other("odd".into()),
            _ if count == 0 => StopReason::EndTurn,
            _ => StopReason::ToolCalls,
        };
        let usage = Usage { input: 10, output: 1, ..Usage::default() };
        RunEvent::Replied(ModelReply { parts, stop, usage })
    }

    /// Runs the tool. None: the process crashes before the result is known.
    fn execute(&mut self, key: (u32, usize)) -> Option<CallOutcome> {
        self.gate.insert(key, AtGate::Spent);
        *self.executions.entry(key).or_default() += 1;
        let is_final = self.random.one_in(20);
        let is_error = self.random.one_in(4);
        let done = CallOutcome::Completed { content: "ok".into(), is_error, is_final, edited: None };
        (!self.random.one_in(8)).then_some(done)
    }

    fn submit(&mut self, key: (u32, usize)) -> Option<RunEvent> {
        let (reply, call) = key;
        let known = self.gate.get(&key).copied();
        let outcome = match known {
            None if self.random.one_in(4) => {
                self.gate.insert(key, AtGate::Refused);
                CallOutcome::Refused { refusal: Refusal::new(RefusalCode::DeniedByRule) }
            }
            None if self.random.one_in(2) => {
                self.approvals += 1;
                let approval = ApprovalId(Uuid::from_u128(self.approvals));
                self.gate.insert(key, AtGate::Asked(approval));
                return Some(RunEvent::Asked { reply, call, approval });
            }
            None => self.execute(key)?,
            Some(AtGate::Asked(approval) | AtGate::Approved(approval)) => {
                return Some(RunEvent::Asked { reply, call, approval });
            }
            Some(AtGate::Spent) => CallOutcome::Unknown { execution: None },
            Some(AtGate::Refused) => {
                CallOutcome::Refused { refusal: Refusal::new(RefusalCode::DeniedByRule) }
            }
            Some(AtGate::Denied { interrupt }) => denied(interrupt),
        };
        Some(RunEvent::CallEnded { reply, call, outcome })
    }

    /// None: nobody has answered yet, or the process crashes.
    fn redeem(&mut self, key: (u32, usize)) -> Option<RunEvent> {
        let (reply, call) = key;
        let outcome = match self.gate[&key] {
            AtGate::Asked(approval) => {
                let answer = match self.random.below(3) {
                    0 => AtGate::Denied { interrupt: self.random.one_in(6) },
                    _ => AtGate::Approved(approval),
                };
                self.gate.insert(key, answer);
                return None;
            }
            AtGate::Approved(_) => self.execute(key)?,
            AtGate::Denied { interrupt } => denied(interrupt),
            AtGate::Spent => CallOutcome::Unknown { execution: None },
            AtGate::Refused => panic!("a refused call was never asked about"),
        };
        Some(RunEvent::CallEnded { reply, call, outcome })
    }
}

fn denied(interrupt: bool) -> CallOutcome {
    CallOutcome::Refused { refusal: Refusal { interrupt, ..Refusal::new(RefusalCode::Denied) } }
}

/// Every call is answered in the next message, all in it, in order.
fn assert_transcript(messages: &[Message]) {
    for (at, message) in messages.iter().enumerate() {
        let ids = |message: &Message| -> Vec<String> {
            match message {
                Message::Assistant { parts } => parts
                    .iter()
                    .filter_map(|part| match part {
                        AssistantPart::Call(call) => Some(call.id.clone()),
                        _ => None,
                    })
                    .collect(),
                Message::Tools { results } => results.iter().map(|result| result.call_id.clone()).collect(),
                Message::User { .. } => Vec::new(),
            }
        };
        match message {
            Message::Assistant { .. } if !ids(message).is_empty() => {
                let next =
                    messages.get(at + 1).unwrap_or_else(|| panic!("calls without results: {messages:?}"));
                assert_eq!(ids(message), ids(next), "{messages:?}");
            }
            Message::Tools { .. } => {
                assert!(at > 0 && ids(&messages[at - 1]) == ids(message), "{messages:?}")
            }
            _ => {}
        }
    }
}

fn explore(seed: u64) -> (usize, usize) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let max_tokens = random.one_in(4).then(|| random.below(60));
    let limits = RunLimits { max_tokens, ..RunLimits::replies(1 + random.below(8) as u32) };
    let (mut state, step) = RunState::start(limits, "begin".into());
    let mut world = World {
        random,
        stored: String::new(),
        messages: Vec::new(),
        gate: BTreeMap::new(),
        executions: BTreeMap::new(),
        approvals: 0,
        withdrawn: BTreeSet::new(),
    };
    world.store(&state, step);
    let (mut crashes, mut messages) = (0, 0);
    for _ in 0..2_000 {
        let is_first = state.replies == 0;
        assert!(is_first || state.phase != Phase::Model || state.tokens_left() != Some(0), "over its budget");
        let effects = state.effects();
        let Some(effect) = effects.get(world.random.below(effects.len().max(1) as u64) as usize) else {
            assert!(matches!(state.phase, Phase::Ended { .. }), "nothing to do, and not ended: {state:?}");
            break;
        };
        let mut event = match effect {
            Effect::AskModel => Some(world.reply()),
            Effect::Submit { reply, call } => world.submit((*reply, *call)),
            Effect::Redeem { reply, call, .. } => world.redeem((*reply, *call)),
            Effect::Await { .. } => panic!("no call here is for sub-agents"),
            Effect::Withdraw(approval) => {
                world.withdrawn.insert(*approval);
                Some(RunEvent::Withdrawn(*approval))
            }
        };
        if world.random.one_in(5) {
            crashes += 1;
            event = None;
        }
        match event {
            Some(event) => {
                let repeated = event.clone();
                if let Some(step) = state.handle(event) {
                    world.store(&state, step);
                    let asks_again = matches!(repeated, RunEvent::Replied(_) | RunEvent::ModelFailed(_));
                    assert!(asks_again || state.clone().handle(repeated).is_none(), "an event counted twice");
                }
            }
            None => state = serde_json::from_str(&world.stored).unwrap(),
        }
        world.intervene(&mut state, &mut messages);
    }
    assert!(state.effects().is_empty(), "seed {seed}: the run does not end: {state:?}");
    assert!(world.executions.values().all(|count| *count == 1), "seed {seed}: a tool ran twice");
    assert_transcript(&world.messages);
    (crashes, world.executions.len())
}

/// How many runs are explored. `make prove` sets more.
fn cases() -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the number of cases is for people who run the tests")]
    let given = std::env::var("SEKISHO_RUN_CASES").ok();
    given.map_or(20_000, |text| text.parse().unwrap())
}

#[test]
fn random_runs_end_and_run_each_tool_once() {
    let (mut crashes, mut executions) = (0, 0);
    for seed in 1..=cases() {
        let (crashed, executed) = explore(seed);
        crashes += crashed;
        executions += executed;
    }
    println!("{} runs, {crashes} crashes, {executions} executions", cases());
    assert!(crashes as u64 > cases() && executions as u64 > cases(), "the exploration is too tame");
}
