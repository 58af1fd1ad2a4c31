//! A card for the prompt of a program: a few lines of ours, and the call itself for where the program
//! does not show it.
//!
//! The program's yes has one meaning, and the lines name it before it is given.
//!
//! See docs/decisions/0123-what-a-yes-in-a-program-gives.md.

use crate::limits;
use crate::lines::{format_risk, push_claims, push_field};
use crate::{Card, CardItem, EffectWeight, Offer};
use countersign_core::model::words::Choice;

/// The parts of a question in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramQuestion {
    /// What it is, what it does, what is new, and what a yes gives.
    pub lines: Vec<String>,
    /// The exact call, and what the agent says about it.
    pub call: Vec<String>,
    /// The command line, if the call is nothing but that and it fits on a line.
    pub command: Option<String>,
}

/// The question as a program shows it: at most six lines besides the call.
pub fn render_question(card: &Card) -> ProgramQuestion {
    let headline = card.headline_without_command().unwrap_or("Run a command");
    let mut lines = vec![format!("{}: {headline}", format_risk(card))];
    lines.extend(describe_effects(card));
    lines.extend(describe_news(card));
    lines.extend(describe_yes(card));
    lines.extend(describe_wider(card));
    let mut call = Vec::new();
    card.exact.iter().for_each(|field| push_field(&mut call, "", field));
    let is_command_alone = card.exact.len() == 1 && card.left_out.is_nothing();
    let command = card.one_line_command().filter(|_| is_command_alone).map(str::to_owned);
    push_claims(&mut call, card);
    ProgramQuestion { lines, call, command }
}

fn describe_effects(card: &Card) -> Option<String> {
    let effects: Vec<String> = card.effects.iter().map(|effect| effect.to_string()).collect();
    let is_danger = card.effects.iter().any(|effect| effect.weight == EffectWeight::Danger);
    let label = if is_danger { "danger" } else { "effect" };
    (!effects.is_empty()).then(|| format!("{label}: {}", effects.join(", ")))
}

fn describe_news(card: &Card) -> Option<String> {
    let programs = card.programs.iter().map(|program| program.describe(program.path.as_str()));
    let news: Vec<String> = card.news.iter().map(ToString::to_string).chain(programs).collect();
    (!news.is_empty()).then(|| format!("new: {}", news.join("; ")))
}

/// What a yes in the program gives. Items with the same choice are named together.
fn describe_yes(card: &Card) -> Option<String> {
    let find = |item: &CardItem| {
        item.offers.iter().find(|offer| offer.choice == item.yes).map(Offer::describe)
    };
    let task: Vec<String> =
        card.items.iter().filter(|item| item.yes == Choice::Run).filter_map(find).collect();
    match (task.is_empty(), task.len() == card.items.len()) {
        _ if card.confirm.is_some() || card.items.is_empty() => None,
        (true, _) => Some("yes: once, this exact call".to_owned()),
        (false, is_all) => {
            let mut task = task;
            task.dedup();
            let rest = if is_all { "" } else { "; the rest once" };
            Some(format!("yes: this task ({}){rest}", task.join("; ")))
        }
    }
}

/// How to answer for longer, and why that would have paid.
fn describe_wider(card: &Card) -> Option<String> {
    let session = |item: &CardItem| {
        let mut offers = item.offers.iter().filter(|offer| offer.choice == Choice::Session);
        offers.next().map(|offer| offer.lets.to_string())
    };
    let mut wider: Vec<String> = card.items.iter().map(session).collect::<Option<_>>()?;
    wider.dedup();
    if wider.is_empty() {
        return None;
    }
    let asked = match &card.repetition {
        Some(repetition) => format!(" ({})", repetition.describe()),
        None => String::new(),
    };
    let wider = cut_end(&wider.join("; "));
    Some(format!("`countersign watch`: s = this session, {wider}{asked}"))
}

/// The beginning of what a wider choice covers: `watch` says all of it before it is chosen.
fn cut_end(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(limits::MAX_QUESTION_COVERAGE) else {
        return text.to_owned();
    };
    let start = text.get(..end).unwrap_or(text);
    let start = start.rfind(' ').and_then(|blank| start.get(..blank)).unwrap_or(start);
    format!("{start} …")
}
