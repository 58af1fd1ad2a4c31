//! What policies make of a call.

use super::*;
use Tier::{Autonomous, Blocked, RequiresApproval};

#[test]
fn a_permit_relaxes_where_its_facts_hold_and_nowhere_else() {
    let rules = rules(
        r#"@id("scratch")
        permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };"#,
    );
    assert_eq!(ruling(&rules, "files.delete", &at("/tmp/a")), ruled(Autonomous, &["scratch"]));
    assert_eq!(ruling(&rules, "files.delete", &at("/etc/a")), ruled(RequiresApproval, &[]));
    assert_eq!(ruling(&rules, "files.delete", &nothing()), ruled(RequiresApproval, &[]));
}

#[test]
fn a_forbid_without_approval_tightens_to_a_question_and_one_with_it_blocks() {
    let rules = rules(
        r#"// Two ways to be stricter.
forbid(principal, action == Action::"files.edit", resource)
when { !context.approved && !context.facts.in_workspace };

forbid(principal, action == Action::"files.edit", resource)
when { context.facts.secret };"#,
    );
    assert_eq!(ruling(&rules, "files.edit", &at("/w/a")), ruled(Autonomous, &[]));
    assert_eq!(
        ruling(&rules, "files.edit", &at("/etc/a")),
        ruled(RequiresApproval, &["p.cedar:2"])
    );
    assert_eq!(ruling(&rules, "files.edit", &at("/w/.env")), ruled(Blocked, &["p.cedar:5"]));
}

#[test]
fn no_permit_lifts_what_the_lists_block() {
    let rules = rules("permit(principal, action, resource);");
    assert_eq!(ruling(&rules, "files.wipe", &at("/tmp/a")), ruled(Blocked, &[]));
    assert_eq!(ruling(&rules, "files.delete", &nothing()), ruled(Autonomous, &["p.cedar:1"]));
}

#[test]
fn of_several_targets_the_strictest_answer_holds() {
    let rules = rules(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };
        forbid(principal, action in Action::"files", resource)
        when { context.facts.secret };"#,
    );
    let all = |paths: &[&str]| {
        let facts: Vec<_> = paths.iter().map(|path| at(path)).collect();
        rules.evaluate(&action("files.delete"), &facts).unwrap().tier
    };
    assert_eq!(all(&["/tmp/a", "/tmp/b"]), Autonomous);
    assert_eq!(all(&["/tmp/a", "/etc/b", "/tmp/c"]), RequiresApproval);
    assert_eq!(all(&["/w/.env", "/tmp/a"]), Blocked);
    assert_eq!(all(&["/tmp/a", "/w/.env"]), Blocked);
    assert_eq!(all(&[]), RequiresApproval);
}

/// What a permit of the operator adds to a question is named, and leaves it open.
#[test]
fn only_a_forbid_or_a_failure_is_firm() {
    let rules = rules(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.approved };
        forbid(principal, action == Action::"files.delete", resource)
        when { !context.approved && context.facts.secret };"#,
    );
    let found = ruling(&rules, "files.delete", &at("/w/a"));
    let named = ruled(RequiresApproval, &["p.cedar:1"]);
    assert_eq!(found, ByPolicy { hold: Firmness::Open, ..named });
    let both = [at("/w/a"), at("/w/.env")];
    let found = rules.evaluate(&action("files.delete"), &both).unwrap();
    assert_eq!(found, ruled(RequiresApproval, &["p.cedar:3", "p.cedar:1"]));
}

#[test]
fn an_action_that_no_policy_reaches_is_left_to_the_lists() {
    let rules = rules(r#"forbid(principal, action == Action::"web.post", resource);"#);
    assert_eq!(rules.evaluate(&action("files.read"), &[nothing()]), None);
    assert_eq!(rules.policy_names_for(&action("files.read")), [] as [&str; 0]);
    assert_eq!(rules.policy_names_for(&action("web.post")), ["p.cedar:1"]);
}

/// Planted: a policy that names no action, one that names a domain, one that names two actions.
#[test]
fn a_policy_is_in_every_slice_that_it_can_reach() {
    let rules = rules(
        r#"@id("all") forbid(principal, action, resource) when { context.facts.secret };
        @id("web") forbid(principal, action in Action::"web", resource)
            unless { context.facts.hosts.contains("example.com") };
        @id("two") forbid(principal, action in [Action::"web.post", Action::"money.pay"], resource)
            when { context.facts.local_network };
        @id("asked") forbid(principal, action, resource)
            when { action == Action::"files.read" && context.facts.secret };"#,
    );
    for (name, expected) in [
        ("files.read", &["all", "asked"][..]),
        ("web.fetch", &["all", "web", "asked"]),
        ("web.post", &["all", "web", "two", "asked"]),
        ("money.pay", &["all", "two", "asked"]),
        // In no list, but in a domain that a policy names.
        ("web.upload", &["all", "web", "asked"]),
        // In no list and no domain.
        ("mcp.tracker.read", &["all", "asked"]),
    ] {
        assert_eq!(rules.policy_names_for(&action(name)), expected, "{name}");
        assert_eq!(ruling(&rules, name, &at("/w/.env")).tier, Blocked, "{name}");
    }
    assert_eq!(ruling(&rules, "web.fetch", &nothing()), ruled(Blocked, &["web"]));
    assert_eq!(ruling(&rules, "web.upload", &everything()).tier, RequiresApproval);
}

#[test]
fn what_no_list_names_asks_or_is_denied_as_the_graph_says() {
    let text = "permit(principal, action, resource) when { context.facts.in_workspace };";
    let open = rules(text);
    assert_eq!(ruling(&open, "other.thing", &nothing()).tier, RequiresApproval);
    let mut graph = graph();
    graph.unclassified = countersign_core::model::graph::Unclassified::Deny;
    let shut = compile(&graph, &[source("p.cedar", text)]).unwrap();
    assert_eq!(ruling(&shut, "other.thing", &at("/w/a")), ruled(Blocked, &[]));
}

#[test]
fn every_fact_can_be_asked_for() {
    let rules = rules(
        r#"permit(principal, action == Action::"money.pay", resource) when {
            context.facts has path && context.facts.path == "/w/a" &&
            context.facts has name && context.facts.name == "a" &&
            context.facts.under.contains("/w") && context.facts.in_workspace &&
            !context.facts.secret &&
            context.facts has host && context.facts.host == "api.example.com" &&
            context.facts.hosts.contains("example.com") &&
            context.facts has scheme && context.facts.scheme == "https" &&
            context.facts has port && context.facts.port == 8443 &&
            !context.facts.local_network &&
            context.facts.known_recipient && context.facts.vip &&
            context.facts.recipient_hosts.contains("example.com") &&
            context.facts has amount && context.facts.amount < 5000 &&
            context.facts has currency && context.facts.currency == "EUR" &&
            context.facts has branch && context.facts.branch == "main"
        };"#,
    );
    assert_eq!(ruling(&rules, "money.pay", &everything()), ruled(Autonomous, &["p.cedar:1"]));
    assert_eq!(ruling(&rules, "money.pay", &nothing()), ruled(RequiresApproval, &[]));
}
