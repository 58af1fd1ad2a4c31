//! A grant: stored permission with a coverage, a scope, a source, an end, and the risk that the
//! operator saw.
//!
//! This module says which risk a single grant covers. `decide::carry` chooses among several grants.

use crate::encoding::digest::Digest;
use crate::model::answering::AnswerProof;
use crate::model::category::Category;
use crate::model::command::render_argv;
use crate::model::ids::{CallId, GrantId, RequestId, RunId};
use crate::model::names::{Action, Agent, Project, SessionKey, Workflow};
use crate::model::place::{Bound, PinnedProgram, Place};
use crate::model::time::Time;
use crate::model::words::{Risk, words};
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    pub id: GrantId,
    pub owner: Owner,
    /// The session in which the operator gave it.
    pub made_in: SessionKey,
    pub agent: Agent,
    pub coverage: Coverage,
    pub scope: Scope,
    pub source: Source,
    /// The risk that the operator saw. The grant covers nothing above it.
    pub shown: Risk,
    /// The places that the operator saw, and that the coverage does not name. It covers no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// Where it holds. None if the operator named what it covers without a place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Vec<Bound>>,
    pub confirmation: Confirmation,
    pub granted_at: Time,
    pub granted_turn: u32,
    /// Exclusive. A project grant has no end, but a review date.
    pub ends_at: Option<Time>,
    pub reviewed_at: Time,
    /// The run with which it ends.
    pub run: Option<RunId>,
    pub request: Option<RequestId>,
    /// The scope that an ask-ahead asked for, if the operator granted another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Scope>,
    pub uses: u32,
    /// The latest use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<GrantUse>,
    /// For an imported grant of everything: the actions that have used it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_uses: Vec<Action>,
    pub state: GrantState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantUse {
    pub by: CallId,
    pub at: Time,
}

/// What a grant belongs to.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    Session(SessionKey),
    Project(Project),
    /// The user of this machine, in every session and project: only the pin of a program.
    User,
}

/// The session, agent and project of a new grant or request.
#[derive(Clone, Copy, Debug)]
pub struct Holder<'a> {
    pub session: &'a SessionKey,
    pub agent: &'a Agent,
    pub project: Option<&'a Project>,
}

/// What a grant covers.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// One exact call, for one of its actions.
    Digest {
        digest: Digest,
        action: Action,
    },
    /// One exact command. `action` is set if the call has several actions.
    Command {
        argv: Vec<String>,
        cwd: Option<String>,
        action: Option<Action>,
    },
    /// Commands that start with these words, in the workspace, for one action. Further options are
    /// known to their table.
    Head {
        words: Vec<String>,
        action: Action,
    },
    Action(Action),
    Category(Category),
    /// The actions that a run may perform, and the actions that its workflow declares but that
    /// need an answer of their own.
    Run {
        run: RunId,
        carries: Vec<Action>,
        beyond: Vec<Action>,
    },
    /// Starts of a workflow with exactly these actions need no prompt. Covers no call.
    Class {
        workflow: Workflow,
        actions: Vec<Action>,
    },
    Everything,
    /// One step of an accepted plan. A call with a command line is covered only if the plan names
    /// that command.
    Step {
        action: Action,
        commands: Vec<Vec<String>>,
    },
    /// A program that the agent could replace, with this content. It covers no call by itself: rules
    /// and grants hold for the program while its content is this one.
    Program(PinnedProgram),
}

words! {
    /// The kinds of coverage, as reports name them.
    CoverageKind {
        Digest = "digest",
        Command = "command",
        Head = "head",
        Action = "action",
        Category = "category",
        Run = "run",
        Class = "class",
        Everything = "everything",
        Step = "step",
        Program = "program",
    }
}

words! {
    /// How long a grant lasts.
    Scope {
        Once = "once",
        /// Until a time: 15 minutes, or an end that the operator named.
        Until = "15m",
        Run = "run",
        Session = "session",
        Project = "project",
    }
}

words! {
    /// How the operator gave a grant.
    Source {
        Answer = "answer",
        Ahead = "ahead",
        Standing = "standing",
        Run = "run",
        Category = "category",
        Plan = "plan",
        Import = "import",
    }
}

