//! The facts of a compact card between its header and its choices.

use super::styled::{StyledLine, TextStyle};
use super::wrap::{CONTINUED, MARK, cut_to_width, text_width, wrap_columns};
use super::{CompactLayout, choices};
use crate::limits;
use countersign_card::{Card, CardEffect, CardField, CardLine, EffectWeight};

/// A labelled fact, or the lines that an agent's text fills.
enum CardFact {
    /// Words of ours in one style.
    Sentence {
        text: String,
        style: TextStyle,
    },
    /// Words of ours, in which some words stand out.
    Effects {
        text: String,
        destinations: Vec<String>,
    },
    Labelled {
        label: String,
        text: String,
        style: TextStyle,
    },
    Block {
        label: Option<String>,
        lines: Vec<CardLine>,
        style: TextStyle,
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
        self.add_styled(label, text, TextStyle::Plain);
    }

    fn add_styled(&mut self, label: impl Into<String>, text: impl Into<String>, style: TextStyle) {
        self.facts.push(CardFact::Labelled { label: label.into(), text: text.into(), style });
    }

    /// The headline and the exact action, in which the headline does not repeat the command.
    pub(super) fn add_action(&mut self, card: &Card) {
        if let Some(headline) = card.headline_without_command() {
            let text = headline.to_owned();
            self.facts.push(CardFact::Sentence { text, style: TextStyle::Strong });
        }
        for field in &card.exact {
            let name = field.name.as_str().to_owned();
            let lines = field.lines.clone();
            match field.lines.as_slice() {
                _ if is_command(field) => {
                    self.facts.push(CardFact::Block {
                        label: None,
                        lines,
                        style: TextStyle::Strong,
                    });
                }
                [CardLine::Text(only)] => self.add(name, only.as_str()),
                _ => self.facts.push(CardFact::Block {
                    label: Some(name),
                    lines,
                    style: TextStyle::Plain,
                }),
            }
        }
    }

    /// Dangers in a line each, everything else in one.
    pub(super) fn add_effects(&mut self, card: &Card) {
        let (dangers, others): (Vec<&CardEffect>, Vec<&CardEffect>) =
            card.effects.iter().partition(|effect| effect.weight == EffectWeight::Danger);
        for danger in dangers {
            let text = format!("danger: {danger}");
            self.facts.push(CardFact::Sentence { text, style: TextStyle::Danger });
        }
        let effects: Vec<String> = others.iter().map(|effect| effect.to_string()).collect();
        let is_place = |effect: &&&CardEffect| effect.weight == EffectWeight::Destination;
        let places = others.iter().filter(is_place).map(|effect| effect.what.to_string());
        if !effects.is_empty() {
            let text = format!("effect: {}", effects.join(", "));
            let destinations = places.filter(|place| !place.is_empty()).collect();
            self.facts.push(CardFact::Effects { text, destinations });
        }
    }

