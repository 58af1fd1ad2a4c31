//! Graphs over a few actions, leaning towards what is listed, moderate and askable.

use countersign_core::encoding::digest::Digest;
use countersign_core::model::category::Category;
use countersign_core::model::graph::{
    AskingRule, ChannelRule, CommandRules, Conditions, Decay, Demand, Destinations, Domain, Graph,
    LastReview, Reducer, Repeat, Rule, StepConsent, StepRule, ToolMapping, ToolPattern,
    Unclassified, VisibilityRule, WhenIdle, WorkflowRule,
};
use countersign_core::model::names::{Action, StepName, Workflow};
use countersign_core::model::time::Date;
use countersign_core::model::words::{Risk, Tier, TrustLevel, Undo, VisiblePolicy};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::BTreeMap;

/// The last one stands in no list.
pub(super) const ACTIONS: [&str; 8] = [
    "files.read",
    "files.write",
    "files.wipe",
    "mail.send",
    "mail.send_unknown",
    "notifications.push",
    "shop.buy",
    "void.leap",
];
const LISTED: usize = 7;

pub(super) const CATEGORIES: [&str; 6] = [
    "filesystem_read",
    "capture_screen",
    "filesystem_write",
    "git_write",
    "send_email",
    "purchase",
];

/// Workflows by what they declare.
pub(super) const WORKFLOWS: [&str; 3] = ["mixed", "harmless", "empty"];

pub(super) fn action(at: usize) -> Action {
    Action::parse(ACTIONS[at % ACTIONS.len()]).unwrap()
}

pub(super) fn category(at: usize) -> Category {
    Category::parse(CATEGORIES[at % CATEGORIES.len()]).unwrap()
}

/// Few actions come up often, so that grants, plans and parents meet the calls they are about.
pub(super) fn an_action() -> impl Strategy<Value = usize> {
    prop_oneof![5 => 0..3usize, 1 => 3..LISTED, 1 => LISTED..ACTIONS.len()]
}

pub(super) fn graph() -> impl Strategy<Value = Graph> {
    let rules = prop::collection::vec(rule(), LISTED);
    let domains = prop::collection::vec(domain(), 5);
    let root = (
        prop_oneof![3 => Just(Decay::Off), 1 => Just(Decay::AfterDays(30))],
        prop_oneof![2 => Just(Unclassified::Ask), 1 => Just(Unclassified::Deny)],
        prop_oneof![4 => Just(true), 1 => Just(false)],
    );
    let reducers = prop::collection::vec(reducer(), 0..6);
    let flow = (subsequence((0..LISTED).collect::<Vec<_>>(), 1..4), 0..LISTED, any::<bool>());
    (rules, domains, root, reducers, flow).prop_map(|(rules, domains, root, reducers, flow)| {
        let (decay, unclassified, reviewed) = root;
        let rules: Vec<(Action, Rule)> =
            rules.into_iter().enumerate().map(|(at, rule)| (action(at), rule)).collect();
        let mut graph = Graph {
            hash: Digest::hash_bytes("graph", b"generated"),
            decay,
            review_days: 30,
            last_reviewed: if reviewed {
                LastReview::On(Date::parse("2026-01-01").unwrap())
            } else {
                LastReview::Never
            },
            visible: VisibilityRule::DEFAULT,
            unclassified,
            domains: ["files", "mail", "notifications", "shop", "other"]
                .map(str::to_owned)
                .into_iter()
                .zip(domains)
                .collect(),
            rules: rules.into_iter().collect(),
            contacts: BTreeMap::from([("Anna".to_owned(), vec!["anna@x".to_owned()])]),
            reducers: Vec::new(),
            tools: tools(),
            workflows: BTreeMap::new(),
            slash: BTreeMap::from([
                ("go".to_owned(), vec![action(flow.1), action(1)]),
                ("nothing".to_owned(), Vec::new()),
            ]),
            commands: CommandRules::NONE,
            secrets: Vec::new(),
            guarded: Vec::new(),
            presets: BTreeMap::new(),
            preset: None,
            layer: None,
        };
        graph.reducers = reducers.into_iter().filter(|one| is_valid(&graph, one)).collect();
        graph.workflows = workflows(&graph, &flow);
        graph
    })
}

/// Takes away what no grant could carry: then most of what is asked can be granted.
pub(super) fn calm(graph: &mut Graph) {
    for rule in graph.rules.values_mut() {
        rule.categories.retain(|category| category.floor() <= Risk::Moderate);
        (rule.tier, rule.risk) = (Tier::RequiresApproval, Risk::Moderate);
        (rule.asking, rule.channel) = (AskingRule::ByTier, ChannelRule::Any);
    }
    for domain in graph.domains.values_mut() {
        (domain.destinations, domain.conditions) = (Destinations::Any, Conditions::NONE);
    }
}

