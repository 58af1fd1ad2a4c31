//! A question of the prompt: what it keeps of a card in order to show and answer it.

use crate::limits;
use countersign_api::CardView;
use countersign_card::{Card, CardItem, SecondConfirmation, TypedConfirmation, escape_for_display};
use countersign_core::model::time::Time;
use countersign_core::model::words::Choice;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptQuestion {
    pub request: String,
    pub digest: String,
    /// The card, one fact per line.
    pub lines: Vec<String>,
    pub agent: String,
    pub session: String,
    /// One line about who asks for what, shown while another question is active.
    pub announcement: String,
    pub items: Vec<QuestionItem>,
    pub confirm: Option<TypedConfirmation>,
    pub opened_at: Option<Time>,
}

/// One item of the request. Each item is answered separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionItem {
    pub action: String,
    pub offers: Vec<(Choice, SecondConfirmation)>,
    /// The choice that a plain yes stands for.
    pub yes: Choice,
}

impl PromptQuestion {
    /// None for a card without lines, agent or session: a card that cannot be shown must not be
    /// answered.
    pub fn from_card(view: &CardView) -> Option<Self> {
        let CardView { card, lines } = view;
        let (agent, session) = (card.agent()?, card.session()?);
        let first = lines.first()?;
        let announcement = format!("{agent} asks. {first}. {}.{}", card.headline, exact_line(card));
        Some(Self {
            request: card.request.to_string(),
            digest: card.digest.clone(),
            lines: lines.iter().map(|line| escape_for_display(line)).collect(),
            agent: agent.to_owned(),
            session: session.to_owned(),
            announcement: escape_for_display(&announcement),
            items: card.items.iter().map(QuestionItem::from).collect(),
            confirm: card.confirm.clone(),
            opened_at: Some(card.opened_at),
        })
    }

    pub fn short_id(&self) -> &str {
        short_id(&self.request)
    }
}

/// The last characters of an id, which messages show and replies can name.
pub(crate) fn short_id(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

impl From<&CardItem> for QuestionItem {
    fn from(item: &CardItem) -> Self {
        let offers = item.offers.iter().map(|offer| (offer.choice, offer.second));
        Self { action: item.action.to_string(), offers: offers.collect(), yes: item.yes }
    }
}

/// The exact action, shortened to fit into one line.
fn exact_line(card: &Card) -> String {
    let mut text = String::new();
    for line in card.exact.iter().flat_map(|field| &field.lines) {
        text.push(' ');
        text.push_str(line.display_text().as_str());
    }
    if text.is_empty() {
        return text;
    }
    let shortened: String = text.chars().take(limits::MAX_ANNOUNCED_CHARS).collect();
    match text.chars().count().saturating_sub(limits::MAX_ANNOUNCED_CHARS) {
        0 => format!("{shortened}."),
        more => format!("{shortened} [{more} more characters]."),
    }
}
