//! Renders a card as plain text, one fact per line, in reading order: for pipes, screen readers and
//! dumb terminals.
//!
//! Multi-line untrusted text is indented behind a bar, so that it cannot imitate a line of the card.

use crate::{Card, CardField, CardItem, CardLine};
use countersign_core::model::words::{Choice, Risk, Undo};

pub fn render_lines(card: &Card) -> Vec<String> {
    let mut lines = vec![format_risk(card), card.headline.to_string()];
    card.exact.iter().for_each(|fact| push_field(&mut lines, "", fact));
    for effect in &card.effects {
        lines.push(format!("effect: {} {}", effect.does, effect.what));
    }
    card.who.iter().for_each(|fact| push_field(&mut lines, "", fact));
    lines.extend(card.news.iter().map(|news| format!("new: {news}")));
    card.items.iter().for_each(|item| push_choices(&mut lines, card, item));
    if let Some(confirm) = &card.confirm {
        lines.push(format!("to say yes, type the {}: {}", confirm.what, confirm.typed));
    }
    card.claims
        .iter()
        .for_each(|fact| push_field(&mut lines, "the agent says, not verified: ", fact));
    lines.extend(card.why.iter().map(|why| format!("asked because {why}")));
    lines.push(format!("digest: {}", card.digest));
    lines.push(format!("request: {}, open until {}", card.request, card.ends_at));
    lines
}

fn format_risk(card: &Card) -> String {
    let undo = match card.undo {
        Undo::Reversible => "can be undone",
        Undo::Irreversible => "CANNOT BE UNDONE",
    };
    let risk = match card.risk {
        Risk::ReadOnly => "READ ONLY",
        Risk::Low => "LOW",
        Risk::Moderate => "MODERATE",
        Risk::High => "HIGH",
        Risk::Critical => "CRITICAL",
    };
    format!("{risk} risk, {undo}")
}

fn push_field(lines: &mut Vec<String>, prefix: &str, fact: &CardField) {
    match fact.lines.as_slice() {
        [CardLine::Text(only)] => lines.push(format!("{prefix}{}: {only}", fact.name)),
        several => {
            lines.push(format!("{prefix}{}:", fact.name));
            lines.extend(several.iter().map(|line| match line {
                CardLine::Text(text) => format!("  |   {text}"),
                CardLine::Added(text) => format!("  | + {text}"),
                CardLine::Removed(text) => format!("  | - {text}"),
                CardLine::LeftOut(what) => format!("  ... {what} ..."),
            }));
        }
    }
}

fn push_choices(lines: &mut Vec<String>, card: &Card, item: &CardItem) {
    if card.items.len() > 1 {
        lines.push(format!("{} ({} risk):", item.action, item.risk));
    }
    for offer in &item.offers {
        let confirmation = match (offer.second, offer.choice) {
            (crate::offers::SecondConfirmation::Needed, Choice::Project) => {
                ", to be confirmed a second time"
            }
            _ => "",
        };
        lines.push(format!("choice {}: {}{confirmation}", offer.choice, offer.lets));
    }
}
