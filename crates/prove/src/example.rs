//! A call that is newly allowed: read from the solver, and judged as every call is.

use crate::Level;
use crate::question::{Half, Listing};
use cedar_policy::{EvalResult, Record, Request};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub facts: ArgumentFacts,
    /// What lists and policies made of it.
    pub before: Tier,
    pub after: Tier,
}

/// The test that every example has to pass.
pub(crate) struct Newly<'a, 'g> {
    pub(crate) action: &'a Action,
    pub(crate) level: Level,
    pub(crate) old: &'a Half<'g>,
    pub(crate) new: &'a Half<'g>,
}

impl Newly<'_, '_> {
    /// What the two graphs make of the call, if it is newly allowed.
    pub(crate) fn check(&self, facts: &ArgumentFacts) -> Option<(Tier, Tier)> {
        let (before, after) = (self.tier(self.old, facts)?, self.tier(self.new, facts)?);
        let allowed = |tier| match self.level {
            Level::WithoutAsking => tier == Tier::Autonomous,
            Level::WithApproval => tier != Tier::Blocked,
        };
        (allowed(after) && !allowed(before)).then_some((before, after))
    }

    fn tier(&self, half: &Half<'_>, facts: &ArgumentFacts) -> Option<Tier> {
        let judged = half
            .side
            .rules
            .evaluate_including_lists(self.action, std::slice::from_ref(facts))?
            .tier;
        Some(match half.listing {
            Listing::Listed => judged,
            Listing::Unlisted => judged.max(Tier::RequiresApproval),
        })
    }
}

/// The facts of the solver's call, just as they are.
pub(crate) fn read(request: &Request) -> Result<ArgumentFacts, String> {
    let facts = request.context().and_then(|context| context.get("facts"));
    let Some(EvalResult::Record(facts)) = facts else {
        return Err("the solver's example has no facts".to_owned());
    };
    let path = PathFacts {
        path: text(&facts, "path"),
        name: text(&facts, "name"),
        under: texts(&facts, "under"),
        in_workspace: flag(&facts, "in_workspace"),
        secret: flag(&facts, "secret"),
    };
    let is_path = path.path.is_some() || path.name.is_some() || path.secret || path.in_workspace;
    let recipient = RecipientFacts {
        known: flag(&facts, "known_recipient"),
        vip: flag(&facts, "vip"),
        hosts: texts(&facts, "recipient_hosts"),
    };
    let is_recipient = recipient.known || recipient.vip || !recipient.hosts.is_empty();
    let port = number(&facts, "port").map(u16::try_from).transpose();
    Ok(ArgumentFacts {
        path: if is_path || !path.under.is_empty() { Fact::Known(path) } else { Fact::Absent },
        host: known(text(&facts, "host").map(|host| HostFacts {
            host,
            hosts: texts(&facts, "hosts"),
            scheme: text(&facts, "scheme"),
            port: port.unwrap_or_default(),
            local_network: flag(&facts, "local_network"),
        })),
        recipient: if is_recipient { Fact::Known(recipient) } else { Fact::Absent },
        amount: known(
            number(&facts, "amount")
                .map(|minor_units| AmountFacts { minor_units, currency: text(&facts, "currency") }),
        ),
        branch: known(text(&facts, "branch")),
    })
}

fn known<T>(fact: Option<T>) -> Fact<T> {
    fact.map_or(Fact::Absent, Fact::Known)
}

fn text(facts: &Record, name: &str) -> Option<String> {
    match facts.get(name) {
        Some(EvalResult::String(text)) => Some(text.clone()),
        _ => None,
    }
}

fn number(facts: &Record, name: &str) -> Option<i64> {
    match facts.get(name) {
        Some(EvalResult::Long(number)) => Some(*number),
        _ => None,
    }
}

fn flag(facts: &Record, name: &str) -> bool {
    matches!(facts.get(name), Some(EvalResult::Bool(true)))
}

fn texts(facts: &Record, name: &str) -> Vec<String> {
    let Some(EvalResult::Set(set)) = facts.get(name) else { return Vec::new() };
    let text = |item: &EvalResult| match item {
        EvalResult::String(text) => Some(text.clone()),
        _ => None,
    };
    set.iter().filter_map(text).collect()
}
