//! A request: a question to an operator, with items that are answered one by one.
//!
//! Requests about calls, ask-aheads and workflow starts differ only in their subject. Each item
//! lists its choices, and no other choice is accepted.

use crate::encoding::digest::Digest;
use crate::model::answering::{AnswerProof, ShownExtent, SurfaceKind};
use crate::model::call::Part;
use crate::model::category::Category;
use crate::model::danger::Danger;
use crate::model::grant::{Coverage, Scope};
use crate::model::ids::{CallId, GrantId, ProposalId, RequestId, RunId};
use crate::model::imported::ImportedGrant;
use crate::model::limits;
use crate::model::names::{Action, Agent, Project, SessionKey, SurfaceName, Workflow};
use crate::model::place::{ActionOrigin, Bound, CommandHead, PinnedProgram, Place, StandsForPlace};
use crate::model::run_file::ChangedRunFile;
use crate::model::time::{Span, Time};
use crate::model::words::{Choice, Covers, Ending, Reason, Risk};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub id: RequestId,
    pub session: SessionKey,
    pub agent: Agent,
    pub project: Option<Project>,
    pub subject: Subject,
    /// Identical calls that wait for this answer too, beyond those that the subject lists.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_calls: u64,
    /// The digest that an answer refers to. Every card shows it.
    pub digest: Digest,
    pub lasting: Digest,
    pub items: Vec<RequestItem>,
    /// The programs that the agent could replace, as the card shows them. A yes pins their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<PinnedProgram>,
    /// The files that have changed and decide what the line executes. A yes stores their content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_files: Vec<ChangedRunFile>,
    pub opened_at: Time,
    /// Exclusive: a yes at this instant is late.
    pub ends_at: Time,
    pub state: RequestState,
    /// The surfaces that have shown the whole call, the latest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_whole_on: Vec<SurfaceName>,
    /// The operator's words with the answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The grant that the answer to an ask-ahead minted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<GrantId>,
    /// The last declined question of the same category in this session, if this is an ask-ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declined_before: Option<RequestId>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// Calls with one digest that wait, the oldest first. The list is bounded, because an agent can
    /// send a call again and again.
    Calls(Vec<CallId>),
    Ahead(AskAhead),
    Start(Start),
    /// A standing command that an agent reports, or that is carried over from another session.
    Standing(Coverage),
    /// A slash command that, according to an agent, the operator typed.
    Slash(SlashAction),
    Proposal(ProposalId),
    /// A grant of an earlier system.
    Imported(Box<ImportedGrant>),
}

/// What an agent asks for ahead of its calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskAhead {
    pub text: String,
    pub category: Option<Category>,
    pub scope: Scope,
    pub reason: String,
    pub fallback: String,
}

/// One of the actions that the graph names for a slash command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlashAction {
    /// Without its slash.
    pub name: String,
    pub action: Action,
}

/// A run that waits for approval to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    pub run: RunId,
    pub workflow: Workflow,
    pub actions: Vec<Action>,
    pub attendance: Attendance,
}

/// Whether somebody attends a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Attendance {
    Attended,
    Headless,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestItem {
    /// The action as it was decided; none for an ask-ahead or a start.
    pub action: Option<Action>,
    pub part: Part,
    pub risk: Risk,
    pub reason: Reason,
    pub choices: Vec<Choice>,
    pub answer: Option<Choice>,
    /// None if nothing was found about its commands and paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Box<ItemBounds>>,
}

impl RequestItem {
    /// Whether another question was about the same kind of call: the same action, and the same heads
    /// where a line has heads.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        let heads = |item: &Self| -> Vec<Vec<String>> {
            let bounds = item.bounds.as_ref();
            let heads = bounds.map_or(&[][..], |bounds| &bounds.heads);
            heads.iter().map(|head| head.words.clone()).collect()
        };
        self.action == other.action && self.part == other.part && heads(self) == heads(other)
    }
}

/// What was found about the commands and paths of an item: a wider yes reaches no further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemBounds {
    pub origin: ActionOrigin,
    /// Places that the action itself does not stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    pub stands_for_place: StandsForPlace,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<Bound>,
    /// The heads that can be granted together; empty if they cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<CommandHead>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dangers: Vec<Danger>,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    Open,
    Closed(Ending),
}

/// An operator's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub say: AnswerChoices,
    pub note: String,
    pub proof: AnswerProof,
    /// How long a yes for some minutes lasts; none is a quarter of an hour.
    pub lasts: Option<Span>,
    /// How far a wider yes to a command line goes; none is the narrowest that is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Covers>,
    pub from: AnswerFrom,
}

impl Answer {
    /// Whether it says yes to something for the whole project.
    pub fn is_for_project(&self) -> bool {
        match &self.say {
            AnswerChoices::One(choice) => *choice == Choice::Project,
            AnswerChoices::Items(items) => items.values().any(|choice| *choice == Choice::Project),
        }
    }
}

