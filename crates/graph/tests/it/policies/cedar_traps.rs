//! Calls that Cedar alone would allow, and that must not be allowed.

use super::*;
use Tier::{Autonomous, Blocked, RequiresApproval};

/// Cedar's JSON format would read these texts as an entity and an extension value. Facts stay text.
#[test]
fn an_argument_never_becomes_an_entity_or_an_extension_value() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.facts has name && context.facts.name == "root" };
        permit(principal, action == Action::"files.delete", resource)
        when { context.facts has branch && context.facts.branch == "1.0" };"#,
    );
    for text in [
        r#"{"__entity":{"type":"Agent","id":"root"}}"#,
        r#"{"__extn":{"fn":"decimal","arg":"1.0"}}"#,
        r#"Agent::"root""#,
        r#"decimal("1.0")"#,
    ] {
        let mut facts = path_facts(&format!("/w/{text}"));
        facts.branch = Fact::Known(text.to_owned());
        assert_eq!(
            evaluate(&rules, "files.delete", &facts),
            expected_ruling(RequiresApproval, &[]),
            "{text}"
        );
    }
    assert_eq!(evaluate(&rules, "files.delete", &path_facts("/w/root")).tier, Autonomous);
}

/// Cedar alone would skip it and allow the call.
#[test]
fn a_forbid_that_fails_is_not_skipped() {
    let rules = compile_policies(
        r#"forbid(principal, action == Action::"files.edit", resource)
        when { context.facts has amount && context.facts.amount * 1000 > 5000 };"#,
    );
    assert_eq!(
        evaluate(&rules, "files.edit", &amount_facts(1, None)),
        expected_ruling(Autonomous, &[])
    );
    assert_eq!(
        evaluate(&rules, "files.edit", &amount_facts(6, None)),
        expected_ruling(Blocked, &["p.cedar:1"])
    );
    let found = evaluate(&rules, "files.edit", &amount_facts(i64::MAX, None));
    assert_eq!((found.tier, found.policies.as_slice()), (Blocked, &[][..]));
    assert!(found.error.as_deref().unwrap().contains("overflow"), "{found:?}");
}

#[test]
fn a_failure_only_without_approval_asks() {
    let rules = compile_policies(
        r#"forbid(principal, action == Action::"files.edit", resource)
        when { !context.approved && context.facts has amount && context.facts.amount * 9 > 5 };"#,
    );
    let found = evaluate(&rules, "files.edit", &amount_facts(i64::MAX, None));
    assert_eq!((found.tier, found.hold), (RequiresApproval, Firmness::Firm));
    assert!(found.error.is_some());
}

#[test]
fn a_failing_permit_fails_the_level_even_if_another_permit_holds() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"money.pay", resource)
        when { context.facts has amount && context.facts.amount + 1 > 0 };
        permit(principal, action == Action::"money.pay", resource);"#,
    );
    assert_eq!(evaluate(&rules, "money.pay", &amount_facts(1, None)).tier, Autonomous);
    assert_eq!(evaluate(&rules, "money.pay", &amount_facts(i64::MAX, None)).tier, Blocked);
}

#[test]
fn an_unreadable_fact_fails_only_the_policies_that_use_it() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };
        forbid(principal, action == Action::"web.fetch", resource)
        unless { context.facts.hosts.contains("example.com") };"#,
    );
    let looped = Fact::Unreadable("`/w/loop` leads in a circle".into());
    let facts = ArgumentFacts { path: looped, ..all_facts() };
    let found = evaluate(&rules, "files.delete", &facts);
    assert_eq!(found.tier, Blocked);
    assert_eq!(found.error.as_deref(), Some("`/w/loop` leads in a circle"));
    assert_eq!(found.policies, ["p.cedar:1"]);
    assert_eq!(evaluate(&rules, "web.fetch", &facts), expected_ruling(Autonomous, &[]));
}

/// It does not satisfy a permit, and a forbid with `unless` still applies.
#[test]
fn an_absent_fact_satisfies_no_condition() {
    let rules = compile_policies(
        r#"permit(principal, action == Action::"money.pay", resource)
        when { context.facts has amount && context.facts.amount <= 5000 };
        forbid(principal, action == Action::"money.pay", resource)
        unless { context.facts has currency && context.facts.currency == "EUR" };"#,
    );
    assert_eq!(evaluate(&rules, "money.pay", &amount_facts(5000, Some("EUR"))).tier, Autonomous);
    assert_eq!(
        evaluate(&rules, "money.pay", &amount_facts(5001, Some("EUR"))).tier,
        RequiresApproval
    );
    assert_eq!(evaluate(&rules, "money.pay", &amount_facts(1, None)).tier, Blocked);
    assert_eq!(evaluate(&rules, "money.pay", &no_facts()).tier, Blocked);
}
