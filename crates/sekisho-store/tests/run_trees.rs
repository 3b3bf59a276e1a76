//! Runs of sub-agents: both databases grow and end trees alike.

use sekisho_agent::machine::RunLimits;
use sekisho_agent::run_settings::ParentCall;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, SubAgentSpec, TreeGrowth, TreeLimits};
use sekisho_agent::runs::{RunQuery, RunRequest, StoredRun};
use uuid::Uuid;

use crate::harness::{at, wait};
use crate::runs::{last_step, new_run, owner};
use crate::test_database::TestDatabase;

const ROOT: Uuid = Uuid::from_u128(7);
const MANY: TreeLimits = TreeLimits { runs: 10, active: Some(10) };

/// A run that `parent` starts.
pub(crate) fn child(number: u128, parent: &StoredRun) -> StoredRun {
    let (run, _) = new_run(Uuid::from_u128(number), owner(2));
    let mut chain = parent.settings.chain().to_vec();
    chain.push(parent.settings.link(parent.id));
    let mut settings = run.settings.clone();
    settings.parent = Some(ParentCall { reply: 1, chain });
    StoredRun { settings, ..run }
}

#[expect(clippy::cognitive_complexity, reason = "one story of a tree, told by its assertions")]
fn trees_grow_and_end(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (root, first) = new_run(ROOT, owner(1));
    let grow = |run: &StoredRun, limits: TreeLimits| {
        wait(store.create_child(run.clone(), first.clone(), limits)).unwrap()
    };
    let one = child(8, &root);
    assert_eq!(grow(&one, MANY), TreeGrowth::ParentEnded, "there is no parent");
    let _ = wait(store.create(root.clone(), first.clone(), None)).unwrap();
    assert_eq!(grow(&one, MANY), TreeGrowth::Stored);
    assert_eq!(grow(&one, MANY), TreeGrowth::Exists);
    // A run that somebody else started with the same id is not that of the sub-agent.
    let (foreign, _) = new_run(Uuid::from_u128(11), owner(1));
    let _ = wait(store.create(foreign, first.clone(), None)).unwrap();
    assert_eq!(grow(&child(11, &root), MANY), TreeGrowth::Taken);
    assert_eq!(grow(&child(8, &one), MANY), TreeGrowth::Taken, "another parent");
    assert!(
        wait(store.store(last_step(&wait(store.run(Uuid::from_u128(11))).unwrap().unwrap(), owner(1))))
            .unwrap()
    );
    assert!(wait(store.delete_run(Uuid::from_u128(11))).unwrap());
    let two = child(9, &one);
    assert_eq!(grow(&two, TreeLimits { runs: 2, ..MANY }), TreeGrowth::TooMany { count: 2 });
    assert_eq!(grow(&two, TreeLimits { active: Some(2), ..MANY }), TreeGrowth::TooManyActive { active: 2 });
    assert_eq!(grow(&two, MANY), TreeGrowth::Stored);
    let ids = |runs: Vec<StoredRun>| runs.into_iter().map(|run| run.id.as_u128()).collect::<Vec<_>>();
    assert_eq!(ids(wait(store.tree(ROOT)).unwrap()), [7, 8, 9]);
    assert_eq!(wait(store.run(two.id)).unwrap(), Some(StoredRun { chunk_count: 1, ..two.clone() }));
    assert_eq!(ids(wait(store.delegated_runs(vec![ROOT, Uuid::nil()])).unwrap()), [8, 9]);
    assert_eq!(ids(wait(store.delegated_runs(vec![one.id])).unwrap()), [0; 0]);
    let roots = RunQuery { roots: true, limit: 10, ..RunQuery::default() };
    assert_eq!(ids(wait(store.runs(roots)).unwrap()), [7]);

    // A run that ends asks those that it started to end, and only those.
    assert!(wait(store.store(last_step(&root, owner(1)))).unwrap());
    let asked = |store_owner: u128| wait(store.requests(owner(store_owner))).unwrap();
    let requests = asked(2);
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0].run, one.id);
    assert!(matches!(requests[0].request, RunRequest::Abort { .. }));
    assert_eq!(grow(&child(10, &root), MANY), TreeGrowth::ParentEnded);
    assert!(!wait(store.delete_run(ROOT)).unwrap(), "runs below it are at work");
    assert!(wait(store.store(last_step(&one, owner(2)))).unwrap());
    assert_eq!(asked(2).len(), 2);
    assert!(wait(store.store(last_step(&two, owner(2)))).unwrap());
    for request in asked(2) {
        let run = wait(store.run(request.run)).unwrap().unwrap();
        let mut done = last_step(&two, owner(2));
        (done.run, done.version, done.state) = (run.id, run.version, run.state.clone());
        (done.step, done.request) = (Default::default(), Some(request.seq));
        assert!(wait(store.store(done)).unwrap());
    }
    assert!(!wait(store.delete_run(one.id)).unwrap(), "it goes with its root");
    assert!(wait(store.delete_run(ROOT)).unwrap());
    assert_eq!(site.count("runs"), 0);
}