pub(super) fn rule() -> impl Strategy<Value = Rule> {
    let tier = prop_oneof![
        4 => Just(Tier::Autonomous),
        14 => Just(Tier::RequiresApproval),
        1 => Just(Tier::Blocked),
    ];
    let risk = prop_oneof![
        2 => Just(Risk::ReadOnly),
        8 => Just(Risk::Low),
        12 => Just(Risk::Moderate),
        3 => Just(Risk::High),
        1 => Just(Risk::Critical),
    ];
    let one = |at: usize| Just(vec![category(at)]);
    let categories = prop_oneof![
        8 => Just(Vec::new()), 1 => one(0), 2 => one(1), 6 => one(2), 1 => one(4), 1 => one(5),
        4 => Just(vec![category(2), category(3)]),
    ];
    let rare = |chance: u32| prop::bool::weighted(1.0 / f64::from(chance));
    (tier, risk, categories, any::<bool>(), (rare(10), rare(2), rare(24))).prop_map(
        |(tier, risk, categories, reversible, (always, idle, bound))| Rule {
            tier,
            risk: categories.iter().map(Category::floor).fold(risk, Risk::max),
            categories,
            undo: Some(if reversible { Undo::Reversible } else { Undo::Irreversible }),
            asking: if always { AskingRule::Always } else { AskingRule::ByTier },
            when_idle: if idle { WhenIdle::Pass } else { WhenIdle::Ask },
            channel: match bound && tier != Tier::Blocked {
                true => ChannelRule::TrustedOnly,
                false => ChannelRule::Any,
            },
        },
    )
}

pub(super) fn domain() -> impl Strategy<Value = Domain> {
    let trust = prop_oneof![3 => Just(None), 1 => Just(Some(TrustLevel::Low))];
    let conditions = prop_oneof![
        24 => Just(Conditions::NONE),
        1 => Just(Conditions { diff: Demand::Needed, ..Conditions::NONE }),
    ];
    (trust, select(VisiblePolicy::ALL), prop::bool::weighted(0.3), conditions).prop_map(
        |(trust, policy, single, conditions)| Domain {
            trust,
            last_reviewed: None,
            visible: VisibilityRule { policy, ..VisibilityRule::DEFAULT },
            destinations: if single { Destinations::One } else { Destinations::Any },
            conditions,
        },
    )
}

fn reducer() -> impl Strategy<Value = Reducer> {
    (select(vec!["files.write", "mail.send", "sh"]), 0..LISTED, select(&Risk::ALL[..3]))
        .prop_map(|(caller, at, to)| Reducer { caller: caller.to_owned(), action: action(at), to })
}

/// What validation lets a reducer be about.
pub(super) fn is_valid(graph: &Graph, reducer: &Reducer) -> bool {
    graph.rule(&reducer.action).is_some_and(|rule| {
        reducer.to <= rule.risk
            && rule.risk < Risk::Critical
            && rule.asking == AskingRule::ByTier
            && rule.tier != Tier::Blocked
            && rule.channel == ChannelRule::Any
    })
}

fn tools() -> Vec<ToolMapping> {
    let mapping = |pattern, actions, categories| ToolMapping {
        pattern,
        actions,
        categories,
        target: vec!["/to".to_owned()],
        command: None,
        recipient: None,
        folder: Vec::new(),
        amount: None,
        undo: None,
        repeat: Repeat::NeedsAPerson,
        health: None,
        if_empty: None,
        declares: Vec::new(),
    };
    let exact = |name: &str| ToolPattern::Exact(name.to_owned());
    let mut shell = mapping(exact("sh"), vec![action(1)], Vec::new());
    shell.command = Some("/line".to_owned());
    let mut idempotent = mapping(exact("put"), vec![action(1)], vec![category(3)]);
    idempotent.repeat = Repeat::Idempotent;
    let prefix = ToolPattern::Prefix("p".to_owned());
    vec![shell, mapping(prefix, vec![action(0)], vec![category(2)]), idempotent]
}

fn workflows(
    graph: &Graph,
    (mixed, alone, individual): &(Vec<usize>, usize, bool),
) -> BTreeMap<Workflow, WorkflowRule> {
    let harmless = (0..LISTED).map(action).filter(|one| {
        graph.rule(one).is_some_and(|rule| rule.risk <= Risk::Low && rule.tier != Tier::Blocked)
    });
    let consent = if *individual { StepConsent::Individual } else { StepConsent::OfTheRun };
    let step = |name: &str, actions, consent| StepRule {
        name: StepName::parse(name).unwrap(),
        actions,
        consent,
    };
    let steps = vec![
        step("first", mixed.iter().map(|at| action(*at)).collect(), StepConsent::OfTheRun),
        step("last", vec![action(*alone)], consent),
    ];
    let declared = [mixed.iter().map(|at| action(*at)).collect(), harmless.collect(), Vec::new()];
    let rules = declared.into_iter().enumerate().map(|(at, actions)| WorkflowRule {
        actions,
        steps: if at == 0 { steps.clone() } else { Vec::new() },
    });
    WORKFLOWS.iter().map(|name| Workflow::parse(name).unwrap()).zip(rules).collect()
}
