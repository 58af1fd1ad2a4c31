//! Lifts earlier declines: a later act of the operator that names the declined command takes them
//! back.
//!
//! One that names only the action does not: it may be about another target. Its reply says so,
//! because the operator would otherwise expect the declined call to pass.
//!
//! See docs/decisions/0032-declines-and-failures-by-target.md.

use crate::decide::facts::Facts;
use crate::model::call::CallTarget;
use crate::model::change::{Change, LiftedDeclines};
use crate::model::command::{Command, is_granted_argv, render_argv};
use crate::model::grant::Coverage;
use crate::model::limits;
use crate::model::names::{Action, SessionKey};
use crate::state::{DeclineRecord, DeclineState, Session};

/// What a grant does to earlier declines, and the line that tells the operator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiftResult {
    pub change: Option<Change>,
    pub line: Option<String>,
}

/// The declines that a grant of this coverage lifts, for the agent of this session.
pub fn lift_declines(facts: &Facts, session: &SessionKey, coverage: &Coverage) -> LiftResult {
    let Some(open) = facts.state.open_session(session, facts.now) else {
        return LiftResult::default();
    };
    match coverage {
        Coverage::Command { argv, cwd, .. } => {
            let named = NamedCommand { argv, cwd: cwd.as_deref() };
            lift_for_command(facts, session, open, &named)
        }
        Coverage::Action(action) => {
            LiftResult { change: None, line: say_that_declines_hold(open, action) }
        }
        Coverage::Digest { .. }
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Step { .. }
        | Coverage::Head { .. }
        | Coverage::Program(_) => LiftResult::default(),
    }
}

/// A command that the operator named, perhaps with open arguments.
struct NamedCommand<'a> {
    argv: &'a [String],
    /// None if the operator named no folder, which means any.
    cwd: Option<&'a str>,
}

impl NamedCommand<'_> {
    fn names(&self, target: &CallTarget) -> bool {
        match target {
            CallTarget::Command(Command::Plain { argv, cwd }) => {
                is_granted_argv(self.argv, argv)
                    && (self.cwd.is_none() || self.cwd == cwd.as_deref())
            }
            CallTarget::Command(Command::NotPlain { .. }) | CallTarget::Named(_) => false,
        }
    }
}

fn lift_for_command(
    facts: &Facts,
    session: &SessionKey,
    open: &Session,
    named: &NamedCommand,
) -> LiftResult {
    let targets: Vec<(Action, CallTarget)> = open
        .restraints
        .declined
        .iter()
        .filter(|(_, target)| named.names(target))
        .cloned()
        .collect();
    let holds = |declined: &DeclineRecord| {
        declined.state == DeclineState::Holds
            && facts.now < declined.at + limits::DECLINE_STICKS
            && declined.agent == open.agent
            && declined.project == open.project
            && named.names(&declined.target)
    };
    let digests: Vec<_> = facts
        .state
        .declined
        .iter()
        .filter(|(_, declined)| holds(declined))
        .map(|(digest, _)| *digest)
        .collect();
    if targets.is_empty() && digests.is_empty() {
        return LiftResult::default();
    }
    let lifted = Box::new(LiftedDeclines { targets, digests });
    LiftResult {
        change: Some(Change::DeclinesLifted { session: session.clone(), lifted }),
        line: Some(format!("Your earlier decline of `{}` is lifted", render_argv(named.argv))),
    }
}

fn say_that_declines_hold(open: &Session, action: &Action) -> Option<String> {
    open.restraints.declined.iter().any(|(declined, _)| declined == action).then(|| {
        format!(
            "Your earlier decline of {action} still holds: a grant of the action lifts none; grant \
             the command, or approve the call when it asks"
        )
    })
}
