//! The state of a full screen: what is shown besides the questions, and the keys that move through it.
//!
//! None of these keys answers. A question is shown anew after each of them, so the rules for typed
//! answers are those of lines.
//!
//! See docs/decisions/0135-the-inbox-on-a-full-screen.md.

mod panels;
mod scroll;

use super::{ActiveQuestion, InputGate, Prompt, PromptTask};
use crate::key_reader::{Movement, TerminalKey};
use crate::layout::{DURATIONS, list_extents, offer_words};
use crate::limits;
use crate::parse::OperatorQuery;
use crate::question::PromptQuestion;
use countersign_card::escape_for_display;
use countersign_core::model::delivery::Evidence;
use panels::{PanelStep, panel_step};
use scroll::ScrollState;
pub use scroll::Viewport;
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct ScreenState {
    /// What the last line led to.
    replies: Vec<String>,
    messages: VecDeque<ScreenMessage>,
    panel: Option<Panel>,
    detail: CardDetail,
    card: ScrollState,
    /// All of the card was on the screen.
    is_card_seen: bool,
    rings: bool,
}

/// Something that happened elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScreenMessage {
    pub text: String,
    pub is_alert: bool,
}

/// Text that covers the card. Nothing can be answered while it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    pub title: String,
    pub lines: Vec<PanelLine>,
    kind: PanelKind,
    scroll: ScrollState,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PanelLine {
    Heading(String),
    Text(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PanelKind {
    Text,
    /// The whole call of this request, and whether all of it was on the screen.
    Whole {
        request: String,
        is_reported: bool,
    },
    /// What runs and what is allowed.
    Overview,
}

/// What a card shows in addition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CardDetail {
    #[default]
    None,
    Why,
    Offers,
}

/// Everything that a full screen shows.
pub struct ScreenView<'a> {
    /// The questions that wait, each with its short id.
    pub waiting: Vec<(&'a PromptQuestion, String)>,
    /// The index of the one that can be answered.
    pub selected: Option<usize>,
    /// What is shown beyond the card itself: why it was asked, or all its choices.
    pub detail: Vec<(String, String)>,
    /// An agent that asks too often.
    pub burst: Option<String>,
    pub message: Option<&'a ScreenMessage>,
    /// How many messages there are besides.
    pub more_messages: usize,
    pub replies: &'a [String],
    /// What can be typed as a yes to each item.
    pub choices: Vec<Vec<String>>,
    /// The index of the item that is asked about.
    pub item: usize,
    /// A second yes is asked for.
    pub is_confirming: bool,
    pub question: String,
    pub typed: &'a str,
    /// Whether keys count now.
    pub accepts_input: bool,
    /// Letters that only show something act at once.
    pub has_quick_keys: bool,
    pub panel: Option<&'a Panel>,
    /// The first row of the card or of the panel.
    pub first_row: usize,
    pub is_connected: bool,
}

impl Panel {
    /// Whether this is the second screen.
    pub fn is_overview(&self) -> bool {
        self.kind == PanelKind::Overview
    }
}

/// How much a message matters to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageUrgency {
    News,
    Alert,
}

impl Prompt {
    pub fn is_full_screen(&self) -> bool {
        self.screen.is_some()
    }

