//! *Rules*: what the graph says, domain by domain, and what it would say about a call.

use crate::frame::{Frame, PageName};
use crate::words;
use askama::Template;
use countersign_api::{DueReviewsResponse, GraphFileView};
use countersign_core::model::words::{Risk, Tier};

/// The actions of one domain.
pub struct DomainRow {
    pub name: String,
    pub trust: String,
    /// Action, tier, risk, and whether each call asks.
    pub actions: Vec<ActionRule>,
}

pub struct ActionRule {
    pub verb: String,
    pub tier: Tier,
    pub risk: Risk,
    pub always_asks: bool,
}

/// The command lines that are decided as one action.
pub struct CommandClass {
    pub action: String,
    pub rules: Vec<String>,
}

/// What the rules say about a call that nobody makes.
pub struct TriedCall {
    pub outcome: String,
    pub sentence: String,
    pub nearest: String,
    pub verdicts: Vec<String>,
}

#[derive(Template)]
#[template(path = "rules.html")]
pub struct RulesPage<'a> {
    pub frame: &'a Frame<'a>,
    pub file: Option<GraphFileView>,
    pub domains: Vec<DomainRow>,
    pub classes: Vec<CommandClass>,
    pub class_search: String,
    pub presets: Vec<(String, bool)>,
    pub due: DueReviewsResponse,
    /// Actions of recent calls that no list names.
    pub gaps: Vec<(String, usize)>,
    pub tool: String,
    pub line: String,
    pub tried: Option<Result<TriedCall, String>>,
}

impl RulesPage<'_> {
    fn tiers(&self) -> [(Tier, &'static str); 3] {
        [
            (Tier::Autonomous, "Happens"),
            (Tier::RequiresApproval, "Asks you"),
            (Tier::Blocked, "Blocked"),
        ]
    }

    fn in_tier<'d>(&self, domain: &'d DomainRow, tier: &Tier) -> Vec<&'d ActionRule> {
        domain.actions.iter().filter(|rule| rule.tier == *tier).collect()
    }

    fn risk_class(&self, rule: &ActionRule) -> &'static str {
        words::risk_class(rule.risk)
    }
}
