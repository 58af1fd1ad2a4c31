//! The programs of a command line that the agent could replace. A yes pins their content.

use crate::CardContext;
use crate::limits;
use crate::text::{DisplayText, LeftOut};
use countersign_core::model::place::PinnedProgram;
use countersign_core::model::request::Request;
use countersign_core::steps::settle::{PinOwner, pin_owner};
use serde::{Deserialize, Serialize};

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardProgram {
    pub path: DisplayText,
    /// The first and last six digits of the SHA-256 of its content; none if the content cannot be
    /// read, so that no yes pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    pub presence: ProgramPresence,
    pub pinned_for: PinnedFor,
}

/// Whether there is a program of this name.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramPresence {
    Found,
    /// The daemon's search path holds none.
    Absent,
}

/// Where a yes pins the content of a program.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PinnedFor {
    /// Every project of the user of this machine.
    User,
    /// The program lies in the workspace.
    Project,
    Session,
    /// The content cannot be read.
    Nothing,
}

impl CardProgram {
    fn new(context: CardContext<'_>, request: &Request, program: &PinnedProgram) -> Self {
        let is_readable = !program.hash.is_empty();
        let pinned_for = match pin_owner(context.state, request, program) {
            _ if !is_readable => PinnedFor::Nothing,
            PinOwner::User => PinnedFor::User,
            PinOwner::Project => PinnedFor::Project,
            PinOwner::Session => PinnedFor::Session,
        };
        Self {
            path: DisplayText::from_untrusted(&program.path),
            sha256: (is_readable && !program.is_absent()).then(|| program.short_hash()),
            presence: match program.is_absent() {
                true => ProgramPresence::Absent,
                false => ProgramPresence::Found,
            },
            pinned_for,
        }
    }

    /// The program in one sentence. `path` is how the surface writes its path.
    pub fn describe(&self, path: &str) -> String {
        if self.presence == ProgramPresence::Absent {
            let holds = match self.pinned_for {
                PinnedFor::User => "in all your projects",
                PinnedFor::Project => "for the project",
                PinnedFor::Session | PinnedFor::Nothing => "for the session",
            };
            return format!(
                "{path}, which was not found on this machine; a yes holds {holds}, until there is one"
            );
        }
        let pinned = match self.pinned_for {
            PinnedFor::User => "a yes pins this content for all your projects",
            PinnedFor::Project => "a yes pins this content for the project",
            PinnedFor::Session => "a yes pins this content for the session",
            PinnedFor::Nothing => "a yes is for this call only",
        };
        match &self.sha256 {
            Some(hash) => {
                format!("{path} (sha256 {hash}), which the agent could replace; {pinned}")
            }
            None => format!("{path}, which the agent could replace and nobody can read; {pinned}"),
        }
    }
}

/// The programs of a request that a card shows, and how many it leaves out.
pub(crate) fn list_programs(
    context: CardContext<'_>,
    request: &Request,
) -> (Vec<CardProgram>, LeftOut) {
    let programs = request.programs.iter().take(limits::MAX_PROGRAMS);
    let shown = programs.map(|program| CardProgram::new(context, request, program)).collect();
    let more = request.programs.len().saturating_sub(limits::MAX_PROGRAMS);
    (shown, LeftOut { lines: more, characters: 0 })
}
