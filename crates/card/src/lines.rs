//! A card as lines of plain text, one fact a line, in reading order: for pipes, screen readers and
//! terminals that can do nothing else.
//!
//! What comes from outside stands behind a bar, so that none of it can be taken for ours.

use crate::{Card, CardItem, Fact, Line};
use countersign_core::model::words::{Choice, Risk, Undo};

pub fn lines(card: &Card) -> Vec<String> {
    let mut lines = vec![risk(card), card.headline.to_string()];
    card.exact.iter().for_each(|fact| put(&mut lines, "", fact));
    for effect in &card.effects {
        lines.push(format!("effect: {} {}", effect.does, effect.what));
    }
    card.who.iter().for_each(|fact| put(&mut lines, "", fact));
    lines.extend(card.news.iter().map(|news| format!("new: {news}")));
    card.items.iter().for_each(|item| choices(&mut lines, card, item));
    if let Some(confirm) = &card.confirm {
        lines.push(format!("to say yes, type the {}: {}", confirm.what, confirm.typed));
    }
    card.claims.iter().for_each(|fact| put(&mut lines, "the agent says, not verified: ", fact));
    lines.extend(card.why.iter().map(|why| format!("asked because {why}")));
    lines.push(format!("digest: {}", card.digest));
    lines.push(format!("request: {}, open until {}", card.request, card.ends_at));
    lines
}

fn risk(card: &Card) -> String {
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

fn put(lines: &mut Vec<String>, before: &str, fact: &Fact) {
    match fact.lines.as_slice() {
        [Line::Text(only)] => lines.push(format!("{before}{}: {only}", fact.name)),
        several => {
            lines.push(format!("{before}{}:", fact.name));
            lines.extend(several.iter().map(|line| match line {
                Line::Text(text) => format!("  |   {text}"),
                Line::Added(text) => format!("  | + {text}"),
                Line::Removed(text) => format!("  | - {text}"),
                Line::LeftOut(what) => format!("  ... {what} ..."),
            }));
        }
    }
}

fn choices(lines: &mut Vec<String>, card: &Card, item: &CardItem) {
    if card.items.len() > 1 {
        lines.push(format!("{} ({} risk):", item.action, item.risk));
    }
    for offer in &item.offers {
        let second = match (offer.second, offer.choice) {
            (crate::offers::SecondConfirmation::Needed, Choice::Project) => ", to be confirmed a second time",
            _ => "",
        };
        lines.push(format!("choice {}: {}{second}", offer.choice, offer.lets));
    }
}
