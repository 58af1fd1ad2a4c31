//! `countersign review`: what somebody who did not plan a call should check about it, from the
//! ledger. No daemon is needed, and nothing is approved.
//!
//! The words of the agent are marked as its claims. What could go wrong follows from the categories
//! and the risk, by a table.
//!
//! See docs/decisions/0112-reviews-and-support-packets.md.

use crate::entries::for_each_entry;
use crate::entry_text::{describe_answer, join_actions};
use crate::record::{RecordOption, ReportContext};
use crate::why::{DecisionQuery, ReviewedDecision, load_reviewed};
use clap::Args;
use countersign_console::{BOLD, Exit, Failure, Page, out};
use countersign_core::decide::explain;
use countersign_core::model::call::Call;
use countersign_core::model::category::Category;
use countersign_core::model::change::Change;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, Subject};
use countersign_core::model::words::{Ending, Risk, Undo};
use countersign_engine::StoreReader;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Args)]
#[command(
    about = "Show what an independent reviewer should check about a call",
    before_help = "\
Examples:
  countersign review c7f2a1            a call, or the request about it
  countersign review r3e22a1 --json    for a reviewer that is a program

It prints what was recorded about the call, its categories, what could go wrong, and the questions
that a reviewer answers. Give it to somebody who did not plan the call: a person, or the agent
high-consent-guard. A review approves nothing; `countersign show` is the card that you answer."
)]
pub struct ReviewArgs {
    /// The id of a call or request, or its beginning or end
    #[arg(value_name = "CALL")]
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

pub fn review(args: &ReviewArgs, context: &ReportContext) -> Result<Exit, Failure> {
    let record = args.record.open_reader(&context.record)?;
    let review = CallReview::load(&*record, &args.id)?;
    if args.json {
        out::show_json(&review.to_json())?;
    } else {
        out::show(&review.draw())?;
    }
    Ok(Exit::Allowed)
}

struct CallReview {
    found: ReviewedDecision,
    facts: Vec<(&'static str, String)>,
    harms: Vec<Harm>,
    /// What the agent says about the call.
    claims: Vec<(&'static str, String)>,
    declined: Vec<String>,
}

/// What could go wrong.
struct Harm {
    category: String,
    risk: Risk,
    text: &'static str,
}

impl CallReview {
    fn load(record: &dyn StoreReader, id: &str) -> Result<Self, Failure> {
        let found = load_reviewed(record, DecisionQuery::Id(id))?;
        let risk = found.decision.verdicts.iter().map(|verdict| verdict.risk).max();
        let (mut facts, mut claims, mut harms) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(call) = &found.call {
            facts = list_facts(call, risk);
            claims = list_claims(call);
            harms = list_harms(call);
        }
        if let Some(risk) = risk.filter(|risk| harms.iter().all(|harm| harm.risk < *risk)) {
            let category = "its risk".to_owned();
            harms.insert(0, Harm { category, risk, text: find_harm(risk.word(), risk) });
        }
        let declined = list_declines(record, &found)?;
        Ok(Self { found, facts, harms, claims, declined })
    }

    fn draw(&self) -> Page {
        let mut page = Page::new();
        page.styled(BOLD, "Review").text(" of ").text(&self.found.text).end();
        page.text("A review is advice to the operator. It approves nothing.").end();
        let mut section = |heading: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                page.end().styled(BOLD, heading).end();
            }
            for line in lines {
                page.text("  ").text(&line).end();
            }
        };
        let pair = |(name, text): &(&str, String)| format!("{name:<12}{text}");
        let mut facts: Vec<String> = self.facts.iter().map(pair).collect();
        facts.push(pair(&("decided", self.describe_decision())));
        facts.push(pair(&(
            "who",
            format!("{} in session {}", self.found.agent, self.found.session),
        )));
        facts.push(pair(&("id", self.found.id.clone())));
        section("What was recorded", facts);
        section("What could go wrong", self.harms.iter().map(Harm::describe).collect());
        section("What the agent says (a claim)", self.claims.iter().map(pair).collect());
        section("Declined before in this session", self.declined.clone());
        let numbered = (1..).zip(questions()).map(|(n, text)| format!("{n}. {text}"));
        section("Answer these questions, from what is there", numbered.collect());
        page
    }

    fn describe_decision(&self) -> String {
        let decision = &self.found.decision;
        format!("{}: {}", decision.outcome, explain::operator_sentence(decision))
    }

    fn to_json(&self) -> Value {
        let pairs = |pairs: &[(&str, String)]| -> Value {
            pairs.iter().map(|(name, text)| ((*name).to_owned(), json!(text))).collect()
        };
        let harm = |harm: &Harm| json!({"category": harm.category, "risk": harm.risk, "could_go_wrong": harm.text});
        json!({
            "v": 1,
            "id": self.found.id,
            "what": self.found.text,
            "agent": self.found.agent,
            "session": self.found.session,
            "outcome": self.found.decision.outcome,
            "reason": self.found.decision.reason,
            "facts": pairs(&self.facts),
            "harms": self.harms.iter().map(harm).collect::<Vec<_>>(),
            "claims": pairs(&self.claims),
            "declined_before": self.declined,
            "questions": questions().collect::<Vec<_>>(),
        })
    }
}

impl Harm {
    fn describe(&self) -> String {
        format!("{} ({}): {}", self.category, self.risk, self.text)
    }
}

fn questions() -> impl Iterator<Item = &'static str> {
    include_str!("review/questions.txt").lines().filter(|line| !line.is_empty())
}

