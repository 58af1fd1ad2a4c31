//! What is suggested after a number of answers.

use crate::fixture::{state_after, with_head};
use crate::wider_choices::{class, draft, graph, ruled};
use countersign_card::{SecondConfirmation, Suggestion, SuggestionInput, list_suggestions};
use countersign_core::model::call::CallDraft;
use countersign_core::model::grant::Scope;
use countersign_core::model::names::{Project, SessionKey};
use countersign_core::model::place::{ConsentReach, Findings};
use countersign_core::model::rule_results::RuleResults;
use countersign_core::model::words::{Choice, Covers};
use serde_json::json;

type Answered = (CallDraft, RuleResults, Choice);

/// Calls with this line, each with an argument of its own, so that each is asked.
fn lines(lines: &[&str], findings: &Findings, choice: Choice) -> Vec<Answered> {
    let call = |(turn, line): (usize, &&str)| {
        let id = format!("{choice} {turn}");
        (draft("Bash", json!({"command": line, "id": id})), ruled(vec![findings.clone()]), choice)
    };
    lines.iter().enumerate().map(call).collect()
}

fn suggest(calls: &[Answered]) -> Vec<Suggestion> {
    let graph = graph();
    let state = state_after(&graph, calls);
    let shop = Some(Project::parse("shop").unwrap());
    list_suggestions(SuggestionInput {
        graph: Some(&graph),
        state: &state,
        sessions: &[(SessionKey::parse("coder s1").unwrap(), shop)],
        grants: &[],
        session: None,
        project: None,
        since: None,
    })
}

fn names(suggestions: &[Suggestion]) -> Vec<(&str, usize)> {
    suggestions.iter().map(|one| (one.covers.as_str(), one.spared)).collect()
}

#[test]
fn three_approvals_make_a_suggestion_and_two_do_not() {
    let test = class("test.run");
    assert!(suggest(&lines(&["cargo test"; 2], &test, Choice::Once)).is_empty());
    let found = suggest(&lines(&["cargo test"; 3], &test, Choice::Once));
    assert_eq!(names(&found), [("the command `cargo test`, in the project shop", 3)]);
    let grant = found[0].grant.as_ref().unwrap();
    assert_eq!((grant.covers, grant.scope), (Some(Covers::Command), Scope::Project));
    assert_eq!(grant.second, SecondConfirmation::Needed);
    assert_eq!(grant.session, "coder/s1");
}

#[test]
fn a_wider_grant_is_listed_only_if_it_spares_more() {
    let head = with_head("cargo test", class("test.run"));
    let all = ["cargo test -q", "cargo test", "cargo test --lib"];
    let found = suggest(&lines(&all, &head, Choice::Once));
    assert_eq!(names(&found), [("any `cargo test …` in this workspace, in the session s1", 3)]);
    let mut calls = lines(&all, &head, Choice::Once);
    let npm = with_head("npm test", class("test.run"));
    calls.extend(lines(&["npm test"], &npm, Choice::Once));
    let found = suggest(&calls);
    let expected = [
        ("running tests in this workspace, in the project shop", 4),
        ("any `cargo test …` in this workspace, in the session s1", 3),
    ];
    assert_eq!(names(&found), expected);
    assert_eq!(found[0].beyond.as_str(), "every other command that counts as test.run there");
}

#[test]
fn a_decline_of_the_kind_ends_a_suggestion() {
    let head = with_head("cargo test", class("test.run"));
    let mut calls = lines(&["cargo test"; 3], &head, Choice::Once);
    calls.extend(lines(&["cargo test --release"], &head, Choice::Decline));
    // The exact command was never declined.
    assert_eq!(names(&suggest(&calls)), [("the command `cargo test`, in the project shop", 3)]);
    calls.extend(lines(&["cargo test"], &head, Choice::Decline));
    assert!(suggest(&calls).is_empty());
}

#[test]
fn force_and_unseen_code_are_never_suggested() {
    let push = class("git.push");
    let ordinary = lines(&["git push origin main"; 3], &push, Choice::Once);
    assert_eq!(suggest(&ordinary).len(), 1);
    assert!(suggest(&lines(&["git push --force origin main"; 3], &push, Choice::Once)).is_empty());
    let unseen = Findings { widest: ConsentReach::Once, ..Findings::default() };
    assert!(suggest(&lines(&["python3 run.py"; 3], &unseen, Choice::Once)).is_empty());
    let seen = suggest(&lines(&["make all"; 3], &Findings::default(), Choice::Once));
    assert_eq!(seen.len(), 1);
    let rule = seen[0].rule.as_ref().unwrap();
    let text: Vec<&str> = rule.lines.iter().map(|line| line.as_str()).collect();
    assert_eq!(text, ["commands:", "  allow:", "    - 'make all'"]);
}