    /// Who asks, for which project or in which session.
    pub(super) fn add_origin(&mut self, card: &Card) {
        let name = |name: &str| cut_to_width(name, limits::MAX_NAME_COLUMNS);
        let agent = name(card.agent().unwrap_or("an agent"));
        let place = find_who(card, "project").map(|project| self.shorten_folder(project));
        let place = place.map_or_else(String::new, |place| format!(" in {}", name(&place)));
        let task = find_who(card, "workflow").map(|task| format!(", working on {}", name(task)));
        self.add("asked by", format!("{agent}{place}{}", task.unwrap_or_default()));
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

    /// The agent's statements, quoted and dim, because nobody has verified them.
    pub(super) fn add_claims(&mut self, card: &Card) {
        let agent = cut_to_width(card.agent().unwrap_or("the agent"), limits::MAX_NAME_COLUMNS);
        for claim in &card.claims {
            let label = match claim.name.as_str() {
                "reason" => format!("{agent} says"),
                "if not" => "if no, it says".to_owned(),
                other => format!("{agent} says, {other}"),
            };
            match claim.lines.as_slice() {
                [CardLine::Text(only)] => {
                    self.add_styled(label, format!("\"{only}\""), TextStyle::Quiet)
                }
                lines => self.facts.push(CardFact::Block {
                    label: Some(label),
                    lines: lines.to_vec(),
                    style: TextStyle::Quiet,
                }),
            }
        }
    }

    /// What the choices beyond *once* cover, and what has to be typed on a critical card.
    pub(super) fn add_coverage(&mut self, card: &Card) {
        for item in &card.items {
            for (words, covers) in choices::describe_wider_offers(item) {
                self.add(words, format!("allow {covers}"));
            }
            if let Some(why) = &item.only_once {
                self.add("only once", format!("because {why}"));
            }
        }
        if let Some(repetition) = &card.repetition {
            self.add("offer", repetition.describe());
        }
        if !card.left_out.is_nothing() {
            self.add("left out", format!("{}; v shows the whole call", card.left_out));
        }
        if let Some(confirm) = &card.confirm {
            let text = format!("type the {}: {}", confirm.what, confirm.typed);
            self.add_styled("to allow", text, TextStyle::Strong);
        }
    }

    /// Folder, id, digest and the time left, then as much of session, tool and so on as fits on the
    /// line. `v` shows all of it.
    pub(super) fn add_small_print(&mut self, card: &Card, short_id: &str) {
        let time_left = crate::describe_time_left(self.layout.now, card.ends_at);
        let mut text = [short_id, &card.digest, &time_left]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" · ");
        let columns = self.layout.columns().saturating_sub(2);
        if let Some(folder) = find_who(card, "folder") {
            let room =
                columns.saturating_sub(text_width(&text) + 7).max(limits::MIN_FOLDER_COLUMNS);
            text = format!("in  {} · {text}", cut_to_width(&self.shorten_folder(folder), room));
        }
        for field in &card.who {
            let name = field.name.as_str();
            // The line about who asks has these; and nearly everything is started by the agent.
            let is_said = matches!(name, "agent" | "project" | "workflow" | "folder");
            let Some(value) = find_who(card, name).filter(|_| !is_said) else { continue };
            let part = format!(" · {name} {value}");
            let is_usual = (name, value) == ("started by", "agent");
            if !is_usual && text_width(&text) + text_width(&part) <= columns {
                text.push_str(&part);
            }
        }
        self.facts.push(CardFact::Sentence { text, style: TextStyle::Quiet });
    }

    pub(super) fn into_lines(self) -> Vec<StyledLine> {
        let columns = self.layout.columns();
        let label_width = self.label_width();
        self.facts.into_iter().flat_map(|fact| fact.into_lines(columns, label_width)).collect()
    }

    /// Labels are a column of their own where there is room for it.
    fn label_width(&self) -> usize {
        if self.layout.columns() < limits::MIN_ALIGNED_COLUMNS {
            return 0;
        }
        let labels = self.facts.iter().filter_map(|fact| match fact {
            CardFact::Labelled { label, .. } => Some(text_width(label)),
            CardFact::Sentence { .. } | CardFact::Effects { .. } | CardFact::Block { .. } => None,
        });
        labels.filter(|width| *width <= limits::MAX_LABEL_COLUMNS).max().unwrap_or(0)
    }
}

impl CardFact {
    fn into_lines(self, columns: usize, label_width: usize) -> Vec<StyledLine> {
        let style_all = |style, lines: Vec<String>| -> Vec<StyledLine> {
            lines.into_iter().map(|line| StyledLine::new(style, line)).collect()
        };
        let cut_label = |label: &str| cut_to_width(label, columns.saturating_sub(8));
        match self {
            Self::Sentence { text, style } => {
                style_all(style, wrap_columns("  ", CONTINUED, &text, columns))
            }
            Self::Effects { text, destinations } => {
                let style = |word| (word, TextStyle::Destination);
                let words: Vec<_> = destinations.into_iter().map(style).collect();
                StyledLine::highlight(&text, &words).wrap("  ", CONTINUED, columns)
            }
            Self::Labelled { label, text, style } => {
                let label = cut_label(&label);
                let gap = " ".repeat(label_width.saturating_sub(text_width(&label)));
                let text = format!("{label}{gap}  {text}");
                style_all(style, wrap_columns("  ", CONTINUED, &text, columns))
            }
            Self::Block { label, lines, style } => {
                let label = label.map(|label| format!("  {}", cut_label(&label)));
                let drawn = label.into_iter().chain(draw_block(&lines, columns)).collect();
                style_all(style, drawn)
            }
        }
    }
}

/// A fact about where the request comes from.
fn find_who<'a>(card: &'a Card, name: &str) -> Option<&'a str> {
    let field = card.who.iter().find(|field| field.name.as_str() == name)?;
    field.lines.first().map(|line| line.display_text().as_str())
}

fn is_command(field: &CardField) -> bool {
    field.name.as_str() == "command"
}

/// Lines of an agent, each with the mark. What we say about lines that are left out has none.
fn draw_block(block: &[CardLine], columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
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
    lines
}
