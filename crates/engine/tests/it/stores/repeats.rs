//! Calls that failed for a passing cause are repeated: with back-off, by one node, on consent that
//! travels, and never where it may have happened already.

use super::contract::Backend;
use super::{in_memory, schema, sqlite};
use crate::world::{Moved, agent, grant, owner, session, yes};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::call::CallDraft;
use countersign_core::model::change::Change;
use countersign_core::model::grant::{Confirmation, Coverage, Scope};
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Action, NodeName, Tool};
use countersign_core::model::repeat::RepeatEnding;
use countersign_core::model::time::Time;
use countersign_core::model::words::{Effect, RunEnding, Surface};
use countersign_core::state::CallState;
use countersign_core::steps::revoke::Revoke;
use countersign_engine::{
    AgentReport, AnswerTarget, CheckResult, Completion, DatabaseClock, Engine, Entropy, Memory,
    Permit, Postgres, Store,
};
use countersign_graph::Format;
use countersign_ledger::{replay, verify};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

const GRAPH: &str = "
domains:
  files: {autonomous: [read], requires_approval: [write], blocked: []}
  money: {autonomous: [], requires_approval: [pay], blocked: [], actions: {pay: {categories: [purchase]}}}
tools:
  plain: {actions: [files.read]}
  same: {actions: [files.read], idempotent: true}
  notes: {actions: [files.read], health: ping}
workflows:
  tidy: {actions: [files.read]}
";

const STRICTER: &str = "
domains:
  files: {autonomous: [], requires_approval: [write], blocked: [read]}
";

struct Counted;

impl Entropy for Counted {
    fn bits(&self) -> u64 {
        static BITS: AtomicU64 = AtomicU64::new(1);
        BITS.fetch_add(1, Ordering::SeqCst)
    }
}

fn load<S: Store>(engine: &Engine<S>, text: &str) {
    let graph =
        countersign_graph::load_graph("graph.yaml", text.as_bytes(), Format::Yaml).unwrap().graph;
    engine.load_graph(graph).unwrap();
}

struct Place<S> {
    engine: Engine<S>,
    clock: Arc<AtomicI64>,
}

fn place<S: Store>(store: S, clock: &Arc<AtomicI64>, node: &str) -> Place<S> {
    let engine = Engine::new(store, Box::new(Moved(Arc::clone(clock))), Box::new(Counted))
        .with_node(NodeName::parse(node).unwrap());
    engine.set_surface(Surface::Reachable).unwrap();
    load(&engine, GRAPH);
    engine.open(|_| Ok(())).unwrap();
    Place { engine, clock: Arc::clone(clock) }
}

fn nine() -> Arc<AtomicI64> {
    Arc::new(AtomicI64::new(Time::parse("2026-01-05T09:00:00Z").unwrap().micros()))
}

fn in_one_place() -> Place<Memory> {
    place(Memory::empty(), &nine(), "one")
}

fn draft(tool: &str, number: u32) -> CallDraft {
    let mut draft = CallDraft::plain(agent(), session(), Action::parse("files.read").unwrap());
    draft.tool = Some(Tool::parse(tool).unwrap());
    draft.args = json!({ "number": number });
    draft
}

