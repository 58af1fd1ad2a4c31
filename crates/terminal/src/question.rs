//! A card as the daemon sends it, with what an answer needs of it.

use countersign_card::escape_for_display;
use countersign_core::model::time::Time;
use countersign_core::model::words::Choice;
use serde_json::Value;

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
    /// None for what is no whole card: nothing is answered that could not be shown.
    pub fn read(card: &Value) -> Option<Self> {
        let text = |pointer: &str| Some(card.pointer(pointer)?.as_str()?.to_owned());
        let lines = card.get("lines")?.as_array()?;
        let lines: Option<Vec<String>> =
            lines.iter().map(|line| Some(escape_for_display(line.as_str()?))).collect();
        let items: Option<Vec<Item>> = card.get("items")?.as_array()?.iter().map(item).collect();
        let confirm = match card.get("confirm") {
            None | Some(Value::Null) => None,
            Some(_) => Some((text("/confirm/what")?, text("/confirm/typed")?)),
        };
        let fact = |name: &str| {
            let who = card.get("who")?.as_array()?;
            let fact = who.iter().find(|fact| fact.get("name").is_some_and(|n| n == name))?;
            Some(fact.pointer("/lines/0/text")?.as_str()?.to_owned())
        };
        let (agent, session) = (fact("agent")?, fact("session")?);
        let first = lines.as_ref()?.first()?.clone();
        let announced = format!("{agent} asks. {first}. {}.{}", text("/headline")?, exact(card));
        Some(Self {
            request: text("/request")?,
            digest: text("/digest")?,
            lines: lines?,
            agent,
            session,
            announced: escape_for_display(&announced),
            items: items?,
            confirm,
            opened_at: text("/opened_at").and_then(|at| Time::parse(&at)),
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

fn item(item: &Value) -> Option<Item> {
    let offers = item.get("offers")?.as_array()?;
    let offers: Option<Vec<(Choice, Offered)>> = offers
        .iter()
        .map(|offer| {
            let choice = Choice::from_word(offer.get("choice")?.as_str()?)?;
            let second = match offer.get("second")?.as_str()? {
                "not_needed" => Offered::Plainly,
                _ => Offered::Twice,
            };
            Some((choice, second))
        })
        .collect();
    let yes = Choice::from_word(item.get("yes")?.as_str()?)?;
    Some(Item { action: item.get("action")?.as_str()?.to_owned(), offers: offers?, yes })
}

/// The exact action as far as it fits into one line.
fn exact(card: &Value) -> String {
    let facts = card.get("exact").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut text = String::new();
    for fact in facts {
        let lines = fact.get("lines").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for line in lines.iter().filter_map(|line| line.as_object()?.values().next()?.as_str()) {
            text.push(' ');
            text.push_str(line);
        }
    }
    if text.is_empty() {
        return text;
    }
    let cut: String = text.chars().take(limits::ANNOUNCED).collect();
    let more = text.chars().count().saturating_sub(limits::ANNOUNCED);
    if more > 0 { format!("{cut} [{more} more characters].") } else { format!("{cut}.") }
}
