//! *Record*: what happened, one row for each call, and the page of one call.

use crate::card_panel::CardPanel;
use crate::frame::{Frame, PageName};
use crate::words;
use askama::Template;
use countersign_api::Timestamp;
use countersign_core::model::ids::CallId;
use countersign_core::model::words::Risk;

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowState {
    Allowed,
    Denied,
    Waiting,
    Declined,
    Expired,
    Cancelled,
    Failed,
}

impl RowState {
    pub const ALL: [Self; 7] = [
        Self::Allowed,
        Self::Denied,
        Self::Waiting,
        Self::Declined,
        Self::Expired,
        Self::Cancelled,
        Self::Failed,
    ];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Waiting => "waiting",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }

    pub const fn shape(self) -> &'static str {
        match self {
            Self::Allowed => "✓",
            Self::Denied => "⊘",
            Self::Waiting => "…",
            Self::Declined => "✕",
            Self::Expired => "⌛",
            Self::Cancelled => "–",
            Self::Failed => "!",
        }
    }
}

pub struct RecordRow {
    pub call: CallId,
    pub at: Timestamp,
    pub state: RowState,
    pub risk: Risk,
    pub what: String,
    pub agent: String,
    pub session: String,
    pub why: String,
    /// Whether the operator was asked.
    pub asked: bool,
}

impl RecordRow {
    fn risk_class(&self) -> &'static str {
        words::risk_class(self.risk)
    }

    fn risk_shape(&self) -> &'static str {
        words::risk_shape(self.risk)
    }
}

/// What the page is narrowed to, as the form sent it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordFilter {
    pub agent: String,
    pub session: String,
    pub state: String,
    pub risk: String,
    pub action: String,
    pub text: String,
    pub asked: bool,
}

impl RecordFilter {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// As the end of an address.
    fn query(&self) -> String {
        let encode = countersign_api::paths::percent_encode;
        let texts = [
            ("agent", &self.agent),
            ("session", &self.session),
            ("state", &self.state),
            ("risk", &self.risk),
            ("action", &self.action),
            ("text", &self.text),
        ];
        let mut query: Vec<String> = texts
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", encode(value)))
            .collect();
        if self.asked {
            query.push("asked=on".to_owned());
        }
        query.join("&")
    }
}

#[derive(Template)]
#[template(path = "record.html")]
pub struct RecordListPage<'a> {
    pub frame: &'a Frame<'a>,
    pub rows: Vec<RecordRow>,
    pub filter: RecordFilter,
    /// Which filter cannot be used, and why.
    pub problem: Option<String>,
    /// Where the older rows begin.
    pub older: Option<u64>,
    /// How many entries were looked through, and to which instant back.
    pub looked_at: usize,
    pub back_to: Option<Timestamp>,
    pub entries: u64,
    /// What a check of the whole chain found.
    pub verified: Option<String>,
}

impl RecordListPage<'_> {
    fn states(&self) -> [RowState; 7] {
        RowState::ALL
    }

    fn risks(&self) -> &'static [Risk] {
        Risk::ALL
    }

    fn risk_name(&self, row: &RecordRow) -> String {
        row.risk.word().replace('_', " ")
    }

    fn older_query(&self, older: &u64) -> String {
        match self.filter.query() {
            query if query.is_empty() => format!("before={older}"),
            query => format!("{query}&before={older}"),
        }
    }
}

/// One call: what became of it, why, and its card as it was shown.
#[derive(Template)]
#[template(path = "call.html")]
pub struct CallPage<'a> {
    pub frame: &'a Frame<'a>,
    pub row: RecordRow,
    /// Label and value, in reading order.
    pub facts: Vec<(String, String)>,
    /// One line for each action: outcome, reason, basis.
    pub verdicts: Vec<String>,
    /// What would have changed it.
    pub nearest: String,
    pub panels: Vec<CardPanel<'a>>,
}
