//! A card as the daemon sends it, reduced to what an answer needs.

use countersign_api::CardView;
use countersign_card::{Card, CardItem, SecondConfirmation, escape_for_display};
use countersign_core::model::time::Time;
use countersign_core::model::words::Choice;

use crate::limits;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub request: String,
    pub digest: String,
    /// The card, one fact a line.
    pub lines: Vec<String>,
    pub agent: String,
    pub session: String,
    /// Who asks for what, in one line.
    pub announced: String,
    pub items: Vec<Item>,
    /// What has to be typed to say yes, where a word is not enough: what it is, and itself.
    pub confirm: Option<(String, String)>,
    pub opened_at: Option<Time>,
}

/// One thing that is asked, answered on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub action: String,
    pub offers: Vec<(Choice, Offered)>,
    /// What a plain yes means.
    pub yes: Choice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offered {
    Plainly,
    /// Only when it is confirmed a second time.
    Twice,
}

impl Question {
    /// None for a card without lines, agent or session: nothing is answered that cannot be shown.
    pub fn from_card(view: &CardView) -> Option<Self> {
        let CardView { card, lines } = view;
        let (agent, session) = (card.agent()?, card.session()?);
        let first = lines.first()?;
        let announced = format!("{agent} asks. {first}. {}.{}", card.headline, exact_line(card));
        let confirm = card.confirm.as_ref();
        Some(Self {
            request: card.request.to_string(),
            digest: card.digest.clone(),
            lines: lines.iter().map(|line| escape_for_display(line)).collect(),
            agent: agent.to_owned(),
            session: session.to_owned(),
            announced: escape_for_display(&announced),
            items: card.items.iter().map(Item::from).collect(),
            confirm: confirm.map(|confirm| (confirm.what.to_string(), confirm.typed.clone())),
            opened_at: Some(card.opened_at),
        })
    }

    /// The end of the id, by which it is named.
    pub fn short(&self) -> &str {
        short(&self.request)
    }
}

pub(crate) fn short(id: &str) -> &str {
    id.get(id.len().saturating_sub(6)..).unwrap_or(id)
}

impl From<&CardItem> for Item {
    fn from(item: &CardItem) -> Self {
        let offers = item.offers.iter().map(|offer| {
            let offered = match offer.second {
                SecondConfirmation::NotNeeded => Offered::Plainly,
                SecondConfirmation::Needed => Offered::Twice,
            };
            (offer.choice, offered)
        });
        Self { action: item.action.to_string(), offers: offers.collect(), yes: item.yes }
    }
}

/// The exact action as far as it fits into one line.
fn exact_line(card: &Card) -> String {
    let mut text = String::new();
    for line in card.exact.iter().flat_map(|fact| &fact.lines) {
        text.push(' ');
        text.push_str(line.display_text().as_str());
    }
    if text.is_empty() {
        return text;
    }
    let cut: String = text.chars().take(limits::ANNOUNCED).collect();
    let more = text.chars().count().saturating_sub(limits::ANNOUNCED);
    if more > 0 { format!("{cut} [{more} more characters].") } else { format!("{cut}.") }
}