/// Whether the operator confirmed a second time, or by a special act.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confirmation {
    Plain,
    Confirmed,
}

impl Confirmation {
    pub const fn from_proof(proof: AnswerProof) -> Self {
        match proof {
            AnswerProof::KeyPress => Self::Plain,
            AnswerProof::SecondYes | AnswerProof::TypedText => Self::Confirmed,
        }
    }
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantState {
    Live,
    Reserved {
        by: CallId,
    },
    /// Released because nothing happened. Only the same call can use it again.
    Released {
        only: Digest,
    },
    Spent,
    Ended,
    Revoked,
}

/// The order of preference among grants that cover a call, narrowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantPreference {
    Digest,
    Once,
    Command,
    Head,
    Action,
    CategoryInSession,
    Run,
    CategoryInRun,
    Plan,
    Project,
    Everything,
}

impl Grant {
    pub fn row(&self) -> GrantPreference {
        match (&self.coverage, self.scope) {
            (Coverage::Digest { .. }, _) => GrantPreference::Digest,
            (Coverage::Step { .. }, _) => GrantPreference::Plan,
            (_, Scope::Once) => GrantPreference::Once,
            (_, Scope::Project) => GrantPreference::Project,
            (Coverage::Command { .. }, _) => GrantPreference::Command,
            (Coverage::Head { .. }, _) => GrantPreference::Head,
            (Coverage::Action(_), _) => GrantPreference::Action,
            (Coverage::Category(_), Scope::Run) => GrantPreference::CategoryInRun,
            (Coverage::Category(_), Scope::Until | Scope::Session) => {
                GrantPreference::CategoryInSession
            }
            (Coverage::Run { .. } | Coverage::Class { .. }, _) => GrantPreference::Run,
            // A pin is no candidate.
            (Coverage::Everything | Coverage::Program(_), _) => GrantPreference::Everything,
        }
    }

    /// The highest risk that a grant of this kind covers, whatever risk the operator saw.
    pub fn ceiling(&self) -> Risk {
        let derived = matches!(self.source, Source::Plan | Source::Import | Source::Run);
        match (&self.coverage, self.scope) {
            (Coverage::Digest { .. }, Scope::Once) => Risk::Critical,
            (Coverage::Program(_), _) => Risk::ReadOnly,
            (
                Coverage::Run { .. }
                | Coverage::Class { .. }
                | Coverage::Everything
                | Coverage::Step { .. },
                _,
            )
            | (_, Scope::Run) => Risk::Moderate,
            _ if derived => Risk::Moderate,
            (_, Scope::Project) => match self.confirmation {
                Confirmation::Confirmed => Risk::High,
                Confirmation::Plain => Risk::Moderate,
            },
            (
                Coverage::Digest { .. }
                | Coverage::Command { .. }
                | Coverage::Head { .. }
                | Coverage::Action(_)
                | Coverage::Category(_),
                Scope::Once | Scope::Until | Scope::Session,
            ) => Risk::High,
        }
    }

    /// What it covers in words, and where.
    pub fn describe_coverage(&self) -> String {
        let bounds: Vec<String> = self.within.iter().flatten().map(ToString::to_string).collect();
        match bounds.is_empty() {
            true => self.coverage.to_string(),
            false => format!("{} {}", self.coverage, bounds.join(" and ")),
        }
    }

    pub fn covers_risk(&self, risk: Risk) -> bool {
        risk <= self.shown.min(self.ceiling())
    }

    /// Whether it is a command that the operator granted in words, not by an answer to a request.
    pub fn is_standing_command(&self) -> bool {
        self.source == Source::Standing && matches!(self.coverage, Coverage::Command { .. })
    }

    /// An imported grant of everything. The ledger records the first use by each action.
    pub fn is_legacy_blanket(&self) -> bool {
        self.source == Source::Import && self.coverage == Coverage::Everything
    }

    /// Consent for one task (the choice *this task*), whatever it covers.
    pub fn is_for_task(&self) -> bool {
        self.source == Source::Category
    }

