//! Lifts earlier declines: a later act of the operator that names the declined command takes them
//! back.
//!
//! One that names only the action does not: it may be about another target. Its reply says so,
//! because the operator would otherwise expect the declined call to pass.
//!
//! See docs/decisions/0032-declines-and-failures-by-target.md.

use crate::decide::facts::Facts;
use crate::encoding::digest::Digest;
use crate::model::call::CallTarget;
use crate::model::change::{Change, LiftReach, LiftedDeclines};
use crate::model::command::{Command, is_granted_argv, render_argv};
use crate::model::grant::{Coverage, Scope};
use crate::model::limits;
use crate::model::names::{Action, SessionKey};
use crate::state::{DeclineRecord, DeclineState, Session};

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
    let Some(open) = facts.state.open_session(session, facts.now) else {
        return LiftResult::default();
    };
    let named = match coverage {
        Coverage::Command { argv, cwd, .. } => NamedCommand::Exact { argv, cwd: cwd.as_deref() },
        Coverage::Head { words, .. } => NamedCommand::Head(words),
        Coverage::Action(action) => {
            return LiftResult { changes: Vec::new(), line: say_that_declines_hold(open, action) };
        }
        Coverage::Digest { .. }
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything
        | Coverage::Step { .. }
        | Coverage::Program(_) => return LiftResult::default(),
    };
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
    let mut digests = find_digests(facts, open, &named, is_left);
    let mut changes = Vec::new();
    for (key, reached) in reached {
        let declined = reached.restraints.declined.iter();
        let targets: Vec<_> = declined.filter(|(_, target)| named.names(target)).cloned().collect();
        let digests = if key == session { std::mem::take(&mut digests) } else { Vec::new() };
        if !targets.is_empty() || !digests.is_empty() {
            let lifted = Box::new(LiftedDeclines { targets, digests, reach });
            changes.push(Change::DeclinesLifted { session: key.clone(), lifted });
        }
    }
    let line = (!changes.is_empty())
        .then(|| format!("Your earlier decline of `{}` is lifted", render_argv(named.words())));
    LiftResult { changes, line }
}

/// A command that the operator named, perhaps with open arguments.
enum NamedCommand<'a> {
    /// Without a folder it means any.
    Exact { argv: &'a [String], cwd: Option<&'a str> },
    /// The first words of the command.
    Head(&'a [String]),
}

impl NamedCommand<'_> {
    fn words(&self) -> &[String] {
        match self {
            Self::Exact { argv, .. } => argv,
            Self::Head(words) => words,
        }
    }

    fn names(&self, target: &CallTarget) -> bool {
        let CallTarget::Command(Command::Plain { argv, cwd }) = target else { return false };
        match self {
            Self::Exact { argv: named, cwd: folder } => {
                is_granted_argv(named, argv) && (folder.is_none() || *folder == cwd.as_deref())
            }
            Self::Head(words) => argv.starts_with(words),
        }
    }
}

/// The declined digests of the agent and project whose command was named.
fn find_digests(
    facts: &Facts,
    open: &Session,
    named: &NamedCommand,
    is_left: impl Fn(&DeclineState) -> bool,
) -> Vec<Digest> {
    let holds = |declined: &DeclineRecord| {
        is_left(&declined.state)
            && facts.now < declined.at + limits::DECLINE_STICKS
            && declined.agent == open.agent
            && declined.project == open.project
            && named.names(&declined.target)
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
