//! `graph diff --prove`: what a solver proved, what it showed, and what it was not asked.

use super::count;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use crate::settings::Settings;
use crate::table::{self, Cell};
use countersign_graph::policies::{self, CompiledPolicies};
use countersign_prove::{
    AllowLevel, GraphSide, Proof, ProofError, ProofFinding, ProofResult, SolverSettings,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What was asked, and what was not.
const ABOUT: &str = "lists and policies, for a call with the same facts under both graphs";
const OUTSIDE: [&str; 13] = [
    "command rules",
    "grants",
    "risk",
    "always_ask",
    "conditions",
    "trusted channels",
    "confidence",
    "decay",
    "reducers",
    "workflows",
    "slash commands",
    "tools",
    "contacts",
];
const FREELY: &str = "whether a path counts as secret, a host as near or a recipient as a contact";

/// A proof, or why there is none.
pub(super) enum Attempt {
    Made(Proof),
    Unavailable(ProofError),
}

pub(super) fn attempt(
    old: &GraphFile,
    new: &GraphFile,
    seconds: u64,
    settings: &Settings,
) -> Result<Attempt, Failure> {
    let solver = SolverSettings {
        program: settings.solver().to_owned(),
        time_limit: Duration::from_secs(seconds),
    };
    let (before, after) = (rules_of(old)?, rules_of(new)?);
    let old = GraphSide { graph: &old.loaded.graph, rules: &before };
    let new = GraphSide { graph: &new.loaded.graph, rules: &after };
    Ok(match countersign_prove::prove(old, new, &solver) {
        Ok(proof) => Attempt::Made(proof),
        Err(why) => Attempt::Unavailable(why),
    })
}

/// The lists alone, where a graph has no policies.
fn rules_of(file: &GraphFile) -> Result<Arc<CompiledPolicies>, Failure> {
    match &file.loaded.policies {
        Some(rules) => Ok(Arc::clone(rules)),
        None => Ok(Arc::new(policies::compile(&file.loaded.graph, &[])?)),
    }
}

impl Attempt {
    pub(super) fn allows_nothing_new(&self) -> bool {
        match self {
            Self::Made(proof) => proof.findings.iter().all(|f| f.result == ProofResult::NothingNew),
            Self::Unavailable(_) => false,
        }
    }

    pub(super) fn page(&self, page: &mut Page) {
        page.end();
        match self {
            Self::Unavailable(why) => {
                page.styled(YELLOW, "not proved").text(&format!(": {why}")).end();
                page.text("  ").styled(BOLD, "help").text(&format!(": {}", help(why))).end();
            }
            Self::Made(proof) => {
                findings(proof, page);
                page.styled(DIM, &format!("proved by {}: {ABOUT}", proof.solver)).end();
                page.styled(DIM, &format!("taken as it may be: {FREELY}")).end();
                page.styled(DIM, &format!("outside of the proof: {}", OUTSIDE.join(", "))).end();
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        match self {
            Self::Unavailable(why) => json!({"unavailable": why.to_string(), "help": help(why)}),
            Self::Made(proof) => json!({
                "solver": proof.solver,
                "about": ABOUT,
                "taken_freely": FREELY,
                "outside": OUTSIDE,
                "findings": proof.findings.iter().map(finding).collect::<Vec<_>>(),
            }),
        }
    }
}

const fn help(why: &ProofError) -> &'static str {
    match why {
        ProofError::SolverNotFound(_) => {
            "run `apt-get install cvc5`, or name the program in CVC5; what is above was compared \
             without a solver"
        }
        ProofError::SolverUnreliable { .. } => {
            "use Debian's cvc5, or give it more time with `--timeout`; what is above was compared \
             without a solver"
        }
        ProofError::IncompatibleGraphs(_) => "what is above was compared without a solver",
    }
}

fn findings(proof: &Proof, page: &mut Page) {
    let rows: Vec<Vec<Cell>> =
        proof.findings.chunk_by(|a, b| a.subject == b.subject).map(row).collect();
    table::draw(page, &["ACTION", "WITHOUT ASKING", "WITH APPROVAL"], &rows);
    page.end();
    let examples: Vec<_> = proof.findings.iter().filter_map(example).collect();
    for (finding, words) in &examples {
        let (subject, level) = (finding.subject.to_string(), finding.level.word());
        page.styled(BOLD, &subject).text(&format!(" {level}: {words}")).end();
    }
    let asked = count(proof.findings.len(), "question");
    let of = |answer: &str| proof.findings.iter().filter(|f| word(&f.result) == answer).count();
    let [nothing, newly, unproved] = [NOTHING_NEW, NEWLY_ALLOWED, NOT_PROVED].map(of);
    page.text(&format!(
        "{asked}: {nothing} with nothing new, {newly} {NEWLY_ALLOWED}, {unproved} {NOT_PROVED}"
    ));
    page.end();
}

const NOTHING_NEW: &str = "allows nothing new";
const NEWLY_ALLOWED: &str = "newly allowed";
const NOT_PROVED: &str = "not proved";

const fn word(answer: &ProofResult) -> &'static str {
    match answer {
        ProofResult::NothingNew => NOTHING_NEW,
        ProofResult::NewlyAllowed(_) => NEWLY_ALLOWED,
        ProofResult::NotProved(_) => NOT_PROVED,
    }
}

/// One subject at both levels.
fn row(findings: &[ProofFinding]) -> Vec<Cell> {
    let subject = findings.first().map(|finding| finding.subject.to_string());
    let mut cells = vec![Cell::styled(BOLD, subject.unwrap_or_default())];
    cells.extend(findings.iter().map(|finding| {
        let style = match finding.result {
            ProofResult::NothingNew => GREEN,
            ProofResult::NewlyAllowed(_) => RED,
            ProofResult::NotProved(_) => YELLOW,
        };
        Cell::styled(style, word(&finding.result))
    }));
    cells
}

/// What a reader has to know beyond the word in the table.
fn example(finding: &ProofFinding) -> Option<(&ProofFinding, String)> {
    let words = match &finding.result {
        ProofResult::NothingNew => return None,
        ProofResult::NotProved(why) => format!("not proved, as {why}"),
        ProofResult::NewlyAllowed(example) => {
            let facts = match countersign_prove::describe_facts(&example.facts).join(", ") {
                facts if facts.is_empty() => "any call".to_owned(),
                facts => format!("for example with {facts}"),
            };
            format!("{facts}; {} becomes {}", example.before, example.after)
        }
    };
    Some((finding, words))
}

fn finding(finding: &ProofFinding) -> Value {
    let level = match finding.level {
        AllowLevel::WithoutAsking => "without_asking",
        AllowLevel::WithApproval => "with_approval",
    };
    let (why, example) = match &finding.result {
        ProofResult::NothingNew => (Value::Null, Value::Null),
        ProofResult::NotProved(why) => (json!(why), Value::Null),
        ProofResult::NewlyAllowed(example) => (
            Value::Null,
            json!({
                "facts": countersign_prove::facts_to_json(&example.facts),
                "words": countersign_prove::describe_facts(&example.facts),
                "before": example.before.to_string(),
                "after": example.after.to_string(),
            }),
        ),
    };
    json!({
        "action": finding.subject.to_string(),
        "level": level,
        "answer": word(&finding.result).replace(' ', "_"),
        "why": why,
        "example": example,
    })
}
