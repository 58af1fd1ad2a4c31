//! The facts of a compact card between its header and its choices.

use super::wrap::{CONTINUED, MARK, cut_to_width, text_width, wrap_columns};
use super::{CompactLayout, choices};
use crate::limits;
use countersign_card::{Card, CardEffect, CardField, CardLine, EffectWeight};

/// Bold red.
const DANGER: &str = "1;31";

/// A labelled fact, or the lines that an agent's text fills.
enum CardFact {
    Sentence(String),
    /// What stands out.
    Danger(String),
    Labelled {
        label: String,
        text: String,
    },
    Block {
        label: Option<String>,
        lines: Vec<CardLine>,
    },
}

pub(super) struct FactList<'a> {
    layout: &'a CompactLayout,
    facts: Vec<CardFact>,
}

impl<'a> FactList<'a> {
    pub(super) fn new(layout: &'a CompactLayout) -> Self {
        Self { layout, facts: Vec::new() }
    }

    fn add(&mut self, label: impl Into<String>, text: impl Into<String>) {
        self.facts.push(CardFact::Labelled { label: label.into(), text: text.into() });
    }

    /// The headline and the exact action, in which the headline does not repeat the command.
    pub(super) fn add_action(&mut self, card: &Card) {
        let command = card.exact.iter().find(|field| is_command(field));
        let command = command.and_then(|field| match field.lines.as_slice() {
            [CardLine::Text(only)] => Some(only.as_str()),
            _ => None,
        });
        let headline = match command {
            Some(command) => strip_command(card.headline.as_str(), command),
            None => Some(card.headline.as_str()),
        };
        if let Some(headline) = headline {
            self.facts.push(CardFact::Sentence(headline.to_owned()));
        }
        for field in &card.exact {
            let name = field.name.as_str().to_owned();
            match field.lines.as_slice() {
                lines if is_command(field) => {
                    self.facts.push(CardFact::Block { label: None, lines: lines.to_vec() });
                }
                [CardLine::Text(only)] => self.add(name, only.as_str()),
                lines => {
                    self.facts.push(CardFact::Block { label: Some(name), lines: lines.to_vec() });
                }
            }
        }
    }

    pub(super) fn add_effects(&mut self, card: &Card) {
        let describe =
            |effect: &CardEffect| format!("{} {}", effect.does, effect.what).trim_end().to_owned();
        let (dangers, others): (Vec<&CardEffect>, Vec<&CardEffect>) =
            card.effects.iter().partition(|effect| effect.weight == EffectWeight::Danger);
        let dangers = dangers.into_iter().map(describe);
        self.facts.extend(dangers.map(|text| CardFact::Danger(format!("danger: {text}"))));
        let effects: Vec<String> = others.into_iter().map(describe).collect();
        if !effects.is_empty() {
            self.add("effect", effects.join(", "));
        }
    }

    /// The folder, and what else is known about where the request comes from.
    pub(super) fn add_place(&mut self, card: &Card) {
        let mut parts = Vec::new();
        for field in &card.who {
            let Some(text) = field.lines.first().map(|line| line.display_text().as_str()) else {
                continue;
            };
            match field.name.as_str() {
                // The header has these.
                "agent" | "project" => {}
                "session" if card.who.iter().all(|field| field.name.as_str() != "project") => {}
                "folder" => parts.insert(0, self.shorten_folder(text)),
                // Nearly everything is.
                "started by" if text == "agent" => {}
                name => parts.push(format!("{name} {text}")),
            }
        }
        if !parts.is_empty() {
            self.add("in", parts.join(" · "));
        }
    }

    fn shorten_folder(&self, folder: &str) -> String {
        let home = self.layout.home.as_deref().filter(|home| home.len() > 1);
        match home.and_then(|home| folder.strip_prefix(home)) {
            Some("") => "~".to_owned(),
            Some(rest) if rest.starts_with('/') => format!("~{rest}"),
            Some(_) | None => folder.to_owned(),
        }
    }

    /// The programs that the agent could replace.
    pub(super) fn add_programs(&mut self, card: &Card) {
        for program in &card.programs {
            let path = self.shorten_folder(program.path.as_str());
            self.add("program", program.describe(&path));
        }
    }

    pub(super) fn add_news(&mut self, card: &Card) {
        for news in &card.news {
            self.add("new", news.as_str());
        }
    }