    /// What to draw. None if this prompt writes lines.
    pub fn screen_view(&self) -> Option<ScreenView<'_>> {
        let screen = self.screen.as_ref()?;
        let active = self.active.as_ref();
        let selected = active.and_then(|active| self.position(&active.request));
        let alert = screen.messages.iter().rev().find(|message| message.is_alert);
        let message = alert.or_else(|| screen.messages.back());
        Some(ScreenView {
            waiting: self.list_waiting(),
            selected,
            detail: self.describe_detail(screen.detail),
            burst: active.and_then(|active| self.describe_burst(&active.request)),
            message,
            more_messages: screen.messages.len().saturating_sub(1),
            replies: &screen.replies,
            choices: self.list_choices(),
            item: active.map_or(0, |active| active.choices.len()),
            is_confirming: self.is_confirming(),
            question: self.prompt_text().unwrap_or_default(),
            typed: self.line.text(),
            accepts_input: active.is_none_or(|active| active.gate == InputGate::Open),
            has_quick_keys: self.has_quick_keys(),
            panel: screen.panel.as_ref(),
            first_row: screen.panel.as_ref().map_or(screen.card.first, |panel| panel.scroll.first),
            is_connected: self.is_connected,
        })
    }

    fn list_waiting(&self) -> Vec<(&PromptQuestion, String)> {
        let mut waiting = Vec::new();
        for question in &self.questions {
            waiting.push((question, self.short_id(&question.request)));
        }
        waiting
    }

    /// What was drawn of the card, or of the panel that covers it.
    pub fn record_drawn(&mut self, drawn: Viewport) {
        let Some(screen) = &mut self.screen else { return };
        if let Some(panel) = &mut screen.panel {
            let is_seen = panel.scroll.record(drawn);
            if let PanelKind::Whole { request, is_reported } = &mut panel.kind
                && is_seen
                && !std::mem::replace(is_reported, true)
            {
                self.tasks.push(PromptTask::ReportWhole(request.clone()));
            }
            return;
        }
        let is_seen = screen.card.record(drawn);
        let is_news = is_seen && !std::mem::replace(&mut screen.is_card_seen, is_seen);
        if let Some(ActiveQuestion { request, .. }) = self.active.as_ref().filter(|_| is_news) {
            let request = request.clone();
            self.report_delivery(&request, Evidence::Requested);
        }
    }

    /// Whether the terminal should ring, once.
    pub fn take_bell(&mut self) -> bool {
        self.screen.as_mut().is_some_and(|screen| std::mem::take(&mut screen.rings))
    }

    pub(super) fn ring(&mut self) {
        match &mut self.screen {
            Some(screen) => screen.rings = true,
            None if (self.layout)().width().is_some() => self.output.push('\x07'),
            None => {}
        }
    }

    /// Whether a part of the card was not on the screen.
    pub(super) fn hides_card_rows(&self) -> bool {
        self.screen.as_ref().is_some_and(|screen| !screen.is_card_seen)
    }

    /// Starts the card from its first row.
    pub(super) fn restart_card(&mut self) {
        if let Some(screen) = &mut self.screen {
            (screen.card, screen.is_card_seen) = (ScrollState::default(), false);
        }
    }

    /// Another question has no details yet.
    pub(super) fn close_details(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.detail = CardDetail::None;
        }
    }

    pub(super) fn push_reply(&mut self, text: &str) {
        if let Some(screen) = &mut self.screen
            && screen.replies.len() < limits::MAX_REPLIES
        {
            screen.replies.push(escape_for_display(text));
        }
    }

    pub(super) fn push_message(&mut self, text: &str, kind: MessageUrgency) {
        let is_alert = kind == MessageUrgency::Alert;
        let Some(screen) = &mut self.screen else { return };
        if screen.messages.len() >= limits::MAX_MESSAGES {
            screen.messages.pop_front();
        }
        screen.messages.push_back(ScreenMessage { text: escape_for_display(text), is_alert });
        screen.rings |= is_alert;
    }

    pub(super) fn clear_replies(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.replies.clear();
        }
    }

    /// Replies that do not fit below the card get a panel.
    pub(super) fn unfold_replies(&mut self) {
        let Some(screen) = &mut self.screen else { return };
        if screen.replies.len() > limits::MAX_REPLY_ROWS {
            let lines = std::mem::take(&mut screen.replies);
            self.open_panel("", lines.into_iter().map(PanelLine::Text).collect(), PanelKind::Text);
        }
    }

    /// Handles a key that answers nothing. Returns false for a key of a line.
    pub(super) fn handle_screen_key(&mut self, key: TerminalKey) -> bool {
        let Some(screen) = &mut self.screen else { return false };
        if let Some(panel) = &mut screen.panel {
            match panel_step(key) {
                PanelStep::Scroll(movement) => panel.scroll.scroll(movement),
                PanelStep::Close => self.close_panel(),
                PanelStep::Nothing => {}
            }
            return true;
        }
        match key {
            TerminalKey::Move(Movement::Up) => self.select_neighbour(-1),
            TerminalKey::Move(Movement::Down) => self.select_neighbour(1),
            TerminalKey::Move(Movement::NextScreen) => self.tasks.push(PromptTask::FetchOverview),
            TerminalKey::Move(movement) => {
                screen.card.scroll(movement);
                // Other rows are on the screen now.
                self.discard_line();
                self.close_gate();
            }
            TerminalKey::Escape => {
                screen.replies.clear();
                self.hide_detail();
            }
            _ => return false,
        }
        true
    }

    /// Handles a letter that only shows something. It has to be admitted like any other key.
    pub(super) fn handle_quick_key(&mut self, c: char) -> bool {
        if self.line.is_started() || self.is_line_cut || !self.has_quick_keys() {
            return false;
        }
        let query = match c {
            'w' => OperatorQuery::Why,
            'e' => OperatorQuery::Coverage,
            'v' => OperatorQuery::Whole,
            '?' => OperatorQuery::Help,
            _ => return false,
        };
        self.clear_replies();
        match self.active.as_ref().map(|active| active.request.clone()) {
            Some(request) => self.answer_query(&request, query),
            None if query == OperatorQuery::Help => self.show_help(),
            None => return false,
        }
        true
    }

    /// Where text has to be typed, every letter is part of it.
    fn has_quick_keys(&self) -> bool {
        let Some(active) = &self.active else { return self.is_full_screen() };
        let asks_for_text =
            self.find_question(&active.request).is_some_and(|q| q.view.card.confirm.is_some());
        self.is_full_screen() && !asks_for_text && !active.is_confirming
    }

    fn select_neighbour(&mut self, step: isize) {
        let Some(active) = &self.active else { return };
        let Some(index) = self.position(&active.request) else { return };
        let last = self.questions.len().saturating_sub(1);
        let index = index.saturating_add_signed(step).min(last);
        let request = self.questions.get(index).map(|question| question.request.clone());
        if request.as_ref() != Some(&active.request) {
            self.clear_replies();
            self.activate(request);
        }
    }

    /// Selects the next question that contains the text.
    pub(super) fn search(&mut self, text: &str) {
        let text = text.to_lowercase();
        let start = self.active.as_ref().and_then(|active| self.position(&active.request));
        let start = start.map_or(0, |index| index + 1);
        let matches = |question: &&PromptQuestion| {
            let (headline, said) = (&question.view.card.headline, &question.announcement);
            [headline.as_str(), said].iter().any(|said| said.to_lowercase().contains(&text))
                || question.request.starts_with(&text)
        };
        let (before, after) = self.questions.split_at(start.min(self.questions.len()));
        let found = after.iter().chain(before).find(matches);
        match found.map(|question| question.request.clone()) {
            Some(request) => self.activate(Some(request)),
            None => self.reject_line(&format!("nothing that waits contains `{text}`")),
        }
    }

    /// Shows a detail of the card, or hides it again. The card is another one then.
    pub(super) fn toggle_detail(&mut self, detail: CardDetail) {
        if let Some(screen) = &mut self.screen {
            screen.detail = if screen.detail == detail { CardDetail::None } else { detail };
            self.show_active();
        }
    }

    fn hide_detail(&mut self) {
        self.toggle_detail(CardDetail::None);
    }

    fn describe_detail(&self, detail: CardDetail) -> Vec<(String, String)> {
        let request = self.active.as_ref().map(|active| active.request.as_str());
        let Some(question) = request.and_then(|request| self.find_question(request)) else {
            return Vec::new();
        };
        let card = &question.view.card;
        match detail {
            CardDetail::None => Vec::new(),
            CardDetail::Why => {
                card.why.iter().map(|why| ("asked because".to_owned(), why.to_string())).collect()
            }
            CardDetail::Offers => {
                let mut rows: Vec<_> = card.items.iter().flat_map(list_extents).collect();
                rows.push(("how long".to_owned(), DURATIONS.to_owned()));
                rows
            }
        }
    }

    /// A window of another size shows another card.
    pub fn handle_resize(&mut self) {
        if self.screen.is_some() {
            self.show_active();
        }
    }

    /// The choices of each item, for the line of keys.
    fn list_choices(&self) -> Vec<Vec<String>> {
        let request = self.active.as_ref().map(|active| active.request.as_str());
        let question = request.and_then(|request| self.find_question(request));
        question.map_or_else(Vec::new, |found| found.items().iter().map(offer_words).collect())
    }
}
