//! Random pairs of graphs: each result is checked against a list of calls.

use crate::fixture::{GRAPH, TestGraph, load_test_graph, run_proof};
use countersign_core::model::names::Action;
use countersign_core::model::words::Tier;
use countersign_graph::policies::ArgumentFacts;
use countersign_graph::policies::facts::{AmountFacts, Fact, PathFacts};
use countersign_prove::{AllowLevel, ProofResult};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

const ACTION: &str = "files.write";

fn atom_strategy() -> impl Strategy<Value = String> {
    let folders = prop::sample::select(vec!["/", "/tmp", "/tmp/a", "/etc", ".", "./src", "~/x"]);
    let under = folders.prop_map(|folder| format!("context.facts.under.contains(\"{folder}\")"));
    let amount =
        (0..4_i64, prop::sample::select(vec!["<", "<=", ">", "=="])).prop_map(|(number, sign)| {
            format!("(context.facts has amount && context.facts.amount {sign} {number})")
        });
    let name = prop::sample::select(vec!["x", "src"])
        .prop_map(|name| format!("(context.facts has name && context.facts.name == \"{name}\")"));
    let flag = prop::sample::select(vec!["secret", "in_workspace"])
        .prop_map(|fact| format!("context.facts.{fact}"));
    prop_oneof![3 => under, 2 => amount, 1 => name, 1 => flag]
}

fn condition_strategy() -> impl Strategy<Value = String> {
    atom_strategy().prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} && {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} || {b})")),
            inner.prop_map(|a| format!("!{a}")),
        ]
    })
}

/// Policies in which an approval never takes away a permission.
fn policy_strategy() -> impl Strategy<Value = String> {
    let head = "(principal, action == Action::\"files.write\", resource)";
    let effects = vec!["permit", "permit", "forbid"];
    (prop::sample::select(effects), condition_strategy(), any::<bool>()).prop_map(
        move |(effect, condition, approval)| {
            let approval = match (effect, approval) {
                (_, false) => "",
                ("permit", true) => "context.approved && ",
                (_, true) => "!context.approved && ",
            };
            format!("{effect}{head} when {{ {approval}{condition} }};\n")
        },
    )
}

/// Old policies, and new ones that may include the old ones.
fn pair_strategy() -> impl Strategy<Value = (String, String)> {
    let policies = || prop::collection::vec(policy_strategy(), 0..3);
    (policies(), policies(), any::<bool>()).prop_map(|(old, mut new, keeps_old)| {
        if keeps_old {
            new.extend(old.iter().cloned());
        }
        (old.concat(), new.concat())
    })
}

/// Calls of every kind that the policies above distinguish.
fn list_calls() -> Vec<ArgumentFacts> {
    let known = |path: &str, under: &[&str]| {
        Fact::Known(PathFacts {
            path: Some(path.to_owned()),
            name: path.rsplit('/').next().filter(|n| !n.is_empty()).map(str::to_owned),
            under: under.iter().map(|folder| (*folder).to_owned()).collect(),
            in_workspace: under.contains(&"."),
            secret: false,
        })
    };
    let paths = [
        Fact::Absent,
        Fact::Unreadable("planted".into()),
        known("/", &["/"]),
        known("/x", &["/x", "/"]),
        known("/tmp", &["/tmp", "/"]),
        known("/tmp/x", &["/tmp/x", "/tmp", "/"]),
        known("/tmp/a/x", &["/tmp/a/x", "/tmp/a", "/tmp", "/"]),
        known("/etc/y", &["/etc/y", "/etc", "/"]),
        known("/w/y", &["/w/y", "/w", "/", "./y", "."]),
        known("/w/src", &["/w/src", "/w", "/", "./src", "."]),
        known("/w/src/y", &["/w/src/y", "/w/src", "/w", "/", "./src/y", "./src", "."]),
        known("/h/x", &["/h/x", "/h", "/", "~/x", "~"]),
        known("/h/src/x/y", &["/h/src/x/y", "/h/src/x", "/h/src", "/h", "/", "~/x/y", "~/x", "~"]),
        known("/tmp/a", &["/tmp/a", "/tmp", "/", ".", "~"]),
    ];
    let mut found = Vec::new();
    for path in paths {
        let secrets: Vec<_> = match &path {
            Fact::Known(known) => [false, true]
                .map(|secret| Fact::Known(PathFacts { secret, ..known.clone() }))
                .into(),
            Fact::Absent | Fact::Unreadable(_) => vec![path.clone()],
        };
        for path in secrets {
            for amount in [None, Some(0), Some(1), Some(2), Some(3), Some(4)] {
                let amount = amount.map_or(Fact::Absent, |minor_units| {
                    Fact::Known(AmountFacts { minor_units, currency: None })
                });
                found.push(ArgumentFacts { path: path.clone(), amount, ..ArgumentFacts::absent() });
            }
        }
    }
    found
}

fn evaluate_tier(graph: &TestGraph, facts: &ArgumentFacts) -> Tier {
    let action = Action::parse(ACTION).unwrap();
    graph.rules.evaluate_including_lists(&action, std::slice::from_ref(facts)).unwrap().tier
}

#[test]
fn every_result_agrees_with_a_list_of_calls() {
    let calls = list_calls();
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    // The same pairs in every run, so that the solver's time does not vary.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let mut example_count = 0;
    let counter = std::cell::RefCell::new(&mut example_count);
    runner
        .run(&pair_strategy(), |(old, new)| {
            let (old, new) = (load_test_graph(GRAPH, &old), load_test_graph(GRAPH, &new));
            let proof = run_proof(&old, &new);
            for finding in proof.findings.iter().filter(|f| f.subject.to_string() == ACTION) {
                let allows = |tier: Tier| match finding.level {
                    AllowLevel::WithoutAsking => tier == Tier::Autonomous,
                    AllowLevel::WithApproval => tier != Tier::Blocked,
                };
                let newly = calls
                    .iter()
                    .find(|c| allows(evaluate_tier(&new, c)) && !allows(evaluate_tier(&old, c)));
                match &finding.result {
                    ProofResult::NothingNew => {
                        prop_assert_eq!(newly, None, "{}", finding.level.word())
                    }
                    ProofResult::NewlyAllowed(example) => {
                        **counter.borrow_mut() += 1;
                        prop_assert!(allows(evaluate_tier(&new, &example.facts)));
                        prop_assert!(!allows(evaluate_tier(&old, &example.facts)));
                    }
                    ProofResult::NotProved(why) => prop_assert!(false, "not proved: {why}"),
                }
            }
            Ok(())
        })
        .unwrap();
    assert!((10..90).contains(&example_count), "{example_count} of 96 results have an example");
}
