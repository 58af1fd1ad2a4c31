//! What agents, the operator and the clock do in a world, one deed at a time.
//!
//! Numbers pick from what is there when the deed is done, so that a shorter sequence still means
//! something.

use super::acting::Items;
use super::calls::COMMANDS;
use super::graphs::{CATEGORIES, an_action};
use countersign_core::model::answering::AnswerProof;
use countersign_core::model::grant::{Confirmation, Scope};
use countersign_core::model::time::Span;
use countersign_core::model::words::{Choice, Effect, Presence, RunEnding, SessionEnder, Surface};
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Debug)]
pub(super) enum Deed {
    // Agents
    Call(usize),
    /// A call from inside the one that was allowed last.
    CallInside(usize),
    Retry(usize),
    Finish(usize, Effect),
    Ahead {
        session: usize,
        category: Option<usize>,
        scope: Scope,
    },
    Start {
        session: usize,
        workflow: usize,
    },
    Plan {
        session: usize,
        actions: Vec<usize>,
        score: u8,
    },
    Propose {
        session: usize,
        action: usize,
    },
    AgentSays(usize, &'static str),
    // The operator, and what reports to us
    /// A call, this answer if it asks, and the call again.
    CallAndYes(usize, Choice),
    PlanAndYes {
        session: usize,
        actions: Vec<usize>,
    },
    StartAndYes {
        session: usize,
        workflow: usize,
    },
    Answer {
        at: usize,
        choice: Choice,
        proof: AnswerProof,
        items: Items,
    },
    Grant {
        session: usize,
        what: What,
        scope: Scope,
        confirmation: Confirmation,
    },
    Revoke(usize, What),
    Click {
        session: usize,
        actions: Vec<usize>,
        shows: bool,
    },
    Says(usize, &'static str),
    Presence(Presence),
    Surface(Surface),
    Pause,
    Resume,
    Review,
    EndRun(usize, RunEnding),
    EndSession(usize, SessionEnder),
    TopicChanged(usize),
    ContextChanged(usize),
    // Time and accidents
    Wait(Span),
    Sweep,
    Restart,
    Reattach(usize),
    Reconcile(usize),
}

/// What a direct grant or a revocation names.
#[derive(Clone, Debug)]
pub(super) enum What {
    Action(usize),
    Category(usize),
    Command(&'static str),
    Workflow,
    All,
}

pub(super) fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![7 => agents(), 5 => operators(), 2 => times()]
}

fn session() -> impl Strategy<Value = usize> {
    prop_oneof![6 => Just(0usize), 1 => Just(1), 1 => Just(2)]
}

fn some_actions() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(an_action(), 0..4)
}

pub(super) fn agents() -> impl Strategy<Value = Deed> {
    let scope = select(vec![Scope::Once, Scope::Session, Scope::Project]);
    let category = prop_oneof![1 => Just(None), 4 => (0..CATEGORIES.len()).prop_map(Some)];
    let words = select(vec!["stop", "yes", "/go", "hello", "done", "DRY RUN: all of it"]);
    prop_oneof![
        12 => (0..4usize).prop_map(Deed::Call),
        6 => (0..4usize).prop_map(Deed::CallInside),
        3 => (0..9usize).prop_map(Deed::Retry),
        4 => (0..9usize, reports()).prop_map(|(at, effect)| Deed::Finish(at, effect)),
        1 => (session(), category, scope)
            .prop_map(|(session, category, scope)| Deed::Ahead { session, category, scope }),
        1 => (session(), 0..3usize)
            .prop_map(|(session, workflow)| Deed::Start { session, workflow }),
        1 => (session(), some_actions(), 0..5u8)
            .prop_map(|(session, actions, score)| Deed::Plan { session, actions, score }),
        1 => (session(), an_action())
            .prop_map(|(session, action)| Deed::Propose { session, action }),
        1 => (session(), words).prop_map(|(session, text)| Deed::AgentSays(session, text)),
    ]
}

/// What an agent can report; that nothing happened, only our own executor can say.
fn reports() -> impl Strategy<Value = Effect> {
    prop_oneof![4 => Just(Effect::Done), 2 => Just(Effect::Failed), 1 => Just(Effect::Unknown)]
}

/// What makes consent, and what is done with it.
pub(super) fn giving() -> impl Strategy<Value = Deed> {
    let scope = select(vec![Scope::Once, Scope::Session, Scope::Project]);
    let yes = select(vec![Choice::Once, Choice::Run, Choice::Session, Choice::Project]);
    prop_oneof![
        6 => (0..4usize, yes).prop_map(|(at, choice)| Deed::CallAndYes(at, choice)),
        3 => (0..4usize).prop_map(Deed::Call),
        3 => (0..4usize).prop_map(Deed::CallInside),
        2 => (0..9usize).prop_map(Deed::Retry),
        2 => (0..9usize, select(Effect::ALL)).prop_map(|(at, effect)| Deed::Finish(at, effect)),
        3 => (what(), scope).prop_map(|(what, scope)| Deed::Grant {
            session: 0,
            what,
            scope,
            confirmation: Confirmation::Plain,
        }),
        2 => (0..2usize).prop_map(|workflow| Deed::StartAndYes { session: 0, workflow }),
        1 => some_actions().prop_map(|actions| Deed::PlanAndYes { session: 0, actions }),
    ]
}

pub(super) fn operators() -> impl Strategy<Value = Deed> {
    let confirmation = select(vec![Confirmation::Plain, Confirmation::Confirmed]);
    let scope = select(vec![Scope::Once, Scope::Until, Scope::Session, Scope::Project]);
    let attested = select(vec![Effect::Nothing, Effect::Nothing, Effect::Forbidden]);
    prop_oneof![
        8 => (0..4usize, select(Choice::ALL)).prop_map(|(at, choice)| Deed::CallAndYes(at, choice)),
        3 => (session(), 0..3usize)
            .prop_map(|(session, workflow)| Deed::StartAndYes { session, workflow }),
        3 => (session(), some_actions())
            .prop_map(|(session, actions)| Deed::PlanAndYes { session, actions }),
        4 => (0..9usize, select(Choice::ALL), select(AnswerProof::ALL), items()).prop_map(
            |(at, choice, proof, items)| Deed::Answer { at, choice, proof, items }
        ),
        4 => (session(), what(), scope, confirmation).prop_map(
            |(session, what, scope, confirmation)| Deed::Grant { session, what, scope, confirmation }
        ),
        2 => taking_back(),
        3 => (session(), some_actions(), any::<bool>())
            .prop_map(|(session, actions, shows)| Deed::Click { session, actions, shows }),
        4 => (session(), words()).prop_map(|(session, text)| Deed::Says(session, text)),
        1 => (0..9usize, attested).prop_map(|(at, effect)| Deed::Finish(at, effect)),
        3 => select(vec![Presence::Idle, Presence::Idle, Presence::Active]).prop_map(Deed::Presence),
        1 => select(vec![Surface::Gone, Surface::Reachable, Surface::Reachable])
            .prop_map(Deed::Surface),
        1 => prop_oneof![1 => Just(Deed::Pause), 5 => Just(Deed::Resume), 2 => Just(Deed::Review)],
    ]
}

/// What ends consent: revocations, words, the ends of runs.
pub(super) fn taking_back() -> impl Strategy<Value = Deed> {
    let words = select(vec!["stop", "that's wrong", "Clear consent state", "Revoke all consent"]);
    let ending = select(vec![RunEnding::Completed, RunEnding::Cancelled]);
    let ender = select(vec![SessionEnder::Agent, SessionEnder::Operator]);
    prop_oneof![
        6 => (session(), what()).prop_map(|(session, what)| Deed::Revoke(session, what)),
        3 => (session(), words).prop_map(|(session, text)| Deed::Says(session, text)),
        1 => (0..3usize, ending).prop_map(|(at, how)| Deed::EndRun(at, how)),
        1 => (session(), ender).prop_map(|(at, by)| Deed::EndSession(at, by)),
        1 => session().prop_map(Deed::TopicChanged),
        1 => session().prop_map(Deed::ContextChanged),
    ]
}

fn items() -> impl Strategy<Value = Items> {
    prop_oneof![4 => Just(Items::All), 1 => Just(Items::First), 1 => Just(Items::Last)]
}

pub(super) fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        4 => an_action().prop_map(What::Action),
        4 => (0..CATEGORIES.len()).prop_map(What::Category),
        2 => select(&COMMANDS[..2]).prop_map(What::Command),
        1 => Just(What::Workflow),
        2 => Just(What::All),
    ]
}

fn words() -> impl Strategy<Value = &'static str> {
    select(vec![
        "DRY RUN: all of it",
        "Grant standing consent for: make check",
        "Revoke consent for: make check",
        "/go",
        "/go",
        "/nothing",
        "yes",
        "yes",
        "ok",
        "no",
        "done",
        "hello",
    ])
}

pub(super) fn times() -> impl Strategy<Value = Deed> {
    let spans = vec![
        Span::seconds(1),
        Span::seconds(59),
        Span::seconds(60),
        Span::minutes(10),
        Span::minutes(15),
        Span::minutes(30),
        Span::hours(2),
        Span::hours(6),
        Span::hours(24),
        Span::days(31),
    ];
    prop_oneof![
        6 => select(spans).prop_map(Deed::Wait),
        1 => Just(Deed::Sweep),
        1 => Just(Deed::Restart),
        2 => (0..3usize).prop_map(Deed::Reattach),
        1 => session().prop_map(Deed::Reconcile),
    ]
}