/// What the table says about a category, or else about its risk.
fn find_harm(category: &str, risk: Risk) -> &'static str {
    let find = |wanted: &str| {
        let lines = include_str!("review/harms.txt").lines();
        lines.filter_map(|line| line.split_once(": ")).find(|(name, _)| *name == wanted)
    };
    find(category).or_else(|| find(risk.word())).map_or("", |(_, text)| text)
}

fn list_harms(call: &Call) -> Vec<Harm> {
    let given = call.given.iter().map(|category| (category, ""));
    let claimed = call.claims.categories.iter().map(|category| (category, ", said by the agent"));
    let harm = |(category, by): (&Category, &str)| Harm {
        category: format!("{category}{by}"),
        risk: category.floor(),
        text: find_harm(category.as_str(), category.floor()),
    };
    let mut harms: Vec<Harm> = given.chain(claimed).map(harm).collect();
    harms.sort_by_key(|harm| std::cmp::Reverse(harm.risk));
    harms
}

fn list_facts(call: &Call, risk: Option<Risk>) -> Vec<(&'static str, String)> {
    let undo = match call.undo {
        Some(Undo::Reversible) => "the rule says that it can be undone",
        Some(Undo::Irreversible) => "no",
        None => "unknown",
    };
    let mut facts = vec![("actions", join_actions(&call.actions))];
    let mut add = |name, text: Option<String>| facts.extend(text.map(|text| (name, text)));
    add("declares", (!call.declares.is_empty()).then(|| join_actions(&call.declares)));
    add("tool", call.tool.as_ref().map(ToString::to_string));
    add("command", call.command.as_ref().map(ToString::to_string));
    add("folder", call.cwd.clone());
    add("target", (!call.target.is_empty()).then(|| call.target.join(", ")));
    add("recipients", (!call.recipients.is_empty()).then(|| call.recipients.join(", ")));
    add(
        "arguments",
        call.args.as_object().filter(|args| !args.is_empty()).map(|_| call.args.to_string()),
    );
    add("project", call.project.as_ref().map(ToString::to_string));
    add("risk", risk.map(|risk| risk.to_string()));
    facts.push(("undo", undo.to_owned()));
    facts
}

fn list_claims(call: &Call) -> Vec<(&'static str, String)> {
    let said = [("reason", &call.claims.reason), ("fallback", &call.claims.fallback)];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    said.map(|(name, text)| (name, text.clone())).collect()
}

/// The declines before the decision, in the same session: of the same actions first said, and all
/// that was asked ahead.
fn list_declines(
    record: &dyn StoreReader,
    found: &ReviewedDecision,
) -> Result<Vec<String>, Failure> {
    let own: BTreeSet<&Action> = found.decision.verdicts.iter().map(|v| &v.action).collect();
    let mut asked: BTreeMap<RequestId, String> = BTreeMap::new();
    let mut declined = Vec::new();
    for_each_entry(record, |parsed| {
        match &parsed.change {
            Change::RequestOpened { request } if found.is_of_session(&request.session) => {
                asked.extend(describe_question(request, &own).map(|text| (request.id, text)));
            }
            Change::RequestAnswered { answered }
                if answered.ending == Some(Ending::Declined) && parsed.entry.seq < found.seq =>
            {
                if let Some(text) = asked.get(&answered.request) {
                    let said = describe_answer(answered, "it");
                    declined.push(format!("{text}: {said}, at {}", parsed.at));
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    Ok(declined)
}

fn describe_question(request: &Request, own: &BTreeSet<&Action>) -> Option<String> {
    if let Subject::Ahead(ahead) = &request.subject {
        return Some(format!("asked ahead: {}", ahead.text));
    }
    let mut actions = request.items.iter().filter_map(|item| item.action.as_ref());
    actions.any(|action| own.contains(action)).then(|| {
        let actions: Vec<Action> =
            request.items.iter().filter_map(|item| item.action.clone()).collect();
        join_actions(&actions)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::category::FLOORS;

    #[test]
    fn the_table_names_only_categories_and_risks_that_exist_and_every_critical_one() {
        let known: Vec<&str> = FLOORS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let lines = include_str!("review/harms.txt").lines().filter(|line| !line.starts_with('#'));
        let named: Vec<&str> =
            lines.filter_map(|line| line.split_once(": ")).map(|(n, _)| n).collect();
        for name in &named {
            assert!(known.contains(name) || Risk::from_input(name).is_some(), "{name}");
        }
        let critical = FLOORS.iter().filter(|(risk, _)| *risk >= Risk::High);
        for name in critical.flat_map(|(_, names)| names.iter()) {
            assert!(named.contains(name), "{name}");
        }
        assert!(Risk::ALL.iter().all(|risk| !find_harm("unknown", *risk).is_empty()));
    }
}
