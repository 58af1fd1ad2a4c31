//! One subject, asked at both levels.
//!
//! *Nothing new* is what the solver proved: every call that the new graph lets through to a level,
//! the old one let through as well. A policy that can fail is judged otherwise than the solver
//! thinks, so that nothing is proved where there is one.

use crate::example::{Example, Newly};
use crate::facts_that_can_be::forbidding_the_rest;
use crate::repair;
use crate::sets::{self, Approval};
use crate::solver::{Solver, environment};
use crate::spelled::Spelled;
use crate::{Answer, Finding, Level, Side, Subject};
use cedar_policy::{PolicySet, Schema};
use cedar_policy_symcc::{CompiledPolicy, CompiledPolicySet};
use countersign_core::model::names::Action;
use countersign_graph::policies::{ArgumentFacts, FactGroup};
use std::collections::BTreeSet;

pub(crate) async fn ask(
    solver: &mut Solver,
    schema: &Schema,
    (old, new): (Side<'_>, Side<'_>),
    subject: &Subject,
) -> Vec<Finding> {
    let action = subject.action();
    let halves = Half::of(old, action).and_then(|o| Ok((o, Half::of(new, action)?)));
    let mut answers = Vec::with_capacity(Level::ALL.len());
    match halves {
        Err(why) => answers.extend(Level::ALL.map(|level| (level, Answer::NotProved(why.clone())))),
        Ok((old, new)) => {
            let mut asked = Asked { solver, schema, action, old, new };
            for level in Level::ALL {
                let answer = asked.answer(level).await.unwrap_or_else(Answer::NotProved);
                answers.push((level, answer));
            }
        }
    }
    let finding = |(level, answer)| Finding { subject: subject.clone(), level, answer };
    answers.into_iter().map(finding).collect()
}

/// What one graph says about the action.
pub(crate) struct Half<'g> {
    pub(crate) side: Side<'g>,
    pub(crate) listing: Listing,
    missing: PolicySet,
    given: PolicySet,
    looks_at: BTreeSet<FactGroup>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listing {
    Listed,
    /// What no list names, no policy makes autonomous.
    Unlisted,
}

impl<'g> Half<'g> {
    fn of(side: Side<'g>, action: &Action) -> Result<Self, String> {
        let listed = side.graph.rule(action).is_some();
        Ok(Self {
            side,
            listing: if listed { Listing::Listed } else { Listing::Unlisted },
            missing: sets::filled_in(side.rules, action, Approval::Missing)?,
            given: sets::filled_in(side.rules, action, Approval::Given)?,
            looks_at: side.rules.fact_groups_for(action),
        })
    }

    fn set(&self, approval: Approval) -> &PolicySet {
        match approval {
            Approval::Missing => &self.missing,
            Approval::Given => &self.given,
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let alike = |approval| match sets::conditions(self.set(approval)) {
            Some(own) => sets::conditions(other.set(approval)) == Some(own),
            None => false,
        };
        self.listing == other.listing
            && self.looks_at == other.looks_at
            && alike(Approval::Missing)
            && alike(Approval::Given)
    }
}

struct Asked<'a, 'g> {
    solver: &'a mut Solver,
    schema: &'a Schema,
    action: &'a Action,
    old: Half<'g>,
    new: Half<'g>,
}

impl Asked<'_, '_> {
    async fn answer(&mut self, level: Level) -> Result<Answer, String> {
        if self.old.is_like(&self.new) {
            return Ok(Answer::NothingNew);
        }
        if level == Level::WithoutAsking && self.new.listing == Listing::Unlisted {
            return Ok(Answer::NothingNew);
        }
        self.refuse_what_can_fail().await?;
        if let Some(shown) = self.readable(level).await? {
            return self.shown(level, shown);
        }
        match self.unreadable(level).await? {
            Some(shown) => self.shown(level, shown),
            None => Ok(Answer::NothingNew),
        }
    }

