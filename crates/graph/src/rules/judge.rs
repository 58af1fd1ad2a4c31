//! Asking the policies: as not approved first, then as approved.
//!
//! Permitted without approval is autonomous, permitted with it requires approval, and the rest is
//! blocked. Where an evaluation fails, that level is not permitted: Cedar would skip a `forbid`
//! that fails, and so allow what it was written against.

use super::Rules;
use super::facts::{ArgumentFacts, Group};
use super::slice::Slice;
use super::table;
use cedar_policy::{Context, Decision, Request, Response, RestrictedExpression};
use countersign_core::model::names::Action;
use countersign_core::model::ruled::{ByPolicy, Firmness};
use countersign_core::model::words::Tier;

/// What a call is evaluated as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Approval {
    Missing,
    Given,
}

/// How one level came out, with the operator's policies that made it so.
enum Level {
    Permitted(Vec<String>),
    /// By these policies; where there are none, because nothing permits it.
    NotPermitted(Vec<String>),
    Failed(String),
}

impl Rules {
    /// What the policies make of an action, or nothing where none reaches it and the lists decide.
    /// Of several targets or recipients the strictest answer holds.
    pub fn ruling(&self, action: &Action, facts: &[ArgumentFacts]) -> Option<ByPolicy> {
        let slice = self.slices.of(action).filter(|slice| !slice.names.is_empty())?;
        Some(self.strictest(slice, facts))
    }

    /// The same, asked of Cedar whether a policy reaches the action or not.
    pub fn evaluated(&self, action: &Action, facts: &[ArgumentFacts]) -> Option<ByPolicy> {
        self.slices.of(action).map(|slice| self.strictest(slice, facts))
    }

    /// Whether what is asked about an action has the types of the schema.
    pub fn conforms(&self, action: &Action, facts: &ArgumentFacts) -> Result<(), String> {
        let Some(slice) = self.slices.of(action) else { return Ok(()) };
        let facts = RestrictedExpression::new_record(facts.fields()).map_err(|e| e.to_string())?;
        let request = self.request(slice, Approval::Missing, facts)?;
        let context = request.context().ok_or("the request has no context")?;
        context.validate(&self.schema, &slice.action).map_err(|error| error.to_string())
    }

    fn strictest(&self, slice: &Slice, facts: &[ArgumentFacts]) -> ByPolicy {
        let mut facts = facts.iter();
        let first = match facts.next() {
            Some(first) => self.judge(slice, first),
            None => self.judge(slice, &ArgumentFacts::none()),
        };
        facts.fold(first, |strictest, facts| {
            if strictest.tier == Tier::Blocked {
                return strictest;
            }
            let other = self.judge(slice, facts);
            if strictness(&other) > strictness(&strictest) { other } else { strictest }
        })
    }

    fn judge(&self, slice: &Slice, facts: &ArgumentFacts) -> ByPolicy {
        if let Some(error) = unreadable(slice, facts) {
            let failed = by(Tier::Blocked, slice.names.clone(), Firmness::Firm);
            return ByPolicy { error: Some(error), ..failed };
        }
        let facts = match RestrictedExpression::new_record(facts.fields()) {
            Ok(facts) => facts,
            Err(error) => return failed(error.to_string()),
        };
        let (against, error) = match self.level(slice, Approval::Missing, facts.clone()) {
            Level::Permitted(policies) => return by(Tier::Autonomous, policies, Firmness::Open),
            Level::NotPermitted(policies) => (policies, None),
            Level::Failed(error) => (Vec::new(), Some(error)),
        };
        match self.level(slice, Approval::Given, facts) {
            Level::Permitted(policies) => {
                let firm = !against.is_empty() || error.is_some();
                let hold = if firm { Firmness::Firm } else { Firmness::Open };
                let policies = [against, policies].concat();
                ByPolicy { error, ..by(Tier::RequiresApproval, policies, hold) }
            }
            Level::NotPermitted(policies) => {
                let hold = if policies.is_empty() { Firmness::Open } else { Firmness::Firm };
                by(Tier::Blocked, policies, hold)
            }
            Level::Failed(error) => failed(error),
        }
    }

    fn level(&self, slice: &Slice, approval: Approval, facts: RestrictedExpression) -> Level {
        match self.request(slice, approval, facts) {
            Ok(request) => {
                let (policies, entities) = (&slice.policies, &self.entities);
                Level::of(&self.authorizer.is_authorized(&request, policies, entities))
            }
            Err(error) => Level::Failed(error),
        }
    }

    fn request(
        &self,
        slice: &Slice,
        approval: Approval,
        facts: RestrictedExpression,
    ) -> Result<Request, String> {
        let approved = RestrictedExpression::new_bool(approval == Approval::Given);
        let pairs = [("approved".to_owned(), approved), ("facts".to_owned(), facts)];
        let context = Context::from_pairs(pairs).map_err(|error| error.to_string())?;
        let (principal, resource) = (self.principal.clone(), self.resource.clone());
        // The context has the schema's types by its making, which a test holds; checking it for
        // every call would cost more than the policies.
        Request::new(principal, slice.action.clone(), resource, context, None)
            .map_err(|error| error.to_string())
    }
}

impl Level {
    fn of(response: &Response) -> Self {
        let errors: Vec<_> = response.diagnostics().errors().map(ToString::to_string).collect();
        if !errors.is_empty() {
            return Self::Failed(errors.join("; "));
        }
        let reasons = response.diagnostics().reason().map(ToString::to_string);
        let mut policies: Vec<_> = reasons.filter(|name| name != table::NAME).collect();
        policies.sort_unstable();
        match response.decision() {
            Decision::Allow => Self::Permitted(policies),
            Decision::Deny => Self::NotPermitted(policies),
        }
    }
}

fn by(tier: Tier, policies: Vec<String>, hold: Firmness) -> ByPolicy {
    ByPolicy { tier, policies, hold, error: None }
}

fn failed(error: String) -> ByPolicy {
    ByPolicy { error: Some(error), ..by(Tier::Blocked, Vec::new(), Firmness::Firm) }
}

fn strictness(found: &ByPolicy) -> (Tier, bool) {
    (found.tier, found.hold == Firmness::Firm)
}

/// A fact that is there and cannot be read fails whoever asks for it.
fn unreadable(slice: &Slice, facts: &ArgumentFacts) -> Option<String> {
    let looked_at = Group::ALL.iter().filter(|group| slice.looks_at.contains(group));
    looked_at.copied().find_map(|group| facts.unreadable(group)).map(str::to_owned)
}
