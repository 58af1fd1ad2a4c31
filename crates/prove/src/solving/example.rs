//! Example calls: read from the solver's output, and evaluated like real calls.

use super::side_policies::{Listing, SidePolicies};
use crate::AllowLevel;
use cedar_policy::{EvalResult, Record, Request};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};

/// Tests whether a call is newly allowed. Every example has to pass this test.
pub(crate) struct NewlyAllowedTest<'a, 'g> {
    pub(crate) action: &'a Action,
    pub(crate) level: AllowLevel,
    pub(crate) old: &'a SidePolicies<'g>,
    pub(crate) new: &'a SidePolicies<'g>,
}

impl NewlyAllowedTest<'_, '_> {
    /// The tiers of the call under both graphs, if it is newly allowed.
    pub(crate) fn evaluate_tiers(&self, facts: &ArgumentFacts) -> Option<(Tier, Tier)> {
        let (before, after) =
            (self.evaluate_tier(self.old, facts)?, self.evaluate_tier(self.new, facts)?);
        let allowed = |tier| match self.level {
            AllowLevel::WithoutAsking => tier == Tier::Autonomous,
            AllowLevel::WithApproval => tier != Tier::Blocked,
        };
        (allowed(after) && !allowed(before)).then_some((before, after))
    }

    fn evaluate_tier(&self, side: &SidePolicies<'_>, facts: &ArgumentFacts) -> Option<Tier> {
        let evaluated = side
            .side
            .rules
            .evaluate_including_lists(self.action, std::slice::from_ref(facts))?
            .tier;
        Some(match side.listing {
            Listing::Listed => evaluated,
            Listing::Unlisted => evaluated.max(Tier::RequiresApproval),
        })
    }
}

/// Reads the facts of the solver's example, unchanged.
pub(crate) fn read_facts(request: &Request) -> Result<ArgumentFacts, String> {
    let facts = request.context().and_then(|context| context.get("facts"));
    let Some(EvalResult::Record(facts)) = facts else {
        return Err("the solver's example has no facts".to_owned());
    };
    let path = PathFacts {
        path: read_text(&facts, "path"),
        name: read_text(&facts, "name"),
        under: read_texts(&facts, "under"),
        in_workspace: read_flag(&facts, "in_workspace"),
        secret: read_flag(&facts, "secret"),
    };
    let is_path = path.path.is_some() || path.name.is_some() || path.secret || path.in_workspace;
    let recipient = RecipientFacts {
        known: read_flag(&facts, "known_recipient"),
        vip: read_flag(&facts, "vip"),
        hosts: read_texts(&facts, "recipient_hosts"),
    };
    let is_recipient = recipient.known || recipient.vip || !recipient.hosts.is_empty();
    let port = read_number(&facts, "port").map(u16::try_from).transpose();
    Ok(ArgumentFacts {
        path: if is_path || !path.under.is_empty() { Fact::Known(path) } else { Fact::Absent },
        host: known_or_absent(read_text(&facts, "host").map(|host| HostFacts {
            host,
            hosts: read_texts(&facts, "hosts"),
            scheme: read_text(&facts, "scheme"),
            port: port.unwrap_or_default(),
            local_network: read_flag(&facts, "local_network"),
        })),
        recipient: if is_recipient { Fact::Known(recipient) } else { Fact::Absent },
        amount: known_or_absent(read_number(&facts, "amount").map(|minor_units| AmountFacts {
            minor_units,
            currency: read_text(&facts, "currency"),
        })),
        branch: known_or_absent(read_text(&facts, "branch")),
    })
}

fn known_or_absent<T>(fact: Option<T>) -> Fact<T> {
    fact.map_or(Fact::Absent, Fact::Known)
}

fn read_text(facts: &Record, name: &str) -> Option<String> {
    match facts.get(name) {
        Some(EvalResult::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn read_number(facts: &Record, name: &str) -> Option<i64> {
    match facts.get(name) {
        Some(EvalResult::Long(number)) => Some(*number),
        _ => None,
    }
}

fn read_flag(facts: &Record, name: &str) -> bool {
    matches!(facts.get(name), Some(EvalResult::Bool(true)))
}

fn read_texts(facts: &Record, name: &str) -> Vec<String> {
    let Some(EvalResult::Set(set)) = facts.get(name) else { return Vec::new() };
    let text = |item: &EvalResult| match item {
        EvalResult::String(text) => Some(text.clone()),
        _ => None,
    };
    set.iter().filter_map(text).collect()
}