    /// A policy that fails permits nothing here, and Cedar passes over it.
    async fn refuse_what_can_fail(&mut self) -> Result<(), String> {
        let environment = environment()?;
        for half in [&self.old, &self.new] {
            for policy in half.missing.policies().chain(half.given.policies()) {
                let compiled = CompiledPolicy::compile(policy, &environment, self.schema)
                    .map_err(|error| error.to_string())?;
                if !self.solver.ask(async |s| s.check_never_errors_opt(&compiled).await).await? {
                    return Err(format!("`{}` fails on some calls", policy.id()));
                }
            }
        }
        Ok(())
    }

    /// A call whose facts can all be read.
    async fn readable(&mut self, level: Level) -> Result<Option<ArgumentFacts>, String> {
        use Approval::{Given, Missing};
        match level {
            Level::WithoutAsking => match self.old.listing {
                Listing::Listed => self.difference(Missing, Some(Missing)).await,
                Listing::Unlisted => self.difference(Missing, None).await,
            },
            Level::WithApproval => {
                if let Some(found) = self.difference(Given, Some(Given)).await? {
                    return Ok(Some(found));
                }
                // What happens without a yes happens at all. Of policies that permit less to an
                // approved call, only one of these can be right.
                match self.difference(Missing, Some(Missing)).await? {
                    Some(_) => self.difference(Missing, Some(Given)).await,
                    None => Ok(None),
                }
            }
        }
    }

    /// A call that the new graph permits and the old one does not, or never does.
    async fn difference(
        &mut self,
        new: Approval,
        old: Option<Approval>,
    ) -> Result<Option<ArgumentFacts>, String> {
        let nothing = PolicySet::new();
        let new = self.new.set(new);
        let old = old.map_or(&nothing, |approval| self.old.set(approval));
        let mut possible = new.clone();
        for policy in forbidding_the_rest(&Spelled::in_all(&[old, new]))? {
            possible.add(policy).map_err(|error| error.to_string())?;
        }
        let (new, old) = (self.compiled(&possible)?, self.compiled(old)?);
        let shown = self
            .solver
            .ask(async |s| s.check_implies_with_counterexample_opt(&new, &old).await)
            .await?;
        shown.map(|shown| crate::example::read(&shown.request)).transpose()
    }

    /// A call with a fact that cannot be read: no policy that asks for it permits anything, so
    /// that one which no longer asks may permit more.
    async fn unreadable(&mut self, level: Level) -> Result<Option<ArgumentFacts>, String> {
        let Some(group) = self.old.looks_at.difference(&self.new.looks_at).next().copied() else {
            return Ok(None);
        };
        let approvals: &[Approval] = match level {
            Level::WithoutAsking => &[Approval::Missing],
            Level::WithApproval => &[Approval::Given, Approval::Missing],
        };
        for approval in approvals {
            if let Some(mut facts) = self.difference(*approval, None).await? {
                repair::make_unreadable(&mut facts, group);
                return Ok(Some(facts));
            }
        }
        Ok(None)
    }

    fn compiled(&self, set: &PolicySet) -> Result<CompiledPolicySet, String> {
        CompiledPolicySet::compile(set, &environment()?, self.schema).map_err(|e| e.to_string())
    }

    /// What the solver shows, made into a call that can be, and evaluated under both graphs.
    fn shown(&self, level: Level, facts: ArgumentFacts) -> Result<Answer, String> {
        let newly = Newly { action: self.action, level, old: &self.old, new: &self.new };
        if newly.check(&facts).is_none() {
            return Err("the solver's example is not newly allowed when it is evaluated".into());
        }
        let sets = [&self.old.missing, &self.old.given, &self.new.missing, &self.new.given];
        let facts = repair::repaired(&newly, facts, &Spelled::in_all(&sets))?;
        match newly.check(&facts) {
            Some((before, after)) => {
                Ok(Answer::NewlyAllowed(Box::new(Example { facts, before, after })))
            }
            None => Err("the solver's example cannot be a real call".to_owned()),
        }
    }
}