/// Where an answer comes from. It decides whose showing of the call counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerFrom {
    /// A surface on the operator's plane: only what it has shown itself counts, and nothing if it does
    /// not say which one it is.
    Surface { name: Option<SurfaceName>, card: CardVersion },
    /// A turn of the conversation: what any surface has shown counts.
    Conversation,
    /// The own prompt of a coding agent's program: only what it has shown itself counts.
    ProgramPrompt(SurfaceName),
    /// A dialog of an MCP client: only what it has shown itself counts.
    ClientDialog(SurfaceName),
    /// The program that contains the engine.
    Embedder,
}

/// Whether an answer refers to the card as it is. It carries the digest of the card that was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardVersion {
    Current,
    Other,
}

impl AnswerFrom {
    pub const fn kind(&self) -> SurfaceKind {
        match self {
            Self::Surface { .. } => SurfaceKind::Operator,
            Self::Conversation => SurfaceKind::Conversation,
            Self::ProgramPrompt(_) => SurfaceKind::ProgramPrompt,
            Self::ClientDialog(_) => SurfaceKind::ClientDialog,
            Self::Embedder => SurfaceKind::Embedder,
        }
    }

    pub const fn surface(&self) -> Option<&SurfaceName> {
        match self {
            Self::Surface { name, .. } => name.as_ref(),
            Self::ProgramPrompt(name) | Self::ClientDialog(name) => Some(name),
            Self::Conversation | Self::Embedder => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerChoices {
    /// The choice for the only open item.
    One(Choice),
    Items(BTreeMap<Action, Choice>),
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Request {
    pub fn is_open(&self, now: Time) -> bool {
        self.state == RequestState::Open && now < self.ends_at
    }

    pub fn open_items(&self) -> impl Iterator<Item = &RequestItem> {
        self.items.iter().filter(|item| item.answer.is_none())
    }

    /// How much of the call the operator could see before this answer.
    pub fn shown_extent(&self, from: &AnswerFrom) -> ShownExtent {
        let is_whole = match from {
            AnswerFrom::Surface { card: CardVersion::Other, .. } => {
                return ShownExtent::OtherVersion;
            }
            AnswerFrom::Surface { .. }
            | AnswerFrom::ProgramPrompt(_)
            | AnswerFrom::ClientDialog(_) => {
                from.surface().is_some_and(|name| self.shown_whole_on.contains(name))
            }
            AnswerFrom::Conversation => !self.shown_whole_on.is_empty(),
            AnswerFrom::Embedder => true,
        };
        if is_whole { ShownExtent::Whole } else { ShownExtent::Part }
    }

    /// Whether a yes starts this run.
    pub fn starts(&self, run: RunId) -> bool {
        matches!(&self.subject, Subject::Start(start) if start.run == run)
    }

    pub fn is_proposal(&self) -> bool {
        matches!(self.subject, Subject::Proposal(_))
    }

    /// Whether it is about an imported grant. A turn in the conversation never answers it.
    pub fn is_imported(&self) -> bool {
        matches!(self.subject, Subject::Imported(_))
    }

    /// Whether it lists this call. `CallRecord::waits_for` also knows calls beyond the list.
    pub fn lists_call(&self, call: CallId) -> bool {
        matches!(&self.subject, Subject::Calls(calls) if calls.contains(&call))
    }

    /// The calls that it lists.
    pub fn calls(&self) -> &[CallId] {
        match &self.subject {
            Subject::Calls(calls) => calls,
            Subject::Ahead(_)
            | Subject::Start(_)
            | Subject::Standing(_)
            | Subject::Slash(_)
            | Subject::Proposal(_)
            | Subject::Imported(_) => &[],
        }
    }

    /// How many calls wait for the answer.
    pub fn count_calls(&self) -> u64 {
        self.calls().len() as u64 + self.more_calls
    }

    /// Adds a call that waits for the same answer. Beyond the bound, calls are only counted.
    pub(crate) fn add_call(&mut self, call: CallId) {
        let Subject::Calls(calls) = &mut self.subject else { return };
        if calls.len() < limits::CALLS_PER_REQUEST {
            calls.push(call);
        } else {
            self.more_calls = self.more_calls.saturating_add(1);
        }
    }

    /// Removes a call that does not wait any more. `next` takes its place in the list.
    pub(crate) fn remove_call(&mut self, call: CallId, next: Option<CallId>) {
        let Subject::Calls(calls) = &mut self.subject else { return };
        let listed = calls.len();
        calls.retain(|known| *known != call);
        if calls.len() == listed {
            self.more_calls = self.more_calls.saturating_sub(1);
        } else if let Some(next) = next {
            calls.push(next);
            self.more_calls = self.more_calls.saturating_sub(1);
        }
    }
}
