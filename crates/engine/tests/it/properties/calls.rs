//! Sketches of calls: what comes back again and again in one world.
//!
//! A sketch says in what way a call has a run, a parent or a gesture; which one that is, the
//! world knows when the call is made.

use super::graphs::{ACTIONS, CATEGORIES, action, an_action, category};
use countersign_core::model::call::{CallDraft, Definition, DefinitionChange, Parking};
use countersign_core::model::names::{StepName, Tool};
use countersign_core::model::words::{Channel, Risk, Undo};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;

pub(super) const COMMANDS: [&str; 3] = ["make check", "git push --force", "ls | wc"];
pub(super) const TARGETS: [&[&str]; 4] = [&[], &["anna@x"], &["bob@x"], &["anna@x", "bob@x"]];

#[derive(Clone, Debug)]
pub(super) struct Sketch {
    /// Of three sessions: the first two belong to one agent, the first and the last to one project.
    pub session: usize,
    pub draft: CallDraft,
    pub in_run: bool,
    pub in_parent: bool,
    pub clicked: bool,
}

pub(super) fn sketch() -> impl Strategy<Value = Sketch> {
    let rare = |chance: u32| prop::bool::weighted(1.0 / f64::from(chance));
    let places = (
        prop_oneof![5 => Just(0usize), 1 => Just(1), 1 => Just(2)],
        rare(2),
        prop::bool::weighted(0.7),
        rare(3),
    );
    let what = (actions(), declared(), how(), target(), 0..2u8);
    let observed = (given(), rare(12), rare(30), rare(2), rare(3));
    (places, what, claims(), observed).prop_map(|(places, what, claims, observed)| {
        let (actions, declares, (tool, command), target, args) = what;
        let (given, trusted, changed, parks, called) = observed;
        let mut draft = crate::world::call(ACTIONS[0]);
        draft.actions = actions.into_iter().map(action).collect();
        draft.declares = declares.into_iter().map(action).collect();
        draft.tool = tool.map(|name| Tool::parse(name).unwrap());
        draft.target = target.iter().map(|&one| one.to_owned()).collect();
        draft.args = match (tool, command) {
            (Some("sh"), Some(line)) => json!({"line": line, "n": args}),
            _ => json!({"event": args}),
        };
        if tool.is_none() {
            draft.command = command.map(|line| countersign_commands::analyse(line, None));
        }
        draft.step = claims.step.map(|name| StepName::parse(name).unwrap());
        claims.make(&mut draft);
        draft.observed.categories = given.into_iter().map(category).collect();
        draft.observed.channel = if trusted { Channel::Trusted } else { Channel::Untrusted };
        draft.observed.definition = match changed {
            true => Definition::Changed(DefinitionChange::default()),
            false => Definition::AsPinned,
        };
        draft.observed.callers = if called { vec!["mail.send".to_owned()] } else { Vec::new() };
        draft.parking = if parks { Parking::Allowed } else { Parking::Refused };
        let (session, in_run, in_parent, clicked) = places;
        Sketch { session, draft, in_run, in_parent, clicked }
    })
}

fn target() -> impl Strategy<Value = &'static [&'static str]> {
    prop_oneof![4 => Just(TARGETS[0]), 4 => Just(TARGETS[1]), 2 => Just(TARGETS[2]), 1 => Just(TARGETS[3])]
}

fn actions() -> impl Strategy<Value = Vec<usize>> {
    let all: Vec<usize> = (0..ACTIONS.len()).collect();
    prop_oneof![
        6 => an_action().prop_map(|at| vec![at]),
        1 => subsequence(all, 2).prop_shuffle(),
    ]
}

fn declared() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec(an_action(), 1..3)]
}

/// The tool, and the command line that it or nobody in particular runs.
fn how() -> impl Strategy<Value = (Option<&'static str>, Option<&'static str>)> {
    prop_oneof![
        6 => Just((None, None)),
        2 => select(&COMMANDS[..]).prop_map(|line| (None, Some(line))),
        1 => select(&COMMANDS[..]).prop_map(|line| (Some("sh"), Some(line))),
        1 => Just((Some("put"), None)),
        1 => Just((Some("post"), None)),
    ]
}

fn given() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![9 => Just(vec![]), 4 => Just(vec![2]), 2 => Just(vec![1]), 1 => Just(vec![4])]
}

/// What an agent says about its call.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub categories: Vec<usize>,
    pub risk: Option<Risk>,
    pub undo: Option<Undo>,
    pub confidence: f64,
    pub words: &'static str,
    pub step: Option<&'static str>,
}

pub(super) fn claims() -> impl Strategy<Value = Said> {
    let categories =
        prop_oneof![9 => Just(vec![]), 1 => (0..CATEGORIES.len()).prop_map(|at| vec![at])];
    let risk = prop_oneof![9 => Just(None), 1 => select(Risk::ALL).prop_map(Some)];
    let undo = prop_oneof![4 => Just(None), 1 => select(Undo::ALL).prop_map(Some)];
    let confidence = prop_oneof![3 => Just(0.0), 1 => Just(0.84), 1 => Just(0.85), 1 => Just(1.0)];
    let step = prop_oneof![6 => Just(None), 1 => Just(Some("first")), 2 => Just(Some("last"))];
    (categories, risk, undo, confidence, select(vec!["", "trust me"]), step).prop_map(
        |(categories, risk, undo, confidence, words, step)| Said {
            categories,
            risk,
            undo,
            confidence,
            words,
            step,
        },
    )
}

impl Said {
    pub(super) fn make(&self, draft: &mut CallDraft) {
        draft.claims.categories = self.categories.iter().map(|at| category(*at)).collect();
        draft.claims.risk = self.risk;
        draft.claims.undo = self.undo;
        draft.claims.confidence = self.confidence;
        draft.claims.reason = self.words.to_owned();
        draft.claims.fallback = self.words.to_owned();
    }
}
