//! The line of choices, and what the wider ones cover.

use super::CompactLayout;
use super::styled::{StyledLine, TextStyle};
use super::wrap::text_width;
use countersign_card::{Card, CardItem, Offer};
use countersign_core::model::words::Choice;

impl CompactLayout {
    /// One line of choices, or one for each item if there are several. All of it is worded by us.
    pub(super) fn choice_lines(&self, card: &Card) -> Vec<StyledLine> {
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
    fn lay_out_choices(&self, start: &str, words: impl Iterator<Item = String>) -> Vec<StyledLine> {
        let words: Vec<String> = words.collect();
        let wide = text_width(start) + words.iter().map(|word| text_width(word) + 3).sum::<usize>();
        let gap = if wide <= self.columns() + 1 { "   " } else { "  " };
        let mut line = StyledLine::new(TextStyle::Plain, start);
        let (mut lines, mut used, mut before) = (Vec::new(), text_width(start), "  ");
        for word in &words {
            if used + before.len() + text_width(word) > self.columns() {
                lines.push(std::mem::take(&mut line));
                (used, before) = (0, "  ");
            }
            line.push(TextStyle::Plain, before);
            push_choice(&mut line, word);
            used += before.len() + text_width(word);
            before = gap;
        }
        lines.push(line);
        lines
    }
}

/// The first word is what is typed.
fn push_choice(line: &mut StyledLine, word: &str) {
    match word.split_once(' ') {
        Some((key, rest)) if key != "type" => {
            line.push(TextStyle::Key, key);
            line.push(TextStyle::Plain, &format!(" {rest}"));
        }
        Some(_) | None => line.push(TextStyle::Key, word),
    }
}

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

/// Everything that can be chosen, with what is typed for it: one row for each extent.
pub(crate) fn list_extents(item: &CardItem) -> Vec<(String, String)> {
    let mut rows: Vec<(Vec<String>, String)> = Vec::new();
    for offer in item.offers.iter().filter(|offer| offer.choice != Choice::Decline) {
        let key = match item.extra_coverage(offer) {
            Some(covers) => format!("{} {covers}", key_of(offer.choice)),
            None if offer.choice == item.yes => "y".to_owned(),
            None => key_of(offer.choice).to_owned(),
        };
        let spared = offer.describe_spared().map(|spared| format!("; {spared}"));
        let covers = format!("{}{}", offer.lets, spared.unwrap_or_default());
        match rows.iter_mut().find(|(_, known)| *known == covers) {
            Some((keys, _)) => keys.push(key),
            None => rows.push((vec![key], covers)),
        }
    }
    rows.into_iter().map(|(keys, covers)| (keys.join(", "), covers)).collect()
}

/// How long each choice holds.
pub(crate) const DURATIONS: &str =
    "15m is 15 minutes; s this session, a day at most; p this project, until you review it";

/// What is typed for a choice.
const fn key_of(choice: Choice) -> &'static str {
    match choice {
        Choice::Session => "s",
        Choice::Project => "p",
        Choice::Once | Choice::Run | Choice::Quarter | Choice::Decline => name_choice(choice),
    }
}
