//! The line of choices, and what the wider ones cover.

use super::CompactLayout;
use super::wrap::text_width;
use countersign_card::{Card, CardItem, Offer};
use countersign_core::model::words::{Choice, Covers};

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
            let others = ["n no", "n: reason", "? more"].map(str::to_owned);
            lines.extend(self.lay_out_choices(&start, words.into_iter().chain(others)));
        }
        lines
    }

    /// Further apart if everything fits into one line.
    fn lay_out_choices(&self, start: &str, words: impl Iterator<Item = String>) -> Vec<String> {
        let words: Vec<String> = words.collect();
        let wide = format!("{start}  {}", words.join("   "));
        if text_width(&wide) <= self.columns() {
            return vec![wide];
        }
        let mut lines = vec![start.to_owned()];
        for word in words {
            match lines.last_mut() {
                Some(last) if text_width(last) + 2 + text_width(&word) <= self.columns() => {
                    last.push_str("  ");
                    last.push_str(&word);
                }
                Some(_) | None => lines.push(format!("  {word}")),
            }
        }
        lines
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

/// The shortest words that choose an offer: `s head`.
fn typed_words(item: &CardItem, offer: &Offer) -> String {
    let choice = match offer.choice {
        Choice::Session => "s",
        Choice::Project => "p",
        choice => name_choice(choice),
    };
    match item.extra_coverage(offer) {
        Some(covers) => format!("{choice} {covers}"),
        None => choice.to_owned(),
    }
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
        format!("{}: {}{}", name_offer(item, offer), offer.lets, spared.unwrap_or_default())
    };
    item.offers.iter().map(line).collect()
}

/// What the choices wider than *once* cover: a phrase for each, or one for those that differ only
/// in how long they hold.
pub(super) fn describe_wider_offers(item: &CardItem) -> Vec<(String, String)> {
    let wider: Vec<&Offer> = item
        .offers
        .iter()
        .filter(|offer| !matches!(offer.choice, Choice::Once | Choice::Decline))
        .collect();
    let (extra, plain): (Vec<&Offer>, Vec<&Offer>) =
        wider.into_iter().partition(|offer| item.extra_coverage(offer).is_some());
    let mut phrases = describe_plain_offers(&plain);
    for covers in Covers::ALL {
        let same: Vec<&Offer> =
            extra.iter().filter(|offer| offer.covers == Some(*covers)).copied().collect();
        phrases.extend(describe_extra_offers(item, &same));
    }
    phrases
}

fn describe_plain_offers(offers: &[&Offer]) -> Vec<(String, String)> {
    let (timed, others): (Vec<&Offer>, Vec<&Offer>) =
        offers.iter().partition(|offer| offer.choice != Choice::Run);
    let phrase = |offer: &Offer| (name_choice(offer.choice).to_owned(), offer.lets.to_string());
    let mut phrases: Vec<(String, String)> = others.into_iter().map(phrase).collect();
    match common_coverage(&timed) {
        Some(covers) if timed.len() > 1 => {
            let words: Vec<&str> = timed.iter().map(|offer| name_choice(offer.choice)).collect();
            let spared = describe_spared(&timed);
            phrases.push(("wider".to_owned(), format!("{}: {covers}{spared}", words.join(", "))));
        }
        Some(_) | None => phrases.extend(timed.into_iter().map(phrase)),
    }
    phrases
}

/// The offers of one coverage: what to type for the session, and what it covers. `?` lists them all.
fn describe_extra_offers(item: &CardItem, offers: &[&Offer]) -> Option<(String, String)> {
    let first = offers.iter().find(|offer| offer.choice == Choice::Session).or(offers.first())?;
    let covers = common_coverage(offers)?;
    Some((typed_words(item, first), format!("{covers}{}", describe_spared(&[first]))))
}

/// What the operator would have been spared: one number if it is the same for all, or else one for
/// each.
fn describe_spared(offers: &[&Offer]) -> String {
    let [first, rest @ ..] = offers else { return String::new() };
    if rest.iter().all(|offer| offer.spared == first.spared) {
        let spared = first.describe_spared();
        return spared.map(|spared| format!("; {spared}")).unwrap_or_default();
    }
    let numbers = offers.iter().filter(|offer| offer.spared > 0);
    let numbers: Vec<String> =
        numbers.map(|offer| format!("{} {}", name_choice(offer.choice), offer.spared)).collect();
    format!("; approvals it would have spared: {}", numbers.join(", "))
}

/// The words that all these offers begin with, without the word that introduces how long.
fn common_coverage(offers: &[&Offer]) -> Option<String> {
    let mut texts = offers.iter().map(|offer| offer.lets.as_str().split(' ').collect::<Vec<_>>());
    let mut common = texts.next()?;
    for words in texts {
        let same = common.iter().zip(&words).take_while(|(one, other)| one == other).count();
        common.truncate(same);
    }
    while common.last().is_some_and(|word| matches!(*word, "for" | "in" | "this" | "until")) {
        common.pop();
    }
    let text = common.join(" ");
    let text = text.trim_end_matches([',', ';', ':']);
    (!text.is_empty()).then(|| text.to_owned())
}
