//! Budgets: the model is not asked for what could exceed them.

use sekisho_agent::RunSettings;
use sekisho_agent::machine::{FinishReason, RunLimits};
use sekisho_agent::runs::RunRequest;
use sekisho_agent::spending::{ExceededBudget, UsdAmount};
use sekisho_testkit::agent_doubles::run_settings;
use serde_json::{Value, json};
use uuid::Uuid;

use super::process::{Process, World};
use super::{call, finish, send};

fn usd(text: &str) -> UsdAmount {
    text.parse().unwrap()
}

/// A run of replies with at most 1000 tokens, which cost a cent.
fn priced() -> RunSettings {
    let price = json!({ "input": 1, "output": 10, "cache_read": 0.1, "cache_write": 2 });
    RunSettings { price: serde_json::from_value(price).unwrap(), ..run_settings() }
}

fn cost(most: &str) -> RunLimits {
    RunLimits { max_cost: Some(usd(most)), ..RunLimits::replies(5) }
}

/// A reply with a call, and one that would end the run.
fn script() -> Value {
    json!([{ "calls": [call("note", "a")], "usage": { "input": 1000, "output": 100 } }, { "text": "Done." }])
}

fn exceeded(world: &World, run: Uuid) -> ExceededBudget {
    match finish(world, run) {
        FinishReason::Budget { exceeded } => exceeded,
        other => panic!("{other:?}"),
    }
}

/// A message does not make the budget larger.
fn assert_stays_over(world: &World, process: &Process, run: Uuid) {
    let before = world.runs.state(run).state.replies;
    let messages = world.runs.all_messages(run).len();
    send(process, run, RunRequest::Message { text: "go on".into() });
    process.wait_until("the message counts", || world.runs.all_messages(run).len() > messages);
    process.wait_for_end(run);
    assert_eq!(world.runs.state(run).state.replies, before);
    exceeded(world, run);
}

#[test]
fn request_that_could_cost_too_much_is_not_sent() {
    let world = World::new(script());
    let process = world.process();
    let run = process.start_with(priced(), "go", cost("0.0115"));
    process.wait_for_end(run);
    let state = world.runs.state(run);
    assert_eq!((state.state.replies, state.cost()), (1, Some(usd("0.002"))));
    let ExceededBudget::Cost { needed, left } = exceeded(&world, run) else { panic!() };
    assert_eq!(left, usd("0.0095"));
    assert!(needed > usd("0.01") && needed < usd("0.011"), "{needed}");
    assert_eq!((world.notes(), process.results(run)), (vec!["a".into()], vec!["noted a".into()]));
    assert_stays_over(&world, &process, run);
}

#[test]
fn run_goes_on_while_the_next_request_fits() {
    let world = World::new(script());
    let process = world.process();
    let run = process.start_with(priced(), "go", cost("0.013"));
    process.wait_for_end(run);
    assert_eq!((finish(&world, run), world.runs.state(run).state.replies), (FinishReason::Stop, 2));
}

#[test]
fn first_request_is_refused_too() {
    for (settings, limits) in [
        (priced(), cost("0.01")),
        (run_settings(), RunLimits { max_tokens: Some(1000), ..RunLimits::replies(5) }),
    ] {
        let world = World::new(script());
        let process = world.process();
        let run = process.start_with(settings, "go", limits);
        process.wait_for_end(run);
        exceeded(&world, run);
        assert_eq!(world.runs.state(run).state.replies, 0);
    }
}

#[test]
fn request_that_could_use_too_many_tokens_is_not_sent() {
    let world = World::new(script());
    let process = world.process();
    let limits = RunLimits { max_tokens: Some(2100), ..RunLimits::replies(5) };
    let run = process.start_limited("go", limits);
    process.wait_for_end(run);
    assert!(matches!(exceeded(&world, run), ExceededBudget::Tokens { needed: 1001.., left: 1000 }));
    assert_eq!((world.runs.state(run).state.replies, world.notes()), (1, vec!["a".into()]));
    assert_stays_over(&world, &process, run);
}

#[test]
fn cost_budget_without_a_price_lets_nothing_through() {
    let world = World::new(script());
    let process = world.process();
    let run = process.start_limited("go", cost("1000"));
    process.wait_for_end(run);
    assert_eq!(exceeded(&world, run), ExceededBudget::NoPrice);
    assert_eq!(world.runs.state(run).state.replies, 0);
}
