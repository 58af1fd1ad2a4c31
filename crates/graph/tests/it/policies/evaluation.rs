//! The effect of policies on a call.

use super::*;
use Tier::{Autonomous, Blocked, RequiresApproval};

#[test]
fn a_permit_relaxes_only_calls_that_meet_its_condition() {
    let rules = compile_policies(
        r#"@id("scratch")
        permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };"#,
    );
    assert_eq!(
        evaluate(&rules, "files.delete", &path_facts("/tmp/a")),
        expected_ruling(Autonomous, &["scratch"])
    );
    assert_eq!(
        evaluate(&rules, "files.delete", &path_facts("/etc/a")),
        expected_ruling(RequiresApproval, &[])
    );
    assert_eq!(
        evaluate(&rules, "files.delete", &no_facts()),
        expected_ruling(RequiresApproval, &[])
    );
}

#[test]
fn a_forbid_of_unapproved_calls_asks_and_any_other_forbid_blocks() {
    let rules = compile_policies(
        r#"// Two ways to be stricter.
forbid(principal, action == Action::"files.edit", resource)
when { !context.approved && !context.facts.in_workspace };

forbid(principal, action == Action::"files.edit", resource)
when { context.facts.secret };"#,
    );
    assert_eq!(
        evaluate(&rules, "files.edit", &path_facts("/w/a")),
        expected_ruling(Autonomous, &[])
    );
    assert_eq!(
        evaluate(&rules, "files.edit", &path_facts("/etc/a")),
        expected_ruling(RequiresApproval, &["p.cedar:2"])
    );
    assert_eq!(
        evaluate(&rules, "files.edit", &path_facts("/w/.env")),
        expected_ruling(Blocked, &["p.cedar:5"])
    );
}

#[test]
fn no_permit_overrides_a_blocked_action() {
    let rules = compile_policies("permit(principal, action, resource);");
    assert_eq!(
        evaluate(&rules, "files.wipe", &path_facts("/tmp/a")),
        expected_ruling(Blocked, &[])
    );
    assert_eq!(
        evaluate(&rules, "files.delete", &no_facts()),
        expected_ruling(Autonomous, &["p.cedar:1"])
    );
}

#[test]
fn the_strictest_result_of_several_targets_counts() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };
        forbid(principal, action in Action::"files", resource)
        when { context.facts.secret };"#,
    );
    let all = |paths: &[&str]| {
        let facts: Vec<_> = paths.iter().map(|path| path_facts(path)).collect();
        rules.evaluate(&action("files.delete"), &facts).unwrap().tier
    };
    assert_eq!(all(&["/tmp/a", "/tmp/b"]), Autonomous);
    assert_eq!(all(&["/tmp/a", "/etc/b", "/tmp/c"]), RequiresApproval);
    assert_eq!(all(&["/w/.env", "/tmp/a"]), Blocked);
    assert_eq!(all(&["/tmp/a", "/w/.env"]), Blocked);
    assert_eq!(all(&[]), RequiresApproval);
}

/// A permit for approved calls is named in the ruling and leaves it open.
#[test]
fn only_a_forbid_or_a_failure_is_firm() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.approved };
        forbid(principal, action == Action::"files.delete", resource)
        when { !context.approved && context.facts.secret };"#,
    );
    let found = evaluate(&rules, "files.delete", &path_facts("/w/a"));
    let named = expected_ruling(RequiresApproval, &["p.cedar:1"]);
    assert_eq!(found, PolicyResult { hold: Firmness::Open, ..named });
    let both = [path_facts("/w/a"), path_facts("/w/.env")];
    let found = rules.evaluate(&action("files.delete"), &both).unwrap();
    assert_eq!(found, expected_ruling(RequiresApproval, &["p.cedar:3", "p.cedar:1"]));
}

#[test]
fn an_action_without_policies_is_left_to_the_lists() {
    let rules = compile_policies(r#"forbid(principal, action == Action::"web.post", resource);"#);
    assert_eq!(rules.evaluate(&action("files.read"), &[no_facts()]), None);
    assert_eq!(rules.policy_names_for(&action("files.read")), [] as [&str; 0]);
    assert_eq!(rules.policy_names_for(&action("web.post")), ["p.cedar:1"]);
}

/// With policies that name no action, a domain, and two actions.
#[test]
fn a_policy_is_in_the_slice_of_every_action_it_applies_to() {
    let rules = compile_policies(
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
        // Unlisted, but in a domain that a policy names.
        ("web.upload", &["all", "web", "asked"]),
        // Unlisted and outside all domains.
        ("mcp.tracker.read", &["all", "asked"]),
    ] {
        assert_eq!(rules.policy_names_for(&action(name)), expected, "{name}");
        assert_eq!(evaluate(&rules, name, &path_facts("/w/.env")).tier, Blocked, "{name}");
    }
    assert_eq!(evaluate(&rules, "web.fetch", &no_facts()), expected_ruling(Blocked, &["web"]));
    assert_eq!(evaluate(&rules, "web.upload", &all_facts()).tier, RequiresApproval);
}

#[test]
fn an_unlisted_action_asks_or_is_denied_as_the_graph_sets() {
    let text = "permit(principal, action, resource) when { context.facts.in_workspace };";
    let open = compile_policies(text);
    assert_eq!(evaluate(&open, "other.thing", &no_facts()).tier, RequiresApproval);
    let mut graph = load_test_graph();
    graph.unclassified = countersign_core::model::graph::Unclassified::Deny;
    let shut = compile(&graph, &[policy_file("p.cedar", text)]).unwrap();
    assert_eq!(evaluate(&shut, "other.thing", &path_facts("/w/a")), expected_ruling(Blocked, &[]));
}

#[test]
fn a_policy_can_use_every_fact() {
    let rules = compile_policies(
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
    assert_eq!(
        evaluate(&rules, "money.pay", &all_facts()),
        expected_ruling(Autonomous, &["p.cedar:1"])
    );
    assert_eq!(evaluate(&rules, "money.pay", &no_facts()), expected_ruling(RequiresApproval, &[]));
}