    /// The agent's statements, quoted, because nobody has verified them.
    pub(super) fn add_claims(&mut self, card: &Card) {
        let agent = cut_to_width(card.agent().unwrap_or("the agent"), limits::MAX_NAME_COLUMNS);
        for claim in &card.claims {
            let label = match claim.name.as_str() {
                "reason" => format!("{agent} says"),
                other => other.to_owned(),
            };
            match claim.lines.as_slice() {
                [CardLine::Text(only)] => self.add(label, format!("\"{only}\"")),
                lines => {
                    self.facts.push(CardFact::Block { label: Some(label), lines: lines.to_vec() });
                }
            }
        }
    }

    pub(super) fn add_reasons(&mut self, card: &Card) {
        let why: Vec<&str> = card.why.iter().map(|why| why.as_str()).collect();
        if !why.is_empty() {
            self.add("asked", format!("because {}", why.join("; ")));
        }
    }

    /// What the wider choices cover, and what has to be typed on a critical card.
    pub(super) fn add_coverage(&mut self, card: &Card) {
        for item in &card.items {
            for (words, covers) in choices::describe_wider_offers(item) {
                self.add(words, covers);
            }
            if let Some(why) = &item.only_once {
                self.add("only once", format!("because {why}"));
            }
        }
        if !card.left_out.is_nothing() {
            self.add("left out", format!("{}; v shows the whole call", card.left_out));
        }
        if let Some(confirm) = &card.confirm {
            self.add("to allow", format!("type the {}: {}", confirm.what, confirm.typed));
        }
    }

    pub(super) fn into_lines(self) -> Vec<String> {
        let columns = self.layout.columns();
        // Labels are a column of their own where there is room for it.
        let labels = self.facts.iter().filter_map(|fact| match fact {
            CardFact::Labelled { label, .. } => Some(text_width(label)),
            CardFact::Sentence(_) | CardFact::Danger(_) | CardFact::Block { .. } => None,
        });
        let is_wide = columns >= limits::MIN_ALIGNED_COLUMNS;
        let widest = labels.filter(|width| *width <= limits::MAX_LABEL_COLUMNS).max();
        let label_width = widest.filter(|_| is_wide).unwrap_or(0);
        let mut lines = Vec::new();
        for fact in self.facts {
            match fact {
                CardFact::Sentence(text) => {
                    lines.extend(wrap_columns("  ", CONTINUED, &text, columns))
                }
                CardFact::Danger(text) => {
                    let wrapped = wrap_columns("  ", CONTINUED, &text, columns);
                    lines.extend(wrapped.iter().map(|line| self.layout.paint(DANGER, line)));
                }
                CardFact::Labelled { label, text } => {
                    let label = cut_to_width(&label, columns.saturating_sub(8));
                    let gap = " ".repeat(label_width.saturating_sub(text_width(&label)));
                    let text = format!("{label}{gap}  {text}");
                    lines.extend(wrap_columns("  ", CONTINUED, &text, columns));
                }
                CardFact::Block { label, lines: block } => {
                    let label = label.map(|label| cut_to_width(&label, columns.saturating_sub(8)));
                    lines.extend(label.map(|label| format!("  {label}")));
                    push_block(&mut lines, &block, columns);
                }
            }
        }
        lines
    }
}

/// The headline without the command that follows it; none if nothing else is left.
fn strip_command<'a>(headline: &'a str, command: &str) -> Option<&'a str> {
    match headline.strip_suffix(command) {
        Some("" | "Run ") => None,
        Some(start) => Some(start.strip_suffix(": ").unwrap_or(headline)),
        None => Some(headline),
    }
}

fn is_command(field: &CardField) -> bool {
    field.name.as_str() == "command"
}

/// Lines of an agent, each with the mark. What we say about lines that are left out has none.
fn push_block(lines: &mut Vec<String>, block: &[CardLine], columns: usize) {
    let is_diff =
        block.iter().any(|line| matches!(line, CardLine::Added(_) | CardLine::Removed(_)));
    for line in block {
        let (sign, text) = match line {
            CardLine::Text(text) if is_diff => ("  ", text),
            CardLine::Text(text) => ("", text),
            CardLine::Added(text) => ("+ ", text),
            CardLine::Removed(text) => ("- ", text),
            CardLine::LeftOut(what) => {
                lines.extend(wrap_columns("  ", CONTINUED, &format!("... {what} ..."), columns));
                continue;
            }
        };
        let first = format!("{MARK}{sign}");
        lines.extend(wrap_columns(&first, CONTINUED, text.as_str(), columns));
    }
}
