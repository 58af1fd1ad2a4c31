//! A question of the prompt: what it keeps of a card in order to show and answer it.

use crate::layout::cut_to_width;
use crate::limits;
use countersign_api::CardView;
use countersign_card::{Card, CardItem, CardKind, escape_for_display};

#[derive(Clone, Debug, PartialEq)]
pub struct PromptQuestion {
    pub request: String,
    pub agent: String,
    pub session: String,
    /// One line about who asks for what, shown while another question is active.
    pub announcement: String,
    pub view: CardView,
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
            agent: agent.to_owned(),
            session: session.to_owned(),
            announcement: escape_for_display(&announcement),
            view: view.clone(),
        })
    }

    pub(crate) fn items(&self) -> &[CardItem] {
        &self.view.card.items
    }

    /// The question in a few words: "Allow push commits?".
    pub(crate) fn ask_briefly(&self, columns: usize) -> String {
        let headline = escape_for_display(self.view.card.headline.as_str());
        match self.view.card.kind {
            CardKind::Ahead => {
                let what = headline.split_once(": ").map_or(headline.as_str(), |(_, what)| what);
                format!("Allow {} in advance?", cut_to_width(what, columns))
            }
            CardKind::Standing => "Keep this permission?".to_owned(),
            CardKind::Policy => "Allow this change?".to_owned(),
            CardKind::Workflow => format!("{}?", cut_to_width(&headline, columns)),
            _ => format!("Allow {}?", cut_to_width(&self.describe_briefly(), columns)),
        }
    }

    /// The headline in the middle of a sentence.
    fn describe_briefly(&self) -> String {
        let headline = escape_for_display(self.view.card.headline.as_str());
        if let Some(command) = headline.strip_prefix("Run ") {
            return command.to_owned();
        }
        let mut chars = headline.chars();
        let (first, second) = (chars.next(), chars.next());
        match (first, second) {
            (Some(first), Some(second)) if second.is_lowercase() => {
                format!("{}{second}{}", first.to_lowercase(), chars.as_str())
            }
            _ => headline,
        }
    }
}

/// The first characters of an id, as messages show it and replies can name it: as many as tell it
/// from the others.
pub fn shorten_id<'a>(id: &'a str, others: impl IntoIterator<Item = &'a str>) -> &'a str {
    let shared = |other: &str| id.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let longest = others.into_iter().filter(|other| *other != id).map(shared).max().unwrap_or(0);
    id.get(..limits::SHORT_ID_CHARS.max(longest + 1)).unwrap_or(id)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_id_is_a_beginning_that_no_other_id_has() {
        let id = "r3e22a1019b8d16e8e07000800000000";
        assert_eq!(shorten_id(id, []), "r3e22a1");
        assert_eq!(shorten_id(id, [id, "r77aa01019b8d16e8e07000800000000"]), "r3e22a1");
        assert_eq!(shorten_id(id, ["r3e22a1019b9d16e8e07000800000000"]), "r3e22a1019b8");
        assert_eq!(shorten_id("r1", []), "r1");
    }
}
