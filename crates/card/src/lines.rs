//! Renders a card as plain text, one fact per line, in reading order: for pipes, screen readers and
//! dumb terminals.
//!
//! Multi-line untrusted text is indented behind a bar, so that it cannot imitate a line of the card.

use crate::{Card, CardEffect, CardField, CardItem, CardLine, EffectWeight};
use countersign_core::model::words::{Choice, Risk};

pub fn render_lines(card: &Card) -> Vec<String> {
    let mut lines: Vec<String> = card.closed.iter().map(|closed| closed.text.to_string()).collect();
    lines.extend([format_risk(card), card.headline.to_string()]);
    push_action(&mut lines, card);
    card.items.iter().for_each(|item| push_choices(&mut lines, card, item));
    lines.extend(card.repetition.as_ref().map(crate::Repetition::describe));
    if let Some(confirm) = &card.confirm {
        lines.push(format!("to say yes, type the {}: {}", confirm.what, confirm.typed));
    }
    push_reasons(&mut lines, card);
    lines.push(format!("digest: {}", card.digest));
    let until = match card.closed {
        None => format!(", open until {}", card.ends_at),
        Some(_) => String::new(),
    };
    lines.push(format!("request: {}{until}", card.request));
    lines
}

/// What will happen, and where.
fn push_action(lines: &mut Vec<String>, card: &Card) {
    card.exact.iter().for_each(|fact| push_field(lines, "", fact));
    for effect in &card.effects {
        lines.push(format!("{}: {effect}", name_effect(effect)));
    }
    card.who.iter().for_each(|fact| push_field(lines, "", fact));
    for program in &card.programs {
        lines.push(format!("program: {}", program.describe(program.path.as_str())));
    }
    lines.extend(card.news.iter().map(|news| format!("new: {news}")));
}

fn name_effect(effect: &CardEffect) -> &'static str {
    match effect.weight {
        EffectWeight::Ordinary | EffectWeight::Destination => "effect",
        EffectWeight::Danger => "danger",
    }
}

/// What the agent says.
pub(crate) fn push_claims(lines: &mut Vec<String>, card: &Card) {
    let prefix = "the agent says, not verified: ";
    card.claims.iter().for_each(|fact| push_field(lines, prefix, fact));
}

/// What the agent says, and why Countersign asks.
fn push_reasons(lines: &mut Vec<String>, card: &Card) {
    push_claims(lines, card);
    lines.extend(card.why.iter().map(|why| format!("asked because {why}")));
}

/// The risk, and whether it can be undone.
pub(crate) fn format_risk(card: &Card) -> String {
    let undo = card.describe_undo().map_or_else(String::new, |undo| format!(", {undo}"));
    format!("{} risk{undo}", risk_word(card.risk))
}

const fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::ReadOnly => "READ ONLY",
        Risk::Low => "LOW",
        Risk::Moderate => "MODERATE",
        Risk::High => "HIGH",
        Risk::Critical => "CRITICAL",
    }
}

pub(crate) fn push_field(lines: &mut Vec<String>, prefix: &str, fact: &CardField) {
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
        // As `approve --for … --covers …` takes it.
        let covers = offer.covers.map(|covers| format!(" {covers}")).unwrap_or_default();
        let spared = offer.describe_spared().map(|spared| format!(", {spared}"));
        let spared = spared.unwrap_or_default();
        lines.push(format!(
            "choice {}{covers}: {}{spared}{confirmation}",
            offer.choice,
            offer.describe()
        ));
    }
    if let Some(why) = &item.only_once {
        lines.push(format!("only once: {why}"));
    }
}
