//! What Cedar would let through, and must not.

use super::*;
use Tier::{Autonomous, Blocked, RequiresApproval};

/// As JSON these would become an entity and an extension value. Facts are text, and stay text.
#[test]
fn an_argument_never_becomes_an_entity_or_an_extension_value() {
    let rules = rules(
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
        let mut facts = at(&format!("/w/{text}"));
        facts.branch = Fact::Known(text.to_owned());
        assert_eq!(ruling(&rules, "files.delete", &facts), ruled(RequiresApproval, &[]), "{text}");
    }
    assert_eq!(ruling(&rules, "files.delete", &at("/w/root")).tier, Autonomous);
}

/// Cedar skips it and allows; here the level counts as not permitted.
#[test]
fn a_forbid_that_fails_is_not_skipped() {
    let rules = rules(
        r#"forbid(principal, action == Action::"files.edit", resource)
        when { context.facts has amount && context.facts.amount * 1000 > 5000 };"#,
    );
    assert_eq!(ruling(&rules, "files.edit", &paying(1, None)), ruled(Autonomous, &[]));
    assert_eq!(ruling(&rules, "files.edit", &paying(6, None)), ruled(Blocked, &["p.cedar:1"]));
    let found = ruling(&rules, "files.edit", &paying(i64::MAX, None));
    assert_eq!((found.tier, found.policies.as_slice()), (Blocked, &[][..]));
    assert!(found.error.as_deref().unwrap().contains("overflow"), "{found:?}");
}

#[test]
fn a_failure_that_approval_avoids_leaves_a_question() {
    let rules = rules(
        r#"forbid(principal, action == Action::"files.edit", resource)
        when { !context.approved && context.facts has amount && context.facts.amount * 9 > 5 };"#,
    );
    let found = ruling(&rules, "files.edit", &paying(i64::MAX, None));
    assert_eq!((found.tier, found.hold), (RequiresApproval, Firmness::Firm));
    assert!(found.error.is_some());
}

/// A permit that fails does not count either, even beside one that holds.
#[test]
fn a_permit_that_fails_takes_the_level_with_it() {
    let rules = rules(
        r#"permit(principal, action == Action::"money.pay", resource)
        when { context.facts has amount && context.facts.amount + 1 > 0 };
        permit(principal, action == Action::"money.pay", resource);"#,
    );
    assert_eq!(ruling(&rules, "money.pay", &paying(1, None)).tier, Autonomous);
    assert_eq!(ruling(&rules, "money.pay", &paying(i64::MAX, None)).tier, Blocked);
}

#[test]
fn a_fact_that_cannot_be_read_fails_whoever_asks_for_it_and_nobody_else() {
    let rules = rules(
        r#"permit(principal, action == Action::"files.delete", resource)
        when { context.facts.under.contains("/tmp") };
        forbid(principal, action == Action::"web.fetch", resource)
        unless { context.facts.hosts.contains("example.com") };"#,
    );
    let looped = Fact::Unreadable("`/w/loop` leads in a circle".into());
    let facts = ArgumentFacts { path: looped, ..everything() };
    let found = ruling(&rules, "files.delete", &facts);
    assert_eq!(found.tier, Blocked);
    assert_eq!(found.error.as_deref(), Some("`/w/loop` leads in a circle"));
    assert_eq!(found.policies, ["p.cedar:1"]);
    assert_eq!(ruling(&rules, "web.fetch", &facts), ruled(Autonomous, &[]));
}

/// What is not there does not satisfy a permit, and a forbid written with `unless` still holds.
#[test]
fn an_absent_fact_satisfies_nothing() {
    let rules = rules(
        r#"permit(principal, action == Action::"money.pay", resource)
        when { context.facts has amount && context.facts.amount <= 5000 };
        forbid(principal, action == Action::"money.pay", resource)
        unless { context.facts has currency && context.facts.currency == "EUR" };"#,
    );
    assert_eq!(ruling(&rules, "money.pay", &paying(5000, Some("EUR"))).tier, Autonomous);
    assert_eq!(ruling(&rules, "money.pay", &paying(5001, Some("EUR"))).tier, RequiresApproval);
    assert_eq!(ruling(&rules, "money.pay", &paying(1, None)).tier, Blocked);
    assert_eq!(ruling(&rules, "money.pay", &nothing()).tier, Blocked);
}
