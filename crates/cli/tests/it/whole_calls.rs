//! `show --full` and `approve`: nothing of high risk is approved that could not be seen.

use crate::daemon::Daemon;
use crate::desk::Desk;
use serde_json::json;

const GRAPH: &str = "\
domains:
  shop: {autonomous: [], requires_approval: [order], blocked: [], actions: {order: {risk: high}}}
";

/// A call with a text of this many lines, the last of which is long.
fn ask(daemon: &Daemon, lines: usize) -> String {
    let mut text: Vec<String> = (0..lines).map(|n| format!("line {n}")).collect();
    text.push("y".repeat(900));
    let args = json!({"text": text.join("\n"), "tip": "5.00 EUR", "fee": "5.00 EUR"}).to_string();
    let words = ["gate", "--session", "s1", "--action", "shop.order", "--args", &args];
    assert_eq!(daemon.desk.code(&words), 8);
    daemon.waiting()
}

#[test]
fn a_long_call_is_approved_only_after_it_was_shown_in_full() {
    let daemon = Daemon::on(Desk::new().with("countersign.yaml", GRAPH), &[]);
    let id = ask(&daemon, 400);
    let card = daemon.desk.run(&["show", &id]);
    assert!(card.contains("361 more lines") && card.contains("660 more characters"), "{card}");
    assert!(card.contains("tip: 5.00 EUR") && card.contains("fee: 5.00 EUR"), "{card}");
    let refused = daemon.desk.run(&["approve", &id]);
    assert!(refused.contains("exit: 1"), "{refused}");
    assert!(refused.contains(&format!("`countersign show --full {id}` shows it")), "{refused}");
    assert!(refused.contains("the card leaves out 361 more lines"), "{refused}");
    let full = daemon.desk.run(&["show", &id, "--full"]);
    assert!((0..400).all(|n| full.contains(&format!("| line {n}\n"))), "{full}");
    assert_eq!(full.matches('y').count() - full.matches("yaml").count(), 900, "{full}");
    let accepted = daemon.desk.run(&["approve", &id]);
    assert!(accepted.contains("you allowed shop.order"), "{accepted}");
}

#[test]
fn a_short_call_is_approved_with_the_card_that_shows_all_of_it() {
    let daemon = Daemon::on(Desk::new().with("countersign.yaml", GRAPH), &[]);
    let words = ["gate", "--session", "s1", "--action", "shop.order", "--args", r#"{"n": 1}"#];
    assert_eq!(daemon.desk.code(&words), 8);
    let id = daemon.waiting();
    let refused = daemon.desk.run(&["approve", &id, "--json"]);
    assert!(refused.contains("was not shown"), "with --json, no card is printed: {refused}");
    assert_eq!(daemon.desk.code(&["approve", &id]), 0);
    let log = daemon.desk.run(&["ledger", "query", "--kind", "request_delivered"]);
    assert!(log.contains("on command-line") && log.contains("the whole call"), "{log}");
}
