//! Lifts earlier declines: a later act of the operator that names the declined command, or the action
//! and its target, takes them back.
//!
//! One that names only the action does not: it may be about another target. Its reply says so,
//! because the operator would otherwise expect the declined call to pass.
//!
//! See docs/decisions/0032-declines-and-failures-by-target.md.
//! See docs/decisions/0130-declines-that-a-later-act-names.md.

use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::call::{Call, CallTarget};
use crate::model::change::{Change, Gesture, LiftReach, LiftedDeclines};
use crate::model::command::{Command, is_granted_argv, render_argv};
use crate::model::grant::{Coverage, Scope};
use crate::model::limits;
use crate::model::names::{Action, SessionKey};
use crate::state::{CallRecord, DeclineRecord, DeclineState, Session};

/// What a grant does to earlier declines, and the line that tells the operator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiftResult {
    pub changes: Vec<Change>,
    pub line: Option<String>,
}

/// The declines that a grant of this coverage and scope lifts, for the agent of this session. A grant
/// for the project lifts them in all its sessions, any other only in this one.
pub fn lift_declines(
    facts: &Facts,
    session: &SessionKey,
    coverage: &Coverage,
    scope: Scope,
) -> LiftResult {
    let named = match coverage {
        Coverage::Command { argv, cwd, .. } => NamedByOperator::Exact { argv, cwd: cwd.as_deref() },
        Coverage::Head { words, .. } => NamedByOperator::Head(words),
        Coverage::Action(action) => {
            let open = facts.state.open_session(session, facts.now);
            let line = open.and_then(|open| say_that_declines_hold(open, action));
            return LiftResult { changes: Vec::new(), line };
        }
        Coverage::Digest { .. }
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Step { .. }
        | Coverage::Program(_) => return LiftResult::default(),
    };
    let changes = lift_named(facts, session, &named, scope);
    let line = (!changes.is_empty()).then(|| {
        format!("Your earlier decline of `{}` is lifted", render_argv(named.command_words()))
    });
    LiftResult { changes, line }
}

/// The declines that an answer lifts which gives an action for longer than once: its card showed the
/// action and its target.
pub fn lift_shown_target(
    facts: &Facts,
    session: &SessionKey,
    (action, call): (&Action, &Call),
    scope: Scope,
) -> Vec<Change> {
    let target = call.acts_on();
    let named = NamedByOperator::Target { action, target: &target };
    lift_named(facts, session, &named, scope)
}

/// The declines that a click lifts for the actions that it declares: those of the call that its surface
/// showed, and of no other digest.
pub fn lift_shown_call(facts: &Facts, gesture: &Gesture, shown: &CallRecord) -> Vec<Change> {
    let declares = |action: &Action| gesture.declares.contains(action);
    let Some(open) = facts.state.open_session(&gesture.session, facts.now) else {
        return Vec::new();
    };
    if shown.call.session != gesture.session {
        return Vec::new();
    }
    let is_shown =
        |(action, target): &&(Action, CallTarget)| declares(action) && target.is_of(&shown.call);
    let targets: Vec<_> = open.restraints.declined.iter().filter(is_shown).cloned().collect();
    let is_whole = shown.decided.iter().all(declares);
    let is_declined = facts.state.declined.contains_key(&shown.call.lasting);
    let digests: Vec<_> =
        (is_whole && is_declined).then_some(shown.call.lasting).into_iter().collect();
    if targets.is_empty() && digests.is_empty() {
        return Vec::new();
    }
    let lifted = Box::new(LiftedDeclines { targets, digests, reach: LiftReach::Session });
    vec![Change::DeclinesLifted { session: gesture.session.clone(), lifted }]
}

fn lift_named(
    facts: &Facts,
    session: &SessionKey,
    named: &NamedByOperator,
    scope: Scope,
) -> Vec<Change> {
    let Some(open) = facts.state.open_session(session, facts.now) else { return Vec::new() };
    let reached = facts.state.sessions.iter().filter(|(key, other)| {
        let is_reached = scope == Scope::Project
            && other.ended_at.is_none()
            && other.agent == open.agent
            && open.project.is_some()
            && other.project == open.project;
        *key == session || is_reached
    });
    let reach = match scope {
        Scope::Project => LiftReach::Everywhere,
        Scope::Once | Scope::Until | Scope::Run | Scope::Session => LiftReach::Session,
    };
    let is_left = |state: &DeclineState| match reach {
        LiftReach::Everywhere => *state != DeclineState::Lifted,
        LiftReach::Session => state.holds_in(session, Some(open.opening)),
    };
    let mut digests = find_digests(facts, open, named, is_left);
    let mut changes = Vec::new();
    for (key, reached) in reached {
        let declined = reached.restraints.declined.iter();
        let is_named = |(action, target): &&(Action, CallTarget)| named.names(Some(action), target);
        let targets: Vec<_> = declined.filter(is_named).cloned().collect();
        let digests = if key == session { std::mem::take(&mut digests) } else { Vec::new() };
        if !targets.is_empty() || !digests.is_empty() {
            let lifted = Box::new(LiftedDeclines { targets, digests, reach });
            changes.push(Change::DeclinesLifted { session: key.clone(), lifted });
        }
    }
    changes
}

/// What the operator named.
enum NamedByOperator<'a> {
    /// A command, perhaps with open arguments. Without a folder it means any.
    Exact {
        argv: &'a [String],
        cwd: Option<&'a str>,
    },
    /// The first words of a command.
    Head(&'a [String]),
    Target {
        action: &'a Action,
        target: &'a CallTarget,
    },
}

impl NamedByOperator<'_> {
    fn command_words(&self) -> &[String] {
        match self {
            Self::Exact { argv, .. } => argv,
            Self::Head(words) => words,
            Self::Target { .. } => &[],
        }
    }

    fn names(&self, action: Option<&Action>, target: &CallTarget) -> bool {
        match (self, target) {
            (Self::Target { action: named, target: shown }, CallTarget::Named(targets)) => {
                action == Some(*named) && target == *shown && !targets.is_empty()
            }
            (
                Self::Exact { argv: named, cwd: folder },
                CallTarget::Command(Command::Plain { argv, cwd }),
            ) => is_granted_argv(named, argv) && (folder.is_none() || *folder == cwd.as_deref()),
            (Self::Head(words), CallTarget::Command(Command::Plain { argv, .. })) => {
                argv.starts_with(words)
            }
            (Self::Target { .. }, CallTarget::Command(_))
            | (Self::Exact { .. } | Self::Head(_), CallTarget::Named(_))
            | (Self::Exact { .. } | Self::Head(_), CallTarget::Command(_)) => false,
        }
    }
}

/// The declined digests of the agent and project that were named.
fn find_digests(
    facts: &Facts,
    open: &Session,
    named: &NamedByOperator,
    is_left: impl Fn(&DeclineState) -> bool,
) -> Vec<Digest> {
    let holds = |declined: &DeclineRecord| {
        is_left(&declined.state)
            && facts.now < declined.at + limits::DECLINE_STICKS
            && declined.agent == open.agent
            && declined.project == open.project
            && named.names(declined.action.as_ref(), &declined.target)
    };
    let declined = facts.state.declined.iter().filter(|(_, declined)| holds(declined));
    declined.map(|(digest, _)| *digest).collect()
}

fn say_that_declines_hold(open: &Session, action: &Action) -> Option<String> {
    open.restraints.declined.iter().any(|(declined, _)| declined == action).then(|| {
        format!(
            "Your earlier decline of {action} still holds: a grant of the action lifts none; grant \
             the command, or approve the call when it asks"
        )
    })
}
