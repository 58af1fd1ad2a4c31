//! `graph diff --prove`: what a solver proved, its counterexamples, and the limits of the proof.

use super::pluralize;
use crate::RulesContext;
use countersign_console::{BOLD, DIM, Failure, Page, RED, YELLOW};
use countersign_graph::policies::{self, CompiledPolicies};
use countersign_prove::{
    AllowLevel, GraphSide, Proof, ProofError, ProofFinding, ProofResult, SolverSettings,
};
use countersign_setup::GraphFile;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// What the solver compared, and what it did not.
const SUBJECT: &str = "lists and policies, for a call with the same facts under both graphs";
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
/// Facts that the solver may choose freely.
const UNCONSTRAINED: &str =
    "whether a path counts as secret, a host as near or a recipient as a contact";

/// A proof, or why there is none.
pub(super) enum ProofAttempt {
    Done(Proof),
    Unavailable(ProofError),
}

pub(super) fn try_prove(
    old: &GraphFile,
    new: &GraphFile,
    seconds: u64,
    context: &RulesContext,
) -> Result<ProofAttempt, Failure> {
    let solver = SolverSettings {
        program: context.solver.clone(),
        time_limit: Duration::from_secs(seconds),
    };
    let (before, after) = (policies_or_lists(old)?, policies_or_lists(new)?);
    let old = GraphSide { graph: &old.loaded.graph, rules: &before };
    let new = GraphSide { graph: &new.loaded.graph, rules: &after };
    Ok(match countersign_prove::prove(old, new, &solver) {
        Ok(proof) => ProofAttempt::Done(proof),
        Err(why) => ProofAttempt::Unavailable(why),
    })
}

/// The compiled policies, or the lists alone if a graph has no policies.
fn policies_or_lists(file: &GraphFile) -> Result<Arc<CompiledPolicies>, Failure> {
    match &file.loaded.policies {
        Some(rules) => Ok(Arc::clone(rules)),
        None => Ok(Arc::new(policies::compile(&file.loaded.graph, &[])?)),
    }
}

impl ProofAttempt {
    pub(super) fn allows_nothing_new(&self) -> bool {
        match self {
            Self::Done(proof) => {
                proof.findings.iter().all(|finding| finding.result == ProofResult::NothingNew)
            }
            Self::Unavailable(_) => false,
        }
    }

    /// What was found, before anything else; what allows nothing new is only counted.
    pub(super) fn draw_findings(&self, page: &mut Page) {
        match self {
            Self::Unavailable(why) => {
                page.styled(YELLOW, "not proved").text(&format!(": {why}")).end();
                page.text("  ").styled(BOLD, "help").text(&format!(": {}", help(why))).end();
            }
            Self::Done(proof) => draw_findings(proof, page),
        }
        page.end();
    }

    /// What the proof is about.
    pub(super) fn draw_limits(&self, page: &mut Page) {
        let Self::Done(proof) = self else { return };
        page.styled(DIM, &format!("proved by {}: {SUBJECT}", proof.solver)).end();
        page.styled(DIM, &format!("not constrained: {UNCONSTRAINED}")).end();
        page.styled(DIM, &format!("outside of the proof: {}", OUTSIDE.join(", "))).end();
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Unavailable(why) => json!({"unavailable": why.to_string(), "help": help(why)}),
            Self::Done(proof) => json!({
                "solver": proof.solver,
                "about": SUBJECT,
                "unconstrained": UNCONSTRAINED,
                "outside": OUTSIDE,
                "findings": proof.findings.iter().map(finding_json).collect::<Vec<_>>(),
            }),
        }
    }
}

const fn help(why: &ProofError) -> &'static str {
    match why {
        ProofError::NotBuiltIn => {
            "build it with `cargo install --locked --path crates/cli --features prove`; the table \
             below does not use a solver"
        }
        ProofError::SolverNotFound(_) => {
            "run `apt-get install cvc5`, or name the program in CVC5; the table below does not \
             use a solver"
        }
        ProofError::SolverUnreliable { .. } => {
            "use Debian's cvc5, or give it more time with `--timeout`; the table below does not \
             use a solver"
        }
        ProofError::IncompatibleGraphs(_) => "the table below does not use a solver",
    }
}

fn draw_findings(proof: &Proof, page: &mut Page) {
    for (finding, words) in proof.findings.iter().filter_map(describe_finding) {
        let (subject, level) = (finding.subject.to_string(), finding.level.word());
        let style = match finding.result {
            ProofResult::NewlyAllowed(_) => RED,
            ProofResult::NothingNew | ProofResult::NotProved(_) => YELLOW,
        };
        page.styled(style, result_word(&finding.result)).text(": ");
        page.styled(BOLD, &subject).text(&format!(" {level}: {words}")).end();
    }
    let questions = pluralize(proof.findings.len(), "question");
    let count = |word: &str| {
        proof.findings.iter().filter(|finding| result_word(&finding.result) == word).count()
    };
    let [nothing, newly, unproved] = [NOTHING_NEW, NEWLY_ALLOWED, NOT_PROVED].map(count);
    page.text(&format!(
        "{questions}: {nothing} with nothing new, {newly} {NEWLY_ALLOWED}, {unproved} {NOT_PROVED}"
    ));
    page.end();
}

const NOTHING_NEW: &str = "allows nothing new";
const NEWLY_ALLOWED: &str = "newly allowed";
const NOT_PROVED: &str = "not proved";

const fn result_word(result: &ProofResult) -> &'static str {
    match result {
        ProofResult::NothingNew => NOTHING_NEW,
        ProofResult::NewlyAllowed(_) => NEWLY_ALLOWED,
        ProofResult::NotProved(_) => NOT_PROVED,
    }
}

/// What is newly allowed, or why nothing is proved; none if nothing is new.
fn describe_finding(finding: &ProofFinding) -> Option<(&ProofFinding, String)> {
    let words = match &finding.result {
        ProofResult::NothingNew => return None,
        ProofResult::NotProved(why) => why.clone(),
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

fn finding_json(finding: &ProofFinding) -> Value {
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
        "answer": result_word(&finding.result).replace(' ', "_"),
        "why": why,
        "example": example,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_without_the_prover_says_how_to_get_one() {
        let attempt = ProofAttempt::Unavailable(ProofError::NotBuiltIn);
        assert!(!attempt.allows_nothing_new());
        let mut page = Page::new();
        attempt.draw_findings(&mut page);
        let text = page.as_str();
        assert!(text.contains(": this program was built without the prover\n"), "{text}");
        assert!(text.contains("--features prove`"), "{text}");
    }
}
