//! The line of choices, and what the wider ones cover.

use super::CompactLayout;
use super::wrap::text_width;
use countersign_card::{Card, CardItem, Offer};
use countersign_core::model::words::Choice;

impl CompactLayout {
    /// One line of choices, or one for each item if there are several. All of it is worded by us.
    pub(super) fn choice_lines(&self, card: &Card) -> Vec<String> {
        let several = card.items.len() > 1;
        let mut lines = Vec::new();
        for (index, item) in card.items.iter().enumerate() {
            let start = match several {
                true => format!("Allow {} of {}?", index + 1, card.items.len()),
                false => "Allow?".to_owned(),
            };
            let words = match &card.confirm {
                Some(confirm) => vec![format!("type the {}", confirm.what)],
                None => offer_words(item),
            };
            let others = ["n no", "? more", "v all", "w why"].map(str::to_owned);
            lines.extend(self.lay_out_choices(&start, words.into_iter().chain(others)));
        }
        lines
    }

    /// Further apart if everything fits into one line. What is typed stands out.
    fn lay_out_choices(&self, start: &str, words: impl Iterator<Item = String>) -> Vec<String> {
        let words: Vec<String> = words.collect();
        let keys: Vec<String> = words.iter().map(|word| self.paint_key(word)).collect();
        let wide = format!("{start}  {}", words.join("   "));
        if text_width(&wide) <= self.columns() {
            return vec![format!("{start}  {}", keys.join("   "))];
        }
        let (mut lines, mut used) = (vec![start.to_owned()], text_width(start));
        for (word, key) in words.iter().zip(&keys) {
            let width = text_width(word);
            match lines.last_mut() {
                Some(last) if used + 2 + width <= self.columns() => {
                    last.push_str("  ");
                    last.push_str(key);
                    used += 2 + width;
                }
                Some(_) | None => {
                    lines.push(format!("  {key}"));
                    used = 2 + width;
                }
            }
        }
        lines
    }

    /// The first word is what is typed.
    fn paint_key(&self, word: &str) -> String {
        match word.split_once(' ') {
            Some(("type", _)) => self.paint(KEY, word),
            Some((key, rest)) => format!("{} {rest}", self.paint(KEY, key)),
            None => self.paint(KEY, word),
        }
    }
}

/// Bold, underlined where the terminal can.
const KEY: &str = "1;4";

/// What can be typed for each choice that is a yes, the plain yes first.
pub(crate) fn offer_words(item: &CardItem) -> Vec<String> {
    let yes = item.offers.iter().find(|offer| offer.choice == item.yes);
    let others = item.offers.iter().filter(|offer| offer.choice != item.yes);
    let word = |offer: &Offer| match offer.choice {
        choice if choice == item.yes => format!("y {}", name_choice(choice)),
        Choice::Session => "s session".to_owned(),
        Choice::Project => "p project".to_owned(),
        choice => name_choice(choice).to_owned(),
    };
    let is_plain_yes =
        |offer: &&Offer| offer.choice != Choice::Decline && item.extra_coverage(offer).is_none();
    yes.into_iter().chain(others).filter(is_plain_yes).map(word).collect()
}

/// The name of an offer: `session head`.
fn name_offer(item: &CardItem, offer: &Offer) -> String {
    match item.extra_coverage(offer) {
        Some(covers) => format!("{} {covers}", name_choice(offer.choice)),
        None => name_choice(offer.choice).to_owned(),
    }
}

const fn name_choice(choice: Choice) -> &'static str {
    match choice {
        Choice::Once => "once",
        Choice::Run => "task",
        Choice::Quarter => "15m",
        Choice::Session => "session",
        Choice::Project => "project",
        Choice::Decline => "no",
    }
}

/// Every offer with what it permits, for `?`.
pub(crate) fn list_offers(item: &CardItem) -> Vec<String> {
    let line = |offer: &Offer| {
        let spared = offer.describe_spared().map(|spared| format!("; {spared}"));
        format!("{}: {}{}", name_offer(item, offer), offer.describe(), spared.unwrap_or_default())
    };
    item.offers.iter().map(line).collect()
}

/// What the plain choices wider than *once* cover: a phrase for each, or one for those that differ only
/// in how long they hold. `?` lists the others.
pub(super) fn describe_wider_offers(item: &CardItem) -> Vec<(String, String)> {
    let is_shown = |offer: &&Offer| {
        !matches!(offer.choice, Choice::Once | Choice::Decline)
            && item.extra_coverage(offer).is_none()
    };
    let mut phrases: Vec<(Vec<&str>, &str)> = Vec::new();
    for offer in item.offers.iter().filter(is_shown) {
        let key = if offer.choice == item.yes { "y" } else { key_of(offer.choice) };
        match phrases.iter_mut().find(|(_, covers)| *covers == offer.lets.as_str()) {
            Some((keys, _)) => keys.push(key),
            None => phrases.push((vec![key], offer.lets.as_str())),
        }
    }
    phrases.into_iter().map(|(keys, covers)| (keys.join(", "), covers.to_owned())).collect()
}

/// What is typed for a choice.
const fn key_of(choice: Choice) -> &'static str {
    match choice {
        Choice::Session => "s",
        Choice::Project => "p",
        Choice::Once | Choice::Run | Choice::Quarter | Choice::Decline => name_choice(choice),
    }
}
