//! Policies: their effect on a call, which ones are refused, and the traps of Cedar.

mod cedar_traps;
mod evaluation;
mod guide;
mod loading;
mod refusals;
mod tier_policy;

use countersign_core::model::graph::Graph;
use countersign_core::model::names::Action;
use countersign_core::model::rule_results::{Firmness, PolicyResult};
use countersign_core::model::words::Tier;
use countersign_graph::policies::facts::{AmountFacts, Fact, HostFacts, PathFacts, RecipientFacts};
use countersign_graph::policies::{ArgumentFacts, CompiledPolicies, PolicyFile, compile};
use countersign_graph::{Format, Problems, load_graph};

const GRAPH: &str = "\
domains:
  files:
    autonomous: [read, edit]
    requires_approval: [delete]
    blocked: [wipe]
  money:
    autonomous: []
    requires_approval: [pay]
    blocked: []
  web:
    autonomous: [fetch]
    requires_approval: [post]
    blocked: []
";

fn load_test_graph() -> Graph {
    load_graph("g.yaml", GRAPH.as_bytes(), Format::Yaml).unwrap().graph
}

fn policy_file(name: &str, text: &str) -> PolicyFile {
    PolicyFile { name: name.into(), display_path: format!("rules/{name}"), bytes: text.into() }
}

fn compile_policies(text: &str) -> CompiledPolicies {
    compile(&load_test_graph(), &[policy_file("p.cedar", text)])
        .unwrap_or_else(|found| panic!("{found:?}"))
}

fn compile_problems(text: &str) -> Problems {
    let mut problems = compile(&load_test_graph(), &[policy_file("p.cedar", text)]).unwrap_err();
    assert_eq!(problems.len(), 1);
    problems.remove(0)
}

fn action(name: &str) -> Action {
    Action::parse(name).unwrap()
}

fn evaluate(rules: &CompiledPolicies, name: &str, facts: &ArgumentFacts) -> PolicyResult {
    rules.evaluate(&action(name), std::slice::from_ref(facts)).unwrap()
}

/// The expected ruling: firm if policies block or ask, otherwise open.
fn expected_ruling(tier: Tier, policies: &[&str]) -> PolicyResult {
    let firm = tier != Tier::Autonomous && !policies.is_empty();
    let hold = if firm { Firmness::Firm } else { Firmness::Open };
    let policies = policies.iter().map(|name| (*name).to_owned()).collect();
    PolicyResult { tier, policies, hold, error: None }
}

fn no_facts() -> ArgumentFacts {
    ArgumentFacts::absent()
}

/// The facts of a path, in a workspace at `/w`.
fn path_facts(path: &str) -> ArgumentFacts {
    let folders = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    let under = folders.filter(|folder| !folder.is_empty()).chain(["/"]).map(str::to_owned);
    let facts = PathFacts {
        path: Some(path.to_owned()),
        name: path.rsplit('/').next().map(str::to_owned),
        under: under.collect(),
        in_workspace: path.starts_with("/w/"),
        secret: path.ends_with(".env"),
    };
    ArgumentFacts { path: Fact::Known(facts), ..no_facts() }
}

fn amount_facts(minor_units: i64, currency: Option<&str>) -> ArgumentFacts {
    let facts = AmountFacts { minor_units, currency: currency.map(str::to_owned) };
    ArgumentFacts { amount: Fact::Known(facts), ..no_facts() }
}

/// Facts in which every group is known.
fn all_facts() -> ArgumentFacts {
    let host = HostFacts {
        host: "api.example.com".into(),
        hosts: vec!["api.example.com".into(), "example.com".into(), "com".into()],
        scheme: Some("https".into()),
        port: Some(8443),
        local_network: false,
    };
    let recipient = RecipientFacts { known: true, vip: true, hosts: vec!["example.com".into()] };
    ArgumentFacts {
        host: Fact::Known(host),
        recipient: Fact::Known(recipient),
        branch: Fact::Known("main".into()),
        path: path_facts("/w/a").path,
        amount: amount_facts(4999, Some("EUR")).amount,
    }
}
