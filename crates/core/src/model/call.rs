//! A call: one concrete attempt, and the digest that stands for it.
//!
//! A `CallDraft` is the call as submitted. A `Call` is the draft after the graph's tool mappings and
//! the session's project were applied. What the agent claims and what our side observed are separate
//! fields, because claims may only make a decision stricter.

mod malformed;

pub use malformed::Malformed;

use crate::encoding::canonical::{FieldWriter, digest_of_parts};
use crate::encoding::digest::Digest;
use crate::encoding::json::deserialize_value;
use crate::model::category::Category;
use crate::model::command::{Command, CommandAnalysis};
use crate::model::ids::{CallId, GestureId, RunId};
use crate::model::limits;
use crate::model::names::{Action, Agent, Project, SessionKey, StepName, Tool};
use crate::model::narrowed::NarrowingSupport;
use crate::model::session_place::SessionFolders;
use crate::model::words::{Channel, Detector, Initiator, Risk, Undo};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A call as submitted, before the graph and the session are applied.
#[derive(Clone, Debug)]
pub struct CallDraft {
    pub agent: Agent,
    pub session: SessionKey,
    pub project: Option<Project>,
    pub actions: Vec<Action>,
    pub declares: Vec<Action>,
    pub tool: Option<Tool>,
    pub args: Value,
    pub target: Vec<String>,
    /// The files that patches in the arguments change, by the pointer to each patch. The core does
    /// not read patches: the crate `commands` does.
    pub patched_files: BTreeMap<String, Vec<String>>,
    pub command: Option<CommandAnalysis>,
    /// The working directory, if our side observed it.
    pub cwd: Option<String>,
    /// Folders for temporary files of the session, if an adapter reported some.
    pub scratch: Vec<String>,
    pub run: Option<RunId>,
    pub step: Option<StepName>,
    pub claims: Claims,
    pub observed: ObservedFacts,
    pub parking: Parking,
    /// Whether the one who executes the call runs a narrowed form of it.
    pub narrowing: NarrowingSupport,
}

/// What the agent says about its call. It can only make the decision stricter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claims {
    pub categories: Vec<Category>,
    pub risk: Option<Risk>,
    pub undo: Option<Undo>,
    pub confidence: f64,
    pub reason: String,
    pub fallback: String,
}

/// What our library, gateway or adapter observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObservedFacts {
    pub categories: Vec<Category>,
    pub parent: Option<CallId>,
    /// Actions and tools that were running around the call.
    pub callers: Vec<String>,
    pub initiator: Initiator,
    pub gesture: Option<GestureId>,
    pub channel: Channel,
    pub definition: Definition,
    /// SHA-256 of the tool's definition now, in hexadecimal, if somebody read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<String>,
}

/// Whether a tool's definition is still the one that was first approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Definition {
    AsPinned,
    Changed(DefinitionChange),
}

/// What differs between two definitions of a tool. Both texts are empty if only the fact is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefinitionChange {
    pub before: String,
    pub after: String,
}

/// What happens to a call that asks while no operator can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parking {
    #[default]
    Refused,
    Allowed,
}

impl Parking {
    fn is_refused(&self) -> bool {
        *self == Self::Refused
    }
}

/// One call, ready to be decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub id: CallId,
    pub agent: Agent,
    pub session: SessionKey,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Project>,
    /// Those of its session.
    #[serde(default, skip_serializing_if = "SessionFolders::is_empty")]
    pub folders: SessionFolders,
    pub actions: Vec<Action>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declares: Vec<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    #[serde(deserialize_with = "deserialize_value")]
    pub args: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Command>,
    /// The working directory, if our side observed it. Relative paths start there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detectors: Vec<Detector>,
    /// Categories from the tool mapping or observed by our side.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Category>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Undo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepName>,
    #[serde(default = "Claims::none", skip_serializing_if = "Claims::is_none")]
    pub claims: Claims,
    #[serde(default = "ObservedFacts::nothing", skip_serializing_if = "ObservedFacts::is_nothing")]
    pub observed: ObservedFacts,
    #[serde(default, skip_serializing_if = "Parking::is_refused")]
    pub parking: Parking,
    #[serde(default, skip_serializing_if = "NarrowingSupport::is_none")]
    pub narrowing: NarrowingSupport,
    #[serde(default, skip_serializing_if = "Words::are_kept")]
    pub words: Words,
    pub digest: Digest,
    /// The digest without the session. A decline applies to it.
    pub lasting: Digest,
}

/// Whether a call still has its arguments and texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Words {
    #[default]
    Kept,
    /// The operator erased them after the call was over. It cannot be retried.
    Erased,
}

impl Words {
    fn are_kept(&self) -> bool {
        *self == Self::Kept
    }
}

impl Claims {
    fn is_none(&self) -> bool {
        *self == Self::none()
    }

    /// No claims.
    pub fn none() -> Self {
        Self {
            categories: Vec::new(),
            risk: None,
            undo: None,
            confidence: 0.0,
            reason: String::new(),
            fallback: String::new(),
        }
    }
}

impl ObservedFacts {
    fn is_nothing(&self) -> bool {
        *self == Self::nothing()
    }

    /// Nothing observed: a call by the agent itself, over an untrusted channel.
    pub fn nothing() -> Self {
        Self {
            categories: Vec::new(),
            parent: None,
            callers: Vec::new(),
            initiator: Initiator::Agent,
            gesture: None,
            channel: Channel::Untrusted,
            definition: Definition::AsPinned,
            definition_hash: None,
        }
    }
}

