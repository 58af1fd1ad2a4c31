//! Proves one subject at both levels.
//!
//! *Nothing new* means that the solver proved: every call that the new graph allows at a level, the
//! old one allowed as well. The solver and our evaluation treat a failing policy differently, so
//! nothing is proved if a policy can fail.

use super::constraints::forbid_impossible_facts;
use super::example::NewlyAllowedTest;
use super::literals::PolicyLiterals;
use super::policy_sets::ApprovalPolicies;
use super::repair;
use super::side_policies::{Listing, SidePolicies};
use super::solver::{Solver, request_environment};
use crate::{AllowLevel, ExampleCall, GraphSide, ProofFinding, ProofResult, ProofSubject};
use cedar_policy::{PolicySet, Schema};
use cedar_policy_symcc::{CompiledPolicy, CompiledPolicySet};
use countersign_core::model::names::Action;
use countersign_graph::policies::ArgumentFacts;

pub(crate) async fn prove_subject(
    solver: &mut Solver,
    schema: &Schema,
    old: GraphSide<'_>,
    new: GraphSide<'_>,
    subject: &ProofSubject,
) -> Vec<ProofFinding> {
    let action = subject.action();
    let sides = SidePolicies::from_side(old, action)
        .and_then(|old| Ok((old, SidePolicies::from_side(new, action)?)));
    let mut results = Vec::with_capacity(AllowLevel::ALL.len());
    match sides {
        Err(why) => results
            .extend(AllowLevel::ALL.map(|level| (level, ProofResult::NotProved(why.clone())))),
        Ok((old, new)) => {
            let mut question = ProofQuestion { solver, schema, action, old, new };
            for level in AllowLevel::ALL {
                let result =
                    question.prove_level(level).await.unwrap_or_else(ProofResult::NotProved);
                results.push((level, result));
            }
        }
    }
    let finding = |(level, result)| ProofFinding { subject: subject.clone(), level, result };
    results.into_iter().map(finding).collect()
}

struct ProofQuestion<'a, 'g> {
    solver: &'a mut Solver,
    schema: &'a Schema,
    action: &'a Action,
    old: SidePolicies<'g>,
    new: SidePolicies<'g>,
}

impl ProofQuestion<'_, '_> {
    async fn prove_level(&mut self, level: AllowLevel) -> Result<ProofResult, String> {
        if self.old.is_equivalent(&self.new) {
            return Ok(ProofResult::NothingNew);
        }
        if level == AllowLevel::WithoutAsking && self.new.listing == Listing::Unlisted {
            return Ok(ProofResult::NothingNew);
        }
        self.require_infallible_policies().await?;
        if let Some(example) = self.find_readable_example(level).await? {
            return self.confirm_example(level, example);
        }
        match self.find_unreadable_example(level).await? {
            Some(example) => self.confirm_example(level, example),
            None => Ok(ProofResult::NothingNew),
        }
    }

    /// In our evaluation a failing policy permits nothing; Cedar skips it.
    async fn require_infallible_policies(&mut self) -> Result<(), String> {
        let environment = request_environment()?;
        for side in [&self.old, &self.new] {
            for policy in side.without_approval.policies().chain(side.with_approval.policies()) {
                let compiled = CompiledPolicy::compile(policy, &environment, self.schema)
                    .map_err(|error| error.to_string())?;
                if !self.solver.ask(async |s| s.check_never_errors_opt(&compiled).await).await? {
                    return Err(format!("`{}` fails on some calls", policy.id()));
                }
            }
        }
        Ok(())
    }

    /// Finds a newly allowed call whose facts are all readable.
    async fn find_readable_example(
        &mut self,
        level: AllowLevel,
    ) -> Result<Option<ArgumentFacts>, String> {
        use ApprovalPolicies::{Given, Missing};
        match level {
            AllowLevel::WithoutAsking => match self.old.listing {
                Listing::Listed => self.find_difference(Missing, Some(Missing)).await,
                Listing::Unlisted => self.find_difference(Missing, None).await,
            },
            AllowLevel::WithApproval => {
                if let Some(found) = self.find_difference(Given, Some(Given)).await? {
                    return Ok(Some(found));
                }
                // A call that runs without approval counts as well. This matters only for policies
                // that permit less to an approved call.
                match self.find_difference(Missing, Some(Missing)).await? {
                    Some(_) => self.find_difference(Missing, Some(Given)).await,
                    None => Ok(None),
                }
            }
        }
    }

    /// Finds a call that the new graph permits and the old one does not. Without `old`, the old graph
    /// permits nothing.
    async fn find_difference(
        &mut self,
        new: ApprovalPolicies,
        old: Option<ApprovalPolicies>,
    ) -> Result<Option<ArgumentFacts>, String> {
        let nothing = PolicySet::new();
        let new = self.new.policies(new);
        let old = old.map_or(&nothing, |approval| self.old.policies(approval));
        let mut possible = new.clone();
        for policy in forbid_impossible_facts(&PolicyLiterals::from_policy_sets(&[old, new]))? {
            possible.add(policy).map_err(|error| error.to_string())?;
        }
        let (new, old) = (self.compile_set(&possible)?, self.compile_set(old)?);
        let example = self
            .solver
            .ask(async |s| s.check_implies_with_counterexample_opt(&new, &old).await)
            .await?;
        example.map(|example| super::example::read_facts(&example.request)).transpose()
    }

    /// Finds a newly allowed call with an unreadable fact: the old policies look at the fact and
    /// therefore permit nothing, while the new ones no longer look at it.
    async fn find_unreadable_example(
        &mut self,
        level: AllowLevel,
    ) -> Result<Option<ArgumentFacts>, String> {
        let Some(group) = self.old.fact_groups.difference(&self.new.fact_groups).next().copied()
        else {
            return Ok(None);
        };
        let approvals: &[ApprovalPolicies] = match level {
            AllowLevel::WithoutAsking => &[ApprovalPolicies::Missing],
            AllowLevel::WithApproval => &[ApprovalPolicies::Given, ApprovalPolicies::Missing],
        };
        for approval in approvals {
            if let Some(mut facts) = self.find_difference(*approval, None).await? {
                repair::make_unreadable(&mut facts, group);
                return Ok(Some(facts));
            }
        }
        Ok(None)
    }

    fn compile_set(&self, set: &PolicySet) -> Result<CompiledPolicySet, String> {
        CompiledPolicySet::compile(set, &request_environment()?, self.schema)
            .map_err(|e| e.to_string())
    }

    /// Turns the solver's example into a realistic call and evaluates it under both graphs.
    fn confirm_example(
        &self,
        level: AllowLevel,
        facts: ArgumentFacts,
    ) -> Result<ProofResult, String> {
        let test = NewlyAllowedTest { action: self.action, level, old: &self.old, new: &self.new };
        if test.evaluate_tiers(&facts).is_none() {
            return Err("the solver's example is not newly allowed when it is evaluated".into());
        }
        let sets = [
            &self.old.without_approval,
            &self.old.with_approval,
            &self.new.without_approval,
            &self.new.with_approval,
        ];
        let facts = repair::repair_example(&test, facts, &PolicyLiterals::from_policy_sets(&sets))?;
        match test.evaluate_tiers(&facts) {
            Some((before, after)) => {
                Ok(ProofResult::NewlyAllowed(Box::new(ExampleCall { facts, before, after })))
            }
            None => Err("the solver's example cannot be a real call".to_owned()),
        }
    }
}