fn sub_agents_belong_to_their_run(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (root, first) = new_run(ROOT, owner(1));
    let spec = SubAgentSpec {
        name: "builder/r".into(),
        system_prompt: "Review.\u{0}".into(),
        model: "m".into(),
        tools: [("read".to_owned(), Default::default())].into(),
    };
    let agent = |number: u128| SubAgent {
        id: Uuid::from_u128(number),
        run: ROOT,
        spec: spec.clone(),
        created_at: at(1),
    };
    let make = |number: u128, most: u64| wait(store.create_sub_agent(agent(number), most)).unwrap();
    assert_eq!(make(1, 2), TreeGrowth::ParentEnded);
    let _ = wait(store.create(root.clone(), first, None)).unwrap();
    assert_eq!(
        (make(1, 2), make(1, 2), make(2, 2)),
        (TreeGrowth::Stored, TreeGrowth::Exists, TreeGrowth::Stored)
    );
    assert_eq!(make(3, 2), TreeGrowth::TooMany { count: 2 });
    assert_eq!(wait(store.sub_agents(ROOT)).unwrap(), [agent(1), agent(2)]);
    assert_eq!(wait(store.sub_agents(Uuid::nil())).unwrap(), []);
    assert!(wait(store.store(last_step(&root, owner(1)))).unwrap());
    assert_eq!(make(4, 9), TreeGrowth::ParentEnded);
    assert!(wait(store.delete_run(ROOT)).unwrap());
    assert_eq!(site.count("sub_agents"), 0);
}

fn reservations_count_in_the_whole_tree(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (mut root, first) = new_run(ROOT, owner(1));
    root.state.limits = RunLimits { max_tokens: Some(1000), ..RunLimits::replies(9) };
    let _ = wait(store.create(root.clone(), first.clone(), None)).unwrap();
    let (one, two) = (child(8, &root), child(9, &root));
    for run in [&one, &two] {
        assert_eq!(wait(store.create_child(run.clone(), first.clone(), MANY)).unwrap(), TreeGrowth::Stored);
    }
    let reserve = |run: &StoredRun, tokens: u64| {
        wait(store.reserve(run.id, ROOT, ReplyNeeds { tokens, cost: None })).unwrap()
    };
    assert_eq!(reserve(&one, 600), Reserved::Granted);
    assert_ne!(reserve(&two, 401), Reserved::Granted);
    assert_eq!(reserve(&two, 400), Reserved::Granted);
    assert_ne!(reserve(&root, 1), Reserved::Granted);
    // The reply that it was for has ended the run, and took nothing.
    assert!(wait(store.store(last_step(&one, owner(2)))).unwrap());
    assert_eq!(reserve(&root, 600), Reserved::Granted);
}

#[test]
fn trees_in_a_file_grow_and_end() {
    trees_grow_and_end(TestDatabase::file);
}

#[test]
fn trees_in_a_server_grow_and_end() {
    trees_grow_and_end(TestDatabase::server);
}

#[test]
fn sub_agents_in_a_file_belong_to_their_run() {
    sub_agents_belong_to_their_run(TestDatabase::file);
}

#[test]
fn sub_agents_in_a_server_belong_to_their_run() {
    sub_agents_belong_to_their_run(TestDatabase::server);
}

#[test]
fn reservations_in_a_file_count_in_the_whole_tree() {
    reservations_count_in_the_whole_tree(TestDatabase::file);
}

#[test]
fn reservations_in_a_server_count_in_the_whole_tree() {
    reservations_count_in_the_whole_tree(TestDatabase::server);
}
