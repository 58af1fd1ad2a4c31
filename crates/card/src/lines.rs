//! Renders a card as plain text, one fact per line, in reading order: for pipes, screen readers and
//! dumb terminals.
//!
//! Multi-line untrusted text is indented behind a bar, so that it cannot imitate a line of the card.

use crate::{Card, CardField, CardItem, CardLine, CardUndo};
use countersign_core::model::words::{Choice, Risk};

pub fn render_lines(card: &Card) -> Vec<String> {
    let mut lines: Vec<String> = card.closed.iter().map(|closed| closed.text.to_string()).collect();
    lines.extend([format_risk(card), card.headline.to_string()]);
    card.exact.iter().for_each(|fact| push_field(&mut lines, "", fact));
    for effect in &card.effects {
        lines.push(format!("effect: {} {}", effect.does, effect.what).trim_end().to_owned());
    }
    card.who.iter().for_each(|fact| push_field(&mut lines, "", fact));
    for program in &card.programs {
        lines.push(format!("program: {}", program.describe(program.path.as_str())));
    }
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
    let until = match card.closed {
        None => format!(", open until {}", card.ends_at),
        Some(_) => String::new(),
    };
    lines.push(format!("request: {}{until}", card.request));
    lines
}

/// The same without what only an answer on a surface needs: choices, digest, ids. For a program whose
/// own prompt shows the question, and whose yes stands for this call once.
pub fn render_question(card: &Card) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", format_risk(card), card.headline)];
    card.exact.iter().for_each(|fact| push_field(&mut lines, "", fact));
    for effect in &card.effects {
        lines.push(format!("effect: {} {}", effect.does, effect.what).trim_end().to_owned());
    }
    for program in &card.programs {
        lines.push(format!("program: {}", program.describe(program.path.as_str())));
    }
    lines.extend(card.news.iter().map(|news| format!("new: {news}")));
    card.claims
        .iter()
        .for_each(|fact| push_field(&mut lines, "the agent says, not verified: ", fact));
    lines.extend(card.why.iter().map(|why| format!("asked because {why}")));
    lines
}

fn format_risk(card: &Card) -> String {
    let undo = match &card.undo {
        CardUndo::Unknown => String::new(),
        CardUndo::Irreversible => ", CANNOT BE UNDONE".to_owned(),
        CardUndo::Reversible { how } => format!(", can be undone: {how}"),
    };
    let risk = match card.risk {
        Risk::ReadOnly => "READ ONLY",
        Risk::Low => "LOW",
        Risk::Moderate => "MODERATE",
        Risk::High => "HIGH",
        Risk::Critical => "CRITICAL",
    };
    format!("{risk} risk{undo}")
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
        lines.push(format!("{}: {} ({} risk):", item.action, item.headline, item.risk));
    }
    for offer in &item.offers {
        let confirmation = match (offer.second, offer.choice) {
            (crate::offers::SecondConfirmation::Needed, Choice::Project) => {
                ", to be confirmed a second time"
            }
            _ => "",
        };
        let covers = item.extra_coverage(offer);
        let covers = covers.map(|covers| format!(" {covers}")).unwrap_or_default();
        let spared = offer.describe_spared().map(|spared| format!(", {spared}"));
        let spared = spared.unwrap_or_default();
        lines
            .push(format!("choice {}{covers}: {}{spared}{confirmation}", offer.choice, offer.lets));
    }
    if let Some(why) = &item.only_once {
        lines.push(format!("only once: {why}"));
    }
}
