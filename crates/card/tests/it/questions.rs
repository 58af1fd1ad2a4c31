//! Cards as programs show them in their own prompts, and what has to be typed for a critical yes.

use crate::fixture::{card_for_ahead, card_for_call, card_for_category, draft_call};
use crate::wider_choices::{class, draft, graph, ruled};
use countersign_card::{Card, render_question};
use countersign_core::model::words::{Choice, Risk};
use serde_json::json;

fn push() -> Card {
    let found = ruled(vec![class("git.push")]);
    crate::fixture::card_after(
        &graph(),
        &[(draft("Bash", json!({"command": "git push origin main"})), found)],
    )
}

#[test]
fn a_programs_question_has_at_most_six_lines_and_names_the_command_once() {
    let question = render_question(&push());
    assert_eq!(question.command.as_deref(), Some("git push origin main"));
    assert_eq!(
        question.lines,
        [
            "HIGH risk, can't be undone: Push commits",
            "effect: sends commits to unknown remotes",
            "yes: once, this exact call",
            "`countersign watch`: s = this session, the command `git push origin main`",
        ]
    );
    assert!(question.lines.len() <= 6);
    assert_eq!(question.call, ["command: git push origin main"]);
}

#[test]
fn a_yes_that_reaches_further_says_so() {
    let mut card = push();
    card.risk = Risk::Moderate;
    let item = &mut card.items[0];
    let mut task = item.offers[0].clone();
    task.choice = Choice::Run;
    task.lets = countersign_card::DisplayText::from_untrusted(
        "using git in this repository, up to moderate risk",
    );
    task.lasts = "until this task ends".into();
    item.yes = Choice::Run;
    item.offers.insert(1, task);
    let yes =
        "yes: this task (using git in this repository, up to moderate risk, until this task ends)";
    assert!(render_question(&card).lines.contains(&yes.to_owned()), "{:?}", render_question(&card));
}

#[test]
fn a_critical_question_has_no_yes_in_a_program() {
    let card = card_for_call(draft_call("pay", json!({"payee": "acme", "amount": "42.00 USD"})));
    let question = render_question(&card);
    assert!(!question.lines.iter().any(|line| line.starts_with("yes")), "{question:?}");
}

#[test]
fn what_is_typed_for_a_critical_yes_says_what_matters() {
    let typed = |card: &Card| {
        let confirm = card.confirm.clone().unwrap();
        assert!(!card.digest.starts_with(confirm.typed.as_str()), "{confirm:?}");
        format!("the {}: {}", confirm.what, confirm.typed)
    };
    let pay = |args| card_for_call(draft_call("pay", args));
    assert_eq!(typed(&pay(json!({"payee": "acme", "amount": "42.00"}))), "the amount: 42.00");
    let buy = |args| card_for_call(draft_call("buy", args));
    assert_eq!(typed(&buy(json!({"payee": "acme"}))), "the target: acme");
    let url = json!({"payee": "https://ann@shop.example.com/cart?id=1"});
    assert_eq!(typed(&buy(url)), "the host: shop.example.com");
    assert_eq!(typed(&buy(json!({"payee": ["a", "b", "c"]}))), "the number of targets: 3");
    let long = format!("/srv/{}/deploy-key", "x".repeat(80));
    let vault = |args| card_for_call(draft_call("vault", args));
    assert_eq!(typed(&vault(json!({"name": long}))), "the target: deploy-key");
    assert_eq!(typed(&vault(json!({"name": "пароль"}))), "the words: vault read");
    assert_eq!(typed(&vault(json!({}))), "the words: vault read");
    assert_eq!(typed(&card_for_category("x", Some("purchase"))), "the words: purchase");
    assert!(card_for_ahead("x").confirm.is_none());
}