impl<S: Store> Place<S> {
    fn seconds_pass(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    fn permitted(&self, draft: &CallDraft) -> Permit {
        let checked = self.engine.check(draft).unwrap();
        let CheckResult::Allowed { permit, .. } = checked else { panic!("{checked:?}") };
        permit
    }

    /// A call that failed for now, with this effect.
    fn put_off(&self, tool: &str, effect: Effect) -> CallId {
        let permit = self.permitted(&draft(tool, 1));
        let call = permit.call();
        self.engine.complete(&permit.fail_temporarily(effect)).unwrap();
        call
    }

    /// Leases and redeems the attempts that are due.
    fn due_attempts(&self) -> Vec<Permit> {
        let leased = self.engine.lease_repeats().unwrap();
        leased.iter().filter_map(|leased| self.engine.redeem_lease(leased).unwrap()).collect()
    }

    /// Makes the attempts that are due, each with this end, and returns how many.
    fn make_attempts(&self, end: fn(Permit) -> Completion) -> usize {
        let permits = self.due_attempts();
        let made = permits.len();
        for permit in permits {
            self.engine.complete(&end(permit)).unwrap();
        }
        made
    }

    fn waits(&self, call: CallId) -> bool {
        self.engine.read_whole_state().unwrap().calls.get(&call).unwrap().repeat.is_some()
    }

    /// Why calls were repeated no more, in order.
    fn endings(&self) -> Vec<RepeatEnding> {
        let entries = self.engine.read_all_entries().unwrap();
        let changes = entries.iter().map(|entry| entry.change().unwrap().1);
        let ended = |change| match change {
            Change::RepeatEnded { why, .. } => Some(why),
            _ => None,
        };
        changes.filter_map(ended).collect()
    }

    fn replays(&self) {
        let entries = self.engine.read_all_entries().unwrap();
        verify(&entries).unwrap();
        assert_eq!(replay(&entries).unwrap(), *self.engine.read_whole_state().unwrap());
    }
}

/// Five attempts, each after a longer wait, and then no more.
pub(super) fn a_call_is_tried_five_times_with_growing_waits(backend: &impl Backend) {
    let place = place(backend.open(), &nine(), "one");
    let call = place.put_off("plain", Effect::Nothing);
    let round = || place.make_attempts(|permit| permit.fail_temporarily(Effect::Nothing));
    for (number, wait) in [10, 20, 45, 90, 120].into_iter().enumerate() {
        place.seconds_pass(wait - 1);
        assert_eq!(round(), 0, "attempt {number} came too early");
        place.seconds_pass(1);
        assert_eq!(round(), 1, "attempt {number}");
        assert_eq!(round(), 0, "attempt {number} came twice");
    }
    assert!(!place.waits(call));
    place.seconds_pass(3600);
    assert_eq!(round(), 0);
    assert_eq!(place.endings(), [RepeatEnding::GaveUp]);
    place.replays();
}

#[test]
fn a_call_that_succeeds_is_not_tried_again() {
    let place = in_one_place();
    let call = place.put_off("plain", Effect::Nothing);
    place.seconds_pass(10);
    assert_eq!(place.make_attempts(|permit| permit.complete(Effect::Done)), 1);
    place.seconds_pass(3600);
    assert!(place.due_attempts().is_empty());
    assert!(!place.waits(call));
    let again = place.engine.retry(call, &owner()).unwrap();
    assert!(matches!(again, CheckResult::AlreadyDone { .. }), "{again:?}");
}

#[test]
fn what_may_have_happened_is_repeated_only_if_its_tool_is_idempotent() {
    for (tool, effect, repeated) in [
        ("plain", Effect::Unknown, false),
        ("plain", Effect::Failed, false),
        ("plain", Effect::Nothing, true),
        ("same", Effect::Unknown, true),
        ("same", Effect::Failed, true),
        ("same", Effect::Forbidden, false),
        ("same", Effect::Done, false),
    ] {
        let place = in_one_place();
        let call = place.put_off(tool, effect);
        assert_eq!(place.waits(call), repeated, "{tool} {effect}");
    }
}

/// Whatever an agent says, nothing is done again because of it.
#[test]
fn what_an_agent_reports_is_never_repeated() {
    for reported in [AgentReport::Done, AgentReport::Failed, AgentReport::Unknown] {
        let place = in_one_place();
        let permit = place.permitted(&draft("same", 1));
        let completion = Completion::reported(permit.call(), owner(), reported);
        place.engine.complete(&completion).unwrap();
        place.seconds_pass(60);
        assert!(place.engine.lease_repeats().unwrap().is_empty(), "{reported:?}");
    }
}

#[test]
fn a_crash_during_an_attempt_is_unknown_and_repeated_only_if_idempotent() {
    for (tool, again, endings) in
        [("plain", 0, vec![RepeatEnding::UnknownEffect]), ("same", 1, Vec::new())]
    {
        let place = in_one_place();
        let call = place.put_off(tool, Effect::Nothing);
        place.seconds_pass(10);
        let leased = place.engine.lease_repeats().unwrap();
        let _lost = place.engine.redeem_lease(&leased[0]).unwrap().unwrap();
        place.engine.restart().unwrap();
        let state = place.engine.read_whole_state().unwrap();
        assert_eq!(state.calls.get(&call).unwrap().state, CallState::Ended(Effect::Unknown));
        place.seconds_pass(60);
        assert_eq!(place.engine.lease_repeats().unwrap().len(), again, "{tool}");
        assert_eq!(place.endings(), endings, "{tool}");
    }
}

#[test]
fn an_upstream_that_is_not_well_is_left_alone() {
    let place = in_one_place();
    let call = place.put_off("notes", Effect::Nothing);
    for wait in [10, 20, 45] {
        place.seconds_pass(wait);
        for leased in place.engine.lease_repeats().unwrap() {
            assert_eq!(leased.health.as_deref(), Some("ping"));
            place.engine.skip_unhealthy(&leased).unwrap();
            assert!(place.engine.redeem_lease(&leased).unwrap().is_none(), "it counts as used");
        }
    }
    place.seconds_pass(89);
    assert!(place.due_attempts().is_empty());
    place.seconds_pass(1);
    assert_eq!(place.make_attempts(|permit| permit.complete(Effect::Done)), 1);
    assert!(!place.waits(call));
    place.replays();
}

/// What happened meanwhile, and why the call is then repeated no more.
fn not_after(meanwhile: impl Fn(&Place<Memory>)) {
    let place = in_one_place();
    let call = place.put_off("plain", Effect::Nothing);
    meanwhile(&place);
    place.seconds_pass(10);
    assert!(place.due_attempts().is_empty());
    assert!(!place.waits(call));
    assert_eq!(place.endings(), [RepeatEnding::NotAllowed]);
    place.replays();
}

#[test]
fn what_is_blocked_meanwhile_is_not_repeated() {
    not_after(|place| load(&place.engine, STRICTER));
}

#[test]
fn what_a_paused_agent_wanted_is_not_repeated() {
    not_after(|place| place.engine.pause_agent(&agent()).unwrap());
}

#[test]
fn what_was_revoked_meanwhile_is_not_repeated() {
    let place = in_one_place();
    place.engine.open_session(&owner(), None).unwrap();
    let terms = (Scope::Session, None, Confirmation::Plain);
    grant(&place.engine, session(), Coverage::Everything, terms);
    let mut write = draft("plain", 1);
    write.tool = None;
    write.actions = vec![Action::parse("files.write").unwrap()];
    let permit = place.permitted(&write);
    place.engine.complete(&permit.fail_temporarily(Effect::Nothing)).unwrap();
    place.engine.revoke(&session(), &Revoke::All).unwrap();
    place.seconds_pass(10);
    assert!(place.due_attempts().is_empty());
    assert_eq!(place.endings(), [RepeatEnding::NotAllowed]);
}

#[test]
fn what_belongs_to_a_run_that_is_over_is_not_repeated() {
    use countersign_core::model::call::Parking;
    use countersign_core::model::draft::StartDraft;
    use countersign_core::model::names::Workflow;
    use countersign_core::model::request::Attendance;
    let place = in_one_place();
    let start = StartDraft {
        session: session(),
        agent: agent(),
        project: None,
        workflow: Workflow::parse("tidy").unwrap(),
        attendance: Attendance::Attended,
        gesture: None,
        parking: Parking::Allowed,
        title: None,
    };
    let (run, _) = place.engine.start_run(&start).unwrap();
    let mut within = draft("plain", 1);
    within.run = Some(run);
    let permit = place.permitted(&within);
    place.engine.complete(&permit.fail_temporarily(Effect::Nothing)).unwrap();
    assert!(place.engine.end_run(run, &owner(), RunEnding::Completed).unwrap());
    place.seconds_pass(10);
    assert!(place.engine.lease_repeats().unwrap().is_empty());
    assert_eq!(place.endings(), [RepeatEnding::NotAllowed]);
}

#[test]
fn a_critical_call_is_never_repeated() {
    let place = in_one_place();
    let mut pay = draft("plain", 1);
    pay.tool = None;
    pay.actions = vec![Action::parse("money.pay").unwrap()];
    let pending = place.engine.check(&pay).unwrap();
    let CheckResult::Pending { call: operation, .. } = pending else { panic!("{pending:?}") };
    let mut answer = yes();
    answer.proof = AnswerProof::TypedText;
    place.engine.answer(AnswerTarget::Call(operation), &answer).unwrap();
    let redeemed = place.engine.retry(operation, &owner()).unwrap();
    let CheckResult::Allowed { permit, .. } = redeemed else { panic!("{redeemed:?}") };
    place.engine.complete(&permit.fail_temporarily(Effect::Nothing)).unwrap();
    assert!(!place.waits(operation));
}

#[test]
fn what_was_kept_out_of_the_record_cannot_be_repeated_from_it() {
    let place = in_one_place();
    let mut secret = draft("plain", 1);
    secret.args = json!({"password": "hunter2 and more"});
    let permit = place.permitted(&secret);
    let call = permit.call();
    place.engine.complete(&permit.fail_temporarily(Effect::Nothing)).unwrap();
    assert!(!place.waits(call));
}

#[test]
fn of_two_nodes_one_makes_an_attempt_and_a_lost_lease_runs_out() {
    let mut settings = schema();
    settings.clock = DatabaseClock::Ignored;
    let clock = nine();
    let node = |name| place(Postgres::open(settings.clone()).unwrap(), &clock, name);
    let (one, other) = (node("one"), node("other"));
    one.put_off("plain", Effect::Nothing);
    one.seconds_pass(10);
    let leased = std::thread::scope(|scope| {
        let racing = scope.spawn(|| other.engine.lease_repeats().unwrap());
        let mut all: Vec<_> = one
            .engine
            .lease_repeats()
            .unwrap()
            .into_iter()
            .map(|lease| (&one, &other, lease))
            .collect();
        let raced = racing.join().unwrap();
        all.extend(raced.into_iter().map(|lease| (&other, &one, lease)));
        all
    });
    let [(holder, second, lease)] = leased.as_slice() else { panic!("{} leases", leased.len()) };
    // Not the other's to redeem; and after its end not the holder's any more either.
    assert!(second.engine.redeem_lease(lease).unwrap().is_none());
    one.seconds_pass(59);
    assert!(second.engine.lease_repeats().unwrap().is_empty());
    one.seconds_pass(1);
    let taken = second.engine.lease_repeats().unwrap();
    assert_eq!(taken.len(), 1);
    assert!(holder.engine.redeem_lease(lease).unwrap().is_none());
    let permit = second.engine.redeem_lease(&taken[0]).unwrap().unwrap();
    assert!(second.engine.redeem_lease(&taken[0]).unwrap().is_none());
    let running = holder.engine.retry(lease.call, &owner()).unwrap();
    assert!(matches!(running, CheckResult::Denied { .. }), "{running:?}");
    // Waited for, because another node looks at it next.
    second.engine.complete(&permit.complete(Effect::Done)).unwrap();
    one.replays();
}

#[test]
fn of_many_threads_one_makes_an_attempt() {
    let folder = in_memory();
    let place = place(sqlite(folder.path()), &nine(), "one");
    for round in 0..20 {
        let permit = place.permitted(&draft("plain", round));
        place.engine.complete(&permit.fail_temporarily(Effect::Nothing)).unwrap();
        place.seconds_pass(10);
        let made = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let attempts = place.make_attempts(|permit| permit.complete(Effect::Done));
                    made.fetch_add(attempts as u64, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(made.into_inner(), 1, "round {round}");
    }
}
