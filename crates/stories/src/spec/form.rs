//! The form of a key's value, and the word lists that a value may be taken from.

use countersign_core::model::delivery::{Evidence, Extent};
use countersign_core::model::turn::{Speaker, TurnResult};
use countersign_core::model::words::{Choice, Covers, Effect, Presence, Reason, Risk, Surface};
use countersign_core::steps::sweep::Swept;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

/// The form of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    Text,
    /// A name that this step or an earlier one defines.
    Name,
    TextOrList,
    TextList,
    Flag,
    /// `true`, and nothing else.
    OnlyTrue,
    Number,
    Count,
    /// `16m`, `2h`: a number with `s`, `m`, `h` or `d`.
    Span,
    Word(WordList),
    /// Any JSON value.
    Any,
    /// `{action: choice}`.
    Answers,
    /// One list of actions per request.
    Cards,
    /// `{command|action|category|everything: …}`.
    Coverage,
    /// A name, `{command|action|workflow: …}` or `all`.
    RevokeTarget,
    /// `[domain, action, confidence]`.
    TierQuery,
    Graph,
    /// `{before, after}`.
    Diff,
}

impl Form {
    /// `text`, or `word:risks` for one of the risks.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name.strip_prefix("word:") {
            Some(list) => {
                WordList::deserialize(StrDeserializer::<Error>::new(list)).ok().map(Self::Word)
            }
            None => Self::deserialize(StrDeserializer::<Error>::new(name)).ok(),
        }
    }
}

/// Closed lists of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WordList {
    Outcomes,
    AnswerResults,
    StepResults,
    LoadResults,
    Reasons,
    Risks,
    Effects,
    Choices,
    Covers,
    Initiators,
    Channels,
    AheadScopes,
    GrantScopes,
    GrantedScopes,
    RunEndings,
    Presences,
    Surfaces,
    PauseTargets,
    PrintedTiers,
    ReconcileResults,
    SayResults,
    Speakers,
    Evidence,
    Extents,
}

impl WordList {
    pub(crate) fn words(self) -> Vec<&'static str> {
        match self {
            Self::Outcomes => vec!["allow", "notify", "ask", "deny"],
            Self::AnswerResults => vec!["accepted", "already_answered", "late", "refused"],
            Self::StepResults => vec!["done", "refused"],
            Self::LoadResults => vec!["loaded", "refused"],
            Self::Reasons => Reason::ALL.iter().map(|reason| reason.word()).collect(),
            Self::Risks => Risk::INPUT.to_vec(),
            Self::Effects => {
                Effect::ALL.iter().map(|effect| effect.word()).chain(["hold"]).collect()
            }
            Self::Choices => Choice::ALL.iter().map(|choice| choice.word()).collect(),
            Self::Covers => Covers::ALL.iter().map(|covers| covers.word()).collect(),
            Self::Initiators => vec!["agent", "operator", "schedule"],
            Self::Channels => vec!["trusted"],
            Self::AheadScopes => vec!["this_call", "this_session", "persistent"],
            Self::GrantScopes => vec!["once", "15m", "session", "project"],
            Self::GrantedScopes => vec!["once", "15m", "run", "session", "project"],
            Self::RunEndings => vec!["completed", "cancelled"],
            Self::Presences => Presence::ALL.iter().map(|presence| presence.word()).collect(),
            Self::Surfaces => Surface::ALL.iter().map(|surface| surface.word()).collect(),
            Self::PauseTargets => vec!["agent"],
            Self::ReconcileResults => Swept::ALL.iter().map(|swept| swept.word()).collect(),
            Self::SayResults => TurnResult::ALL.iter().map(|heard| heard.word()).collect(),
            Self::Speakers => Speaker::ALL.iter().map(|speaker| speaker.word()).collect(),
            Self::Evidence => Evidence::ALL.iter().map(|evidence| evidence.word()).collect(),
            Self::Extents => Extent::ALL.iter().map(|extent| extent.word()).collect(),
            Self::PrintedTiers => vec!["SILENT", "VISIBLE", "FORCED", "BLOCKED"],
        }
    }
}
