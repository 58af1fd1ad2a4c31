//! What all pages share: title, navigation, messages, and the words for times.

use crate::words;
use countersign_card::escape_for_display;
use countersign_core::model::time::Time;
use std::borrow::Borrow;

/// Makes the token of a form. A form of another origin does not know it.
pub trait FormTokens: Sync {
    fn token(&self, form: &str) -> String;
}

/// The frame around a page.
pub struct Frame<'a> {
    /// The path of the dashboard, with a `/` at its end.
    pub base: &'a str,
    pub page: PageName,
    /// What the page is about, if that is more than its name.
    pub subject: String,
    pub waiting: usize,
    pub notices: usize,
    pub is_everyone_paused: bool,
    pub forms: &'a dyn FormTokens,
    pub message: Option<SavedMessage>,
    pub now: Time,
    /// The position in the ledger that the page shows.
    pub position: u64,
}

/// What became of the last act of the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedMessage {
    pub kind: ActResult,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActResult {
    Done,
    /// Nothing was changed.
    Refused,
}

/// The pages of the navigation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageName {
    Now,
    Sessions,
    Record,
    Grants,
    Rules,
    Insights,
    Proposals,
    Notices,
    Agents,
    Status,
    Missing,
}

impl PageName {
    pub const LISTED: [Self; 10] = [
        Self::Now,
        Self::Sessions,
        Self::Record,
        Self::Grants,
        Self::Rules,
        Self::Insights,
        Self::Proposals,
        Self::Notices,
        Self::Agents,
        Self::Status,
    ];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Sessions => "Sessions",
            Self::Record => "Record",
            Self::Grants => "Grants",
            Self::Rules => "Rules",
            Self::Insights => "Insights",
            Self::Proposals => "Proposals",
            Self::Notices => "Notices",
            Self::Agents => "Agents",
            Self::Status => "Status",
            Self::Missing => "Not found",
        }
    }

    /// Below the path of the dashboard.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Now | Self::Missing => "",
            Self::Sessions => "sessions",
            Self::Record => "record",
            Self::Grants => "grants",
            Self::Rules => "rules",
            Self::Insights => "insights",
            Self::Proposals => "proposals",
            Self::Notices => "notices",
            Self::Agents => "agents",
            Self::Status => "status",
        }
    }
}

impl Frame<'_> {
    /// The title of the browser's tab begins with how much waits.
    pub fn title(&self) -> String {
        let name = self.page.title();
        let name = match self.subject.as_str() {
            "" => name.to_owned(),
            subject => format!("{} · {name}", escape_for_display(subject)),
        };
        match self.waiting {
            0 => format!("{name} · Countersign"),
            waiting => format!("({waiting}) {name} · Countersign"),
        }
    }

    pub fn pages(&self) -> [PageName; 10] {
        PageName::LISTED
    }

    pub fn is_current(&self, page: &PageName) -> bool {
        self.page == *page
    }

    pub fn icon(&self) -> &'static str {
        if self.waiting > 0 { "icon-waiting.svg" } else { "icon.svg" }
    }

    pub fn token(&self, form: &str) -> String {
        self.forms.token(form)
    }

    /// Text from elsewhere, with invisible characters made visible.
    pub fn show(&self, text: impl AsRef<str>) -> String {
        escape_for_display(text.as_ref())
    }

    /// The same for a text of several lines.
    pub fn show_block(&self, text: impl AsRef<str>) -> String {
        let lines = text.as_ref().lines().map(escape_for_display);
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn ago(&self, time: impl Borrow<Time>) -> String {
        words::describe_relative(self.now, *time.borrow())
    }

    pub fn instant(&self, time: impl Borrow<Time>) -> String {
        words::describe_instant(*time.borrow())
    }

    pub fn is_done(&self) -> bool {
        self.message.as_ref().is_some_and(|message| message.kind == ActResult::Done)
    }
}
