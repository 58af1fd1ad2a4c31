//! Evaluates the policies for a call, first without approval and then with it.
//!
//! A call that is permitted without approval is autonomous, one that is permitted with approval
//! requires it, and any other call is blocked. If an evaluation fails, that level is not permitted:
//! Cedar alone would skip a failing `forbid` and allow what it forbids.

use super::CompiledPolicies;
use super::facts::{ArgumentFacts, FactGroup};
use super::slices::PolicySlice;
use super::tier_policy;
use cedar_policy::{Context, Decision, Request, Response, RestrictedExpression};
use countersign_core::model::names::Action;
use countersign_core::model::rule_results::{Firmness, PolicyResult};
use countersign_core::model::words::Tier;

/// Whether a call is evaluated as approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AssumedApproval {
    Missing,
    Given,
}

/// The result of evaluating one level, with the operator's policies that determined it.
enum LevelOutcome {
    Permitted(Vec<String>),
    /// Forbidden by these policies; without any, no policy permits the call.
    NotPermitted(Vec<String>),
    Failed(String),
}

impl CompiledPolicies {
    /// Evaluates the policies for an action. `None` if no policy applies to it, so that the tier
    /// lists decide. With several targets or recipients the strictest result counts.
    pub fn evaluate(&self, action: &Action, facts: &[ArgumentFacts]) -> Option<PolicyResult> {
        let slice = self.slices.get(action).filter(|slice| !slice.names.is_empty())?;
        Some(self.evaluate_strictest(slice, facts))
    }

    /// Like `evaluate`, but also evaluates actions to which no policy applies.
    pub fn evaluate_including_lists(
        &self,
        action: &Action,
        facts: &[ArgumentFacts],
    ) -> Option<PolicyResult> {
        self.slices.get(action).map(|slice| self.evaluate_strictest(slice, facts))
    }

    /// Checks that the context of a request has the types of the schema.
    pub fn validate_context(&self, action: &Action, facts: &ArgumentFacts) -> Result<(), String> {
        let Some(slice) = self.slices.get(action) else { return Ok(()) };
        let facts =
            RestrictedExpression::new_record(facts.cedar_fields()).map_err(|e| e.to_string())?;
        let request = self.build_request(slice, AssumedApproval::Missing, facts)?;
        let context = request.context().ok_or("the request has no context")?;
        context.validate(&self.schema, &slice.action).map_err(|error| error.to_string())
    }

    fn evaluate_strictest(&self, slice: &PolicySlice, facts: &[ArgumentFacts]) -> PolicyResult {
        let mut facts = facts.iter();
        let first = match facts.next() {
            Some(first) => self.evaluate_facts(slice, first),
            None => self.evaluate_facts(slice, &ArgumentFacts::absent()),
        };
        facts.fold(first, |strictest, facts| {
            if strictest.tier == Tier::Blocked {
                return strictest;
            }
            let other = self.evaluate_facts(slice, facts);
            if strictness(&other) > strictness(&strictest) { other } else { strictest }
        })
    }

    fn evaluate_facts(&self, slice: &PolicySlice, facts: &ArgumentFacts) -> PolicyResult {
        if let Some(error) = find_unreadable_fact(slice, facts) {
            let failed = ruling_by(Tier::Blocked, slice.names.clone(), Firmness::Firm);
            return PolicyResult { error: Some(error), ..failed };
        }
        let facts = match RestrictedExpression::new_record(facts.cedar_fields()) {
            Ok(facts) => facts,
            Err(error) => return failed_ruling(error.to_string()),
        };
        let (against, error) =
            match self.evaluate_level(slice, AssumedApproval::Missing, facts.clone()) {
                LevelOutcome::Permitted(policies) => {
                    return ruling_by(Tier::Autonomous, policies, Firmness::Open);
                }
                LevelOutcome::NotPermitted(policies) => (policies, None),
                LevelOutcome::Failed(error) => (Vec::new(), Some(error)),
            };
        match self.evaluate_level(slice, AssumedApproval::Given, facts) {
            LevelOutcome::Permitted(policies) => {
                let firm = !against.is_empty() || error.is_some();
                let hold = if firm { Firmness::Firm } else { Firmness::Open };
                let policies = [against, policies].concat();
                PolicyResult { error, ..ruling_by(Tier::RequiresApproval, policies, hold) }
            }
            LevelOutcome::NotPermitted(policies) => {
                let hold = if policies.is_empty() { Firmness::Open } else { Firmness::Firm };
                ruling_by(Tier::Blocked, policies, hold)
            }
            LevelOutcome::Failed(error) => failed_ruling(error),
        }
    }

    fn evaluate_level(
        &self,
        slice: &PolicySlice,
        approval: AssumedApproval,
        facts: RestrictedExpression,
    ) -> LevelOutcome {
        match self.build_request(slice, approval, facts) {
            Ok(request) => {
                let (policies, entities) = (&slice.policies, &self.entities);
                LevelOutcome::from_response(
                    &self.authorizer.is_authorized(&request, policies, entities),
                )
            }
            Err(error) => LevelOutcome::Failed(error),
        }
    }

    fn build_request(
        &self,
        slice: &PolicySlice,
        approval: AssumedApproval,
        facts: RestrictedExpression,
    ) -> Result<Request, String> {
        let approved = RestrictedExpression::new_bool(approval == AssumedApproval::Given);
        let pairs = [("approved".to_owned(), approved), ("facts".to_owned(), facts)];
        let context = Context::from_pairs(pairs).map_err(|error| error.to_string())?;
        let (principal, resource) = (self.principal.clone(), self.resource.clone());
        // No schema: a test checks that contexts have the right types, and validating each request
        // would cost more than evaluating the policies.
        Request::new(principal, slice.action.clone(), resource, context, None)
            .map_err(|error| error.to_string())
    }
}

impl LevelOutcome {
    fn from_response(response: &Response) -> Self {
        let errors: Vec<_> = response.diagnostics().errors().map(ToString::to_string).collect();
        if !errors.is_empty() {
            return Self::Failed(errors.join("; "));
        }
        let reasons = response.diagnostics().reason().map(ToString::to_string);
        let mut policies: Vec<_> =
            reasons.filter(|name| name != tier_policy::LISTS_POLICY_NAME).collect();
        policies.sort_unstable();
        match response.decision() {
            Decision::Allow => Self::Permitted(policies),
            Decision::Deny => Self::NotPermitted(policies),
        }
    }
}

fn ruling_by(tier: Tier, policies: Vec<String>, hold: Firmness) -> PolicyResult {
    PolicyResult { tier, policies, hold, error: None }
}

fn failed_ruling(error: String) -> PolicyResult {
    PolicyResult { error: Some(error), ..ruling_by(Tier::Blocked, Vec::new(), Firmness::Firm) }
}

fn strictness(ruling: &PolicyResult) -> (Tier, bool) {
    (ruling.tier, ruling.hold == Firmness::Firm)
}

/// The reason of the first unreadable fact that the policies use.
fn find_unreadable_fact(slice: &PolicySlice, facts: &ArgumentFacts) -> Option<String> {
    let used_groups = FactGroup::ALL.iter().filter(|group| slice.fact_groups.contains(group));
    used_groups.copied().find_map(|group| facts.unreadable_reason(group)).map(str::to_owned)
}