impl CallDraft {
    /// A call of one action, without claims or observations.
    pub fn plain(agent: Agent, session: SessionKey, action: Action) -> Self {
        Self {
            agent,
            session,
            project: None,
            actions: vec![action],
            declares: Vec::new(),
            tool: None,
            args: json!({}),
            target: Vec::new(),
            patched_files: BTreeMap::new(),
            command: None,
            cwd: None,
            scratch: Vec::new(),
            run: None,
            step: None,
            claims: Claims::none(),
            observed: ObservedFacts::nothing(),
            parking: Parking::Refused,
            narrowing: NarrowingSupport::None,
        }
    }

    /// Checks the bounds that do not depend on the graph.
    pub(crate) fn check_bounds(&self) -> Result<(), Malformed> {
        if self.actions.is_empty() {
            return Err(Malformed::NoAction);
        }
        if self.actions.len() + self.declares.len() > limits::ACTIONS_PER_CALL {
            return Err(Malformed::TooManyActions);
        }
        if !(0.0..=1.0).contains(&self.claims.confidence) {
            return Err(Malformed::Confidence);
        }
        let words = self.claims.reason.len().max(self.claims.fallback.len());
        if words > limits::CLAIM_BYTES {
            return Err(Malformed::TooManyWords);
        }
        Ok(())
    }
}

impl Call {
    /// The actions that the call performs, then those that it only declares, each once.
    pub fn parts(&self) -> impl Iterator<Item = (&Action, Part)> {
        let declared = self.declares.iter().filter(|action| !self.actions.contains(action));
        let named = self.actions.iter().map(|action| (action, Part::Named));
        named.chain(declared.map(|action| (action, Part::Declared)))
    }

    /// The folder in which its session works.
    pub fn workspace(&self) -> Option<&str> {
        self.folders.workspace.as_ref().or(self.project.as_ref()).map(Project::as_str)
    }

    /// The folder of its command, as a grant of its project names it.
    pub fn folder_in_project(&self) -> Option<String> {
        let folder = self.command.as_ref().and_then(Command::cwd)?;
        self.folders.name_in_project(self.project.as_ref()?, folder)
    }

    /// What the call acts on: the command that it runs, or else the targets that it names.
    pub fn acts_on(&self) -> CallTarget {
        match &self.command {
            Some(command) => CallTarget::Command(command.clone()),
            None => CallTarget::Named(self.named_targets().to_vec()),
        }
    }

    /// The targets of the call, or if it names none, its recipients.
    pub fn named_targets(&self) -> &[String] {
        if self.target.is_empty() { &self.recipients } else { &self.target }
    }

    /// Removes everything personal: arguments, targets and texts.
    pub(crate) fn erase_content(&mut self) {
        self.words = Words::Erased;
        self.args = Value::Null;
        self.target.clear();
        self.recipients.clear();
        self.command = None;
        self.cwd = None;
        self.folders = SessionFolders::default();
        self.claims.reason.clear();
        self.claims.fallback.clear();
    }

    /// The digest of the call, and the one without its session.
    pub fn digests(&self) -> Result<(Digest, Digest), Malformed> {
        let mut categories: Vec<&str> =
            self.given.iter().chain(&self.claims.categories).map(Category::as_str).collect();
        categories.sort_unstable();
        categories.dedup();
        let command = self.command.as_ref().map(|command| json!(command));
        // In the order of their names. The session is a part of its own, to leave it out below.
        let mut before = FieldWriter::start_object("actions");
        before.texts(self.actions.iter().map(Action::as_str));
        before.field("agent").text(self.agent.as_str());
        before.field("args").value(&self.args)?;
        before.field("categories").texts(categories.into_iter());
        before.field("command").value(command.as_ref().unwrap_or(&Value::Null))?;
        // A command already contains its working directory. For other calls it belongs to the
        // digest as well.
        if let (None, Some(cwd)) = (&self.command, &self.cwd) {
            before.field("cwd").text(cwd);
        }
        before.field("declares").texts(self.declares.iter().map(Action::as_str));
        before.field("project").text_or_null(self.project.as_ref().map(Project::as_str));
        before.field("risk").text_or_null(self.claims.risk.map(Risk::word));
        let mut session = FieldWriter::continue_object("session");
        session.text(self.session.name());
        let mut after = FieldWriter::continue_object("target");
        after.texts(self.target.iter().map(String::as_str));
        after.field("tool").text_or_null(self.tool.as_ref().map(Tool::as_str));
        let (before, session, after) =
            (before.into_part(), session.into_part(), after.into_last_part());
        let lasting = digest_of_parts("countersign/call-in-any-session/v1", &[&before, &after])?;
        Ok((digest_of_parts("countersign/call/v1", &[&before, &session, &after])?, lasting))
    }
}

/// What a call acts on, as declines and failures compare it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallTarget {
    /// The command that the call runs, with its working directory.
    Command(Command),
    /// The targets that the call names, or its recipients. No target is the same as no target.
    Named(Vec<String>),
}

impl CallTarget {
    /// Whether the call acts on this.
    pub fn is_of(&self, call: &Call) -> bool {
        match (self, &call.command) {
            (Self::Command(own), Some(command)) => own == command,
            (Self::Named(own), None) => *own == call.named_targets(),
            (Self::Command(_), None) | (Self::Named(_), Some(_)) => false,
        }
    }
}

/// How an action belongs to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The call performs it.
    Named,
    /// The call declares that it may trigger it.
    Declared,
}
