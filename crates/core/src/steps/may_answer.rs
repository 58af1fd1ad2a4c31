//! Who may answer what, where: the one rule for every place that takes answers.
//!
//! A place asks it twice: before it shows itself as a place to answer, with the strongest proof that
//! it can bring, and through `settle` when an answer arrives. It does not look at the choices that an item
//! offers. `tests/it/may_answer.rs` prints the rule as a table.
//!
//! See docs/decisions/0088-one-rule-for-answering.md.

use crate::model::answering::{AnswerProof, ShownExtent, SurfaceKind};
use crate::model::ids::RequestId;
use crate::model::words::{Assurance, Choice, Covers, Risk};

/// All that the rule looks at, besides the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerConditions {
    pub surface: SurfaceKind,
    pub assurance: Assurance,
    pub risk: Risk,
    pub shown: ShownExtent,
    pub proof: AnswerProof,
    /// What a yes for some time to a command line would cover, if the answer names it.
    pub covers: Option<Covers>,
}

/// Why an answer does not count. The question stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum AnswerNotCounted {
    #[error("an agent cannot answer")]
    FromAgent,
    #[error("the answer refers to another version of the card")]
    OtherVersion,
    #[error("agents run as other users, so the user of this program may not be the operator")]
    OtherUser,
    #[error("a client's dialog answers questions up to moderate risk only")]
    TooRiskyForDialog,
    #[error("the whole call was not shown here, so a yes does not count")]
    NotShown,
    #[error("this choice needs a second confirmation")]
    NeedsSecondYes,
    #[error("this is critical: what the card asks for has to be typed")]
    NeedsTypedText,
}

impl AnswerNotCounted {
    /// What the person can do so that an answer counts.
    pub fn remedy(self, request: RequestId) -> String {
        match self {
            Self::FromAgent | Self::OtherUser | Self::TooRiskyForDialog => {
                format!("the operator answers it: `countersign show {request}`")
            }
            Self::OtherVersion => "fetch the card again and answer what it shows now".to_owned(),
            Self::NotShown => format!(
                "`countersign show --full {request}` shows it, or `v` in `countersign watch`; \
                 then answer again"
            ),
            Self::NeedsSecondYes => "send `yes` as `confirm`, or choose less".to_owned(),
            Self::NeedsTypedText => {
                format!(
                    "answer in `countersign watch`, or send it as `confirm`: `countersign approve \
                     {request} --confirm TEXT`"
                )
            }
        }
    }
}

/// Whether an answer counts. A no counts from every place that reaches the operator.
pub fn check_answer(choice: Choice, given: &AnswerConditions) -> Result<(), AnswerNotCounted> {
    if !reaches_operator(given.surface) {
        return Err(AnswerNotCounted::FromAgent);
    }
    if given.shown == ShownExtent::OtherVersion {
        return Err(AnswerNotCounted::OtherVersion);
    }
    if choice == Choice::Decline {
        return Ok(());
    }
    check_surface(given)?;
    let needed = needed_proof(choice, given.covers, given.risk);
    let strongest = strongest_proof(given.surface, given.assurance);
    // Where nothing can be typed, showing the call would not help.
    if needed == AnswerProof::TypedText && strongest < needed {
        return Err(AnswerNotCounted::NeedsTypedText);
    }
    if given.shown < needed_extent(given.surface, given.risk) {
        return Err(AnswerNotCounted::NotShown);
    }
    match needed {
        needed if given.proof.min(strongest) >= needed => Ok(()),
        AnswerProof::TypedText => Err(AnswerNotCounted::NeedsTypedText),
        AnswerProof::SecondYes | AnswerProof::KeyPress => Err(AnswerNotCounted::NeedsSecondYes),
    }
}

/// Whether an answer from there is the operator's at all.
pub const fn reaches_operator(surface: SurfaceKind) -> bool {
    match surface {
        SurfaceKind::Operator
        | SurfaceKind::Conversation
        | SurfaceKind::ProgramPrompt
        | SurfaceKind::ClientDialog
        | SurfaceKind::Embedder => true,
        SurfaceKind::Agent => false,
    }
}

/// Whether this place takes a yes at this risk, whatever was shown and proven.
fn check_surface(given: &AnswerConditions) -> Result<(), AnswerNotCounted> {
    match (given.surface, given.assurance) {
        (SurfaceKind::Agent, _) => Err(AnswerNotCounted::FromAgent),
        (SurfaceKind::ProgramPrompt, Assurance::Separated) => Err(AnswerNotCounted::OtherUser),
        // A hook of the client can answer the dialog, and the agent may reach the hook.
        (SurfaceKind::ClientDialog, _) if given.risk > Risk::Moderate => {
            Err(AnswerNotCounted::TooRiskyForDialog)
        }
        (SurfaceKind::ProgramPrompt, Assurance::Shared)
        | (
            SurfaceKind::Operator
            | SurfaceKind::Conversation
            | SurfaceKind::ClientDialog
            | SurfaceKind::Embedder,
            Assurance::Shared | Assurance::Separated,
        ) => Ok(()),
    }
}

/// How much a place has to show before a yes. What another program draws cannot show the rest on
/// request, so it shows the whole call at any risk.
const fn needed_extent(surface: SurfaceKind, risk: Risk) -> ShownExtent {
    match (surface, risk) {
        (SurfaceKind::ProgramPrompt | SurfaceKind::ClientDialog, _)
        | (_, Risk::High | Risk::Critical) => ShownExtent::Whole,
        (
            SurfaceKind::Operator
            | SurfaceKind::Conversation
            | SurfaceKind::Embedder
            | SurfaceKind::Agent,
            Risk::ReadOnly | Risk::Low | Risk::Moderate,
        ) => ShownExtent::Part,
    }
}

/// The strongest proof that an answer from there can bring, whatever it claims. What another program
/// reports is no more than a key press, unless agents cannot reach the program: then what was typed in
/// the conversation is what the person typed.
pub const fn strongest_proof(surface: SurfaceKind, assurance: Assurance) -> AnswerProof {
    match (surface, assurance) {
        (SurfaceKind::Operator | SurfaceKind::Embedder, _)
        | (SurfaceKind::Conversation, Assurance::Separated) => AnswerProof::TypedText,
        (SurfaceKind::Conversation, Assurance::Shared)
        | (SurfaceKind::ProgramPrompt | SurfaceKind::ClientDialog | SurfaceKind::Agent, _) => {
            AnswerProof::KeyPress
        }
    }
}

/// The proof that a choice needs at a risk. Cards ask for it. A head for a whole project covers lines
/// that nobody has seen, for longer than anybody remembers.
pub const fn needed_proof(choice: Choice, covers: Option<Covers>, risk: Risk) -> AnswerProof {
    match (choice, risk) {
        (Choice::Decline, _) => AnswerProof::KeyPress,
        (_, Risk::Critical) => AnswerProof::TypedText,
        (Choice::Project, Risk::High) => AnswerProof::SecondYes,
        (Choice::Project, _) if matches!(covers, Some(Covers::Head)) => AnswerProof::SecondYes,
        (
            Choice::Once | Choice::Run | Choice::Quarter | Choice::Session | Choice::Project,
            Risk::ReadOnly | Risk::Low | Risk::Moderate | Risk::High,
        ) => AnswerProof::KeyPress,
    }
}
