//! The card of a request with the form that answers it.
//!
//! The facts, their order and the choices are the card's. Where the terminal shows one line, the page
//! shows one labelled row.

use crate::answering::{AnswerFields, Confirming};
use crate::frame::{Frame, PageName};
use crate::words;
use askama::Template;
use countersign_api::CardView;
use countersign_card::{
    Card, CardEffect, CardField, CardItem, CardLine, EffectWeight, Offer, SecondConfirmation,
};
use countersign_core::model::words::{Choice, Risk};

/// Whether a yes counts here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YesState {
    Offered,
    /// This browser has not shown the whole call, and the risk demands it.
    WholeCallFirst,
}

#[derive(Template)]
#[template(path = "card.html")]
pub struct CardPanel<'a> {
    pub frame: &'a Frame<'a>,
    pub view: &'a CardView,
    pub fields: AnswerFields,
    pub yes: YesState,
    pub confirming: Option<Confirming>,
    /// Who answered it, where it was not this browser.
    pub answered: Option<String>,
    /// Changes with everything that an operator may want to look at again.
    pub version: String,
}

impl CardPanel<'_> {
    fn card(&self) -> &Card {
        &self.view.card
    }

    fn is_open(&self) -> bool {
        self.card().closed.is_none() && !self.card().items.is_empty()
    }

    fn takes_yes(&self) -> bool {
        self.yes == YesState::Offered
    }

    fn risk_class(&self) -> &'static str {
        words::risk_class(self.card().risk)
    }

    fn risk_shape(&self) -> &'static str {
        words::risk_shape(self.card().risk)
    }

    fn risk_word(&self) -> &'static str {
        words::risk_word(self.card().risk)
    }

    fn undo(&self) -> String {
        self.card().describe_undo().unwrap_or_default()
    }

    fn headline(&self) -> &str {
        match (self.card().headline_without_command(), self.card().one_line_command()) {
            (Some(headline), _) => headline,
            (None, Some(_)) => "Run a command",
            (None, None) => self.card().headline.as_str(),
        }
    }

    fn command(&self) -> Option<&CardField> {
        self.card().exact.iter().find(|field| field.name.as_str() == "command")
    }

    fn exact(&self) -> impl Iterator<Item = &CardField> {
        self.card().exact.iter().filter(|field| field.name.as_str() != "command")
    }

    fn dangers(&self) -> Vec<&CardEffect> {
        self.card().effects.iter().filter(|one| one.weight == EffectWeight::Danger).collect()
    }

    fn effects(&self) -> Vec<&CardEffect> {
        self.card().effects.iter().filter(|one| one.weight != EffectWeight::Danger).collect()
    }

    fn is_single(&self) -> bool {
        self.card().items.len() == 1
    }

    fn choices(&self, item: &CardItem) -> OfferList {
        let rows: Vec<OfferRow> = item
            .offers
            .iter()
            .filter(|offer| offer.choice != Choice::Decline)
            .map(|offer| OfferRow::new(item, offer))
            .collect();
        let (once, wider) = rows.into_iter().partition(|row: &OfferRow| row.choice == Choice::Once);
        OfferList { once, wider }
    }

    fn all_choices(&self, item: &CardItem) -> Vec<OfferRow> {
        item.offers.iter().map(|offer| OfferRow::new(item, offer)).collect()
    }

    fn needs_whole_call(&self) -> bool {
        self.card().risk >= Risk::High
    }

    fn item_class(&self, item: &CardItem) -> &'static str {
        words::risk_class(item.risk)
    }

    /// Who asks, for which project, in which task.
    fn asked_by(&self) -> Vec<(&'static str, &str)> {
        let words = [("agent", ""), ("project", "in"), ("workflow", "working on")];
        let found = words.iter().filter_map(|(name, word)| Some((*word, self.find_who(name)?)));
        found.collect()
    }

    fn find_who(&self, name: &str) -> Option<&str> {
        let field = self.card().who.iter().find(|field| field.name.as_str() == name)?;
        field.lines.first().map(|line| line.display_text().as_str())
    }

    /// Where from, in small print: what the line about who asks does not say, and what is not so for
    /// nearly everything.
    fn small_print(&self) -> Vec<(&str, &str)> {
        let is_small = |name: &str, text: &str| match name {
            "agent" | "project" | "workflow" => false,
            "started by" => text != "agent",
            _ => true,
        };
        self.card()
            .who
            .iter()
            .filter_map(|field| {
                let text = field.lines.first()?.display_text().as_str();
                let name = field.name.as_str();
                is_small(name, text).then_some((name, text))
            })
            .collect()
    }

    /// A field with one line is a row; another is a block.
    fn single_line<'f>(&self, field: &'f CardField) -> Option<&'f str> {
        match field.lines.as_slice() {
            [CardLine::Text(only)] => Some(only.as_str()),
            _ => None,
        }
    }

    fn block<'f>(&self, field: &'f CardField) -> FieldLines<'f> {
        FieldLines::new(field)
    }

    /// How a claim of the agent is introduced.
    fn claim_label(&self, field: &CardField) -> String {
        let agent = self.card().agent().unwrap_or("the agent");
        match field.name.as_str() {
            "reason" => format!("{agent} says"),
            "if not" => "if no, it says".to_owned(),
            other => format!("{agent} says, {other}"),
        }
    }

    /// What a screen reader says about a new card.
    fn announcement(&self) -> String {
        let card = self.card();
        let agent = card.agent().unwrap_or("an agent");
        let command = card.one_line_command().unwrap_or_default();
        let command: String = command.chars().take(crate::limits::MAX_ANNOUNCED_CHARS).collect();
        let undo = self.undo();
        let headline = &card.headline;
        [
            format!("{agent} asks."),
            format!("{} risk{}{undo}.", card.risk, if undo.is_empty() { "" } else { ", " }),
            format!("{headline}."),
            command,
        ]
        .join(" ")
    }
}

/// One choice of an item.
pub struct OfferRow {
    choice: Choice,
    value: String,
    label: &'static str,
    /// How far it goes, where the choice alone does not say it.
    reach: &'static str,
    permits: String,
    spared: String,
    needs_second: bool,
}

struct OfferList {
    once: Vec<OfferRow>,
    wider: Vec<OfferRow>,
}

impl OfferRow {
    fn new(item: &CardItem, offer: &Offer) -> Self {
        let extra = item.extra_coverage(offer);
        Self {
            choice: offer.choice,
            value: words::encode_offer(offer),
            label: words::name_choice(offer.choice),
            reach: extra.map_or("", words::name_coverage),
            permits: offer.describe(),
            spared: offer.describe_spared().unwrap_or_default(),
            needs_second: offer.second == SecondConfirmation::Needed,
        }
    }
}

/// A field, line by line.
#[derive(Template)]
#[template(path = "lines.html")]
struct FieldLines<'a> {
    lines: &'a [CardLine],
    is_diff: bool,
}

impl<'a> FieldLines<'a> {
    fn new(field: &'a CardField) -> Self {
        let is_diff = field
            .lines
            .iter()
            .any(|line| matches!(line, CardLine::Added(_) | CardLine::Removed(_)));
        Self { lines: &field.lines, is_diff }
    }
}

/// The page that shows everything an agent sent, with the answer at its end.
#[derive(Template)]
#[template(path = "whole.html")]
pub struct WholeCall<'a> {
    pub frame: &'a Frame<'a>,
    pub panel: CardPanel<'a>,
    pub lines: Vec<String>,
}