    pub fn is_over(&self, now: Time) -> bool {
        self.ends_at.is_some_and(|end| end <= now)
    }

    pub fn is_program_pin(&self) -> bool {
        matches!(self.coverage, Coverage::Program(_))
    }

    /// Whether it pins a program now.
    pub fn is_usable_pin(&self, now: Time) -> bool {
        self.is_program_pin() && self.state == GrantState::Live && !self.is_over(now)
    }

    /// Live, reserved or released: no change has ended it yet. Its end may have passed.
    pub fn is_held(&self) -> bool {
        match self.state {
            GrantState::Live | GrantState::Released { .. } | GrantState::Reserved { .. } => true,
            GrantState::Spent | GrantState::Ended | GrantState::Revoked => false,
        }
    }

    /// Spent or revoked, as opposed to ended by time.
    pub fn is_used_or_revoked(&self) -> bool {
        matches!(self.state, GrantState::Spent | GrantState::Revoked)
    }

    /// Live, reserved or released, and its end has not passed. Lists of grants show these.
    pub fn in_force(&self, now: Time) -> bool {
        match self.state {
            GrantState::Live | GrantState::Released { .. } => !self.is_over(now),
            // A grant in use does not end by time.
            GrantState::Reserved { .. } => true,
            GrantState::Spent | GrantState::Ended | GrantState::Revoked => false,
        }
    }
}

impl Coverage {
    pub fn kind(&self) -> CoverageKind {
        match self {
            Self::Digest { .. } => CoverageKind::Digest,
            Self::Command { .. } => CoverageKind::Command,
            Self::Head { .. } => CoverageKind::Head,
            Self::Action(_) => CoverageKind::Action,
            Self::Category(_) => CoverageKind::Category,
            Self::Run { .. } => CoverageKind::Run,
            Self::Class { .. } => CoverageKind::Class,
            Self::Everything => CoverageKind::Everything,
            Self::Step { .. } => CoverageKind::Step,
            Self::Program(_) => CoverageKind::Program,
        }
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Digest { digest, action } => write!(f, "{action} ({})", digest.short()),
            Self::Command { argv, .. } => write!(f, "command `{}`", render_argv(argv)),
            Self::Head { words, .. } => write!(f, "any `{} …`", render_argv(words)),
            Self::Action(action) => write!(f, "action {action}"),
            Self::Category(category) => write!(f, "category {category}"),
            Self::Run { run, .. } => write!(f, "run {run}"),
            Self::Class { workflow, .. } => write!(f, "starts of workflow {workflow}"),
            Self::Everything => f.write_str("everything"),
            Self::Step { action, .. } => write!(f, "plan step {action}"),
            Self::Program(program) => {
                write!(f, "program {} ({})", program.path, program.short_hash())
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot be set up should fall over")]
mod tests {
    use super::*;
    use crate::model::ids::IdGenerator;

    fn grant(scope: Scope, source: Source) -> Grant {
        let now = Time::from_micros(0);
        let session = SessionKey::parse("agent-1 s1").unwrap();
        Grant {
            id: GrantId::generate(&IdGenerator::new(now, 1)),
            owner: Owner::Session(session.clone()),
            made_in: session,
            agent: Agent::parse("agent-1").unwrap(),
            coverage: Coverage::Action(Action::parse("files.write").unwrap()),
            scope,
            source,
            shown: Risk::Critical,
            places: Vec::new(),
            within: None,
            confirmation: Confirmation::Confirmed,
            granted_at: now,
            granted_turn: 0,
            ends_at: None,
            reviewed_at: now,
            run: None,
            request: None,
            asked: None,
            uses: 0,
            used: None,
            first_uses: Vec::new(),
            state: GrantState::Live,
        }
    }

    #[test]
    fn derived_grants_cover_at_most_moderate_risk_in_every_scope() {
        for scope in [Scope::Once, Scope::Session, Scope::Project] {
            assert_eq!(grant(scope, Source::Answer).ceiling(), Risk::High);
            for source in [Source::Plan, Source::Import, Source::Run] {
                assert_eq!(grant(scope, source).ceiling(), Risk::Moderate);
            }
        }
    }
}
