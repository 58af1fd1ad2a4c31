//! `graph diff --prove`: proofs, counterexamples, and the output without a solver.

use crate::desk::Desk;
use insta::assert_snapshot;
use serde_json::{Value, json};

const GRAPH: &str = "\
domains:
  files:
    autonomous: [read]
    requires_approval: [write]
    blocked: [wipe]
rules: rules
";

const UNDER_TMP: &str = "\
@id(\"scratch\")
permit(principal, action == Action::\"files.write\", resource)
when { context.facts.under.contains(\"/tmp\") };
";

/// Two folders, each with the graph and one policy.
fn desk(old: &str, new: &str) -> Desk {
    Desk::empty()
        .with("old/countersign.yaml", GRAPH)
        .with("old/rules/files.cedar", old)
        .with("new/countersign.yaml", GRAPH)
        .with("new/rules/files.cedar", new)
        .under("PATH", "/usr/local/bin:/usr/bin:/bin")
}

const PROVE: [&str; 5] =
    ["graph", "diff", "old/countersign.yaml", "new/countersign.yaml", "--prove"];

/// What is printed, whichever version of the solver is there.
fn run(desk: &Desk) -> String {
    let text = desk.run(&PROVE);
    match text
        .split_once("proved by ")
        .and_then(|(before, rest)| Some((before, rest.split_once(": ")?)))
    {
        Some((before, (_, after))) => format!("{before}proved by SOLVER: {after}"),
        None => text,
    }
}

fn json_of(desk: &Desk) -> Value {
    let words = [&PROVE[..], &["--json"]].concat();
    serde_json::from_slice(&desk.output(&words).stdout).unwrap()
}

#[test]
fn a_wider_policy_is_shown_by_a_call_and_fails() {
    let desk = desk(UNDER_TMP, &UNDER_TMP.replace("/tmp", "/"));
    assert_snapshot!(run(&desk), @"
    newly allowed: files.write without asking: for example with path /file.txt, outside of the workspace; requires_approval becomes autonomous
    10 questions: 9 with nothing new, 1 newly allowed, 0 not proved

    BECOMES  WHERE           WHAT   BEFORE  AFTER
    unclear  policy scratch  rules  permit  permit, rewritten

    0 looser, 1 unclear, 0 stricter, 0 neither
    compared: rules, not grants: a grant stays until it ends or is revoked
    proved by SOLVER: lists and policies, for a call with the same facts under both graphs
    not constrained: whether a path counts as secret, a host as near or a recipient as a contact
    outside of the proof: command rules, grants, risk, always_ask, conditions, trusted channels, confidence, decay, reducers, workflows, slash commands, tools, contacts
    exit: 1
    ");
}

#[test]
fn an_equivalent_policy_allows_nothing_new_and_exits_with_zero() {
    let rewritten = UNDER_TMP.replace(
        "when { context.facts.under.contains(\"/tmp\") }",
        "unless { !context.facts.under.containsAll([\"/tmp\", \"/\"]) }",
    );
    let desk = desk(UNDER_TMP, &rewritten);
    assert_snapshot!(run(&desk), @"
    10 questions: 10 with nothing new, 0 newly allowed, 0 not proved

    BECOMES  WHERE           WHAT   BEFORE  AFTER
    unclear  policy scratch  rules  permit  permit, rewritten

    0 looser, 1 unclear, 0 stricter, 0 neither
    compared: rules, not grants: a grant stays until it ends or is revoked
    proved by SOLVER: lists and policies, for a call with the same facts under both graphs
    not constrained: whether a path counts as secret, a host as near or a recipient as a contact
    outside of the proof: command rules, grants, risk, always_ask, conditions, trusted channels, confidence, decay, reducers, workflows, slash commands, tools, contacts
    exit: 0
    ");
    // Without a proof it could be anything.
    assert_eq!(desk.code(&PROVE[..4]), 1);
}

#[test]
fn json_has_every_question_and_the_example() {
    let desk = desk(UNDER_TMP, &UNDER_TMP.replace("/tmp", "/"));
    let proof = &json_of(&desk)["proof"];
    assert!(proof["solver"].as_str().unwrap().contains("cvc5"), "{proof}");
    let outside = proof["outside"].as_array().unwrap();
    assert!(outside.starts_with(&[json!("command rules"), json!("grants")]), "{proof}");
    let findings = proof["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 10);
    let newly: Vec<_> = findings.iter().filter(|f| f["answer"] == "newly_allowed").collect();
    let expected = json!({
        "action": "files.write",
        "level": "without_asking",
        "answer": "newly_allowed",
        "why": null,
        "example": {
            "facts": {
                "path": "/file.txt",
                "name": "file.txt",
                "under": ["/file.txt", "/"],
                "in_workspace": false,
                "secret": false,
            },
            "words": ["path /file.txt", "outside of the workspace"],
            "before": "requires_approval",
            "after": "autonomous",
        },
    });
    assert_eq!(newly, [&expected]);
}

#[test]
fn a_rule_outside_of_the_proof_still_counts() {
    let desk = desk(UNDER_TMP, UNDER_TMP);
    assert_eq!(desk.code(&PROVE), 0);
    let grown = format!("{GRAPH}tools: {{put: {{actions: [files.write]}}}}\n");
    assert_eq!(desk.with("new/countersign.yaml", grown).code(&PROVE), 1);
}

#[test]
fn with_command_rules_a_removed_policy_still_counts() {
    let forbid = |condition: &str| {
        format!(
            "forbid(principal, action == Action::\"files.write\", resource) \
             when {{ !context.approved && {condition} }};"
        )
    };
    let wide = forbid("(context.facts.secret || context.facts.in_workspace)");
    let narrow = forbid("context.facts.secret");
    let desk = desk(&format!("{wide}\n{narrow}"), &wide);
    assert_eq!(desk.code(&PROVE), 0);
    let commands = format!("{GRAPH}commands: {{allow: [ls]}}\n");
    let desk = desk.with("old/countersign.yaml", &commands).with("new/countersign.yaml", &commands);
    assert_eq!(desk.code(&PROVE), 1);
}

#[test]
fn without_a_solver_only_the_comparison_is_shown() {
    let desk = desk(UNDER_TMP, UNDER_TMP).under("PATH", "/nowhere");
    assert_snapshot!(run(&desk), @"
    not proved: the solver `cvc5` was not found
      help: run `apt-get install cvc5`, or name the program in CVC5; the table below does not use a solver

    no rule differs
    compared: rules, not grants: a grant stays until it ends or is revoked
    exit: 1
    ");
    let proof = &json_of(&desk)["proof"];
    assert_eq!(proof["unavailable"], "the solver `cvc5` was not found");
    assert_eq!(proof["findings"], Value::Null);
}

#[test]
fn a_program_that_is_not_a_solver_proves_nothing() {
    for program in ["/bin/true", "/bin/false", "/bin/cat", "/etc/passwd"] {
        let desk = desk(UNDER_TMP, UNDER_TMP).under("CVC5", program);
        let text = desk.run(&[&PROVE[..], &["--timeout", "1"]].concat());
        assert!(text.contains("not proved: "), "{program}: {text}");
        assert!(!text.contains("nothing new"), "{program}: {text}");
        assert!(text.ends_with("exit: 1"), "{program}: {text}");
    }
}

#[test]
fn cedar_extensions_are_not_valid_in_conditions() {
    for condition in ["ip(\"10.0.0.1\").isLoopback()", "decimal(\"1.0\") == decimal(\"1.0\")"] {
        let policy = format!("permit(principal, action, resource) when {{ {condition} }};");
        let text = desk(UNDER_TMP, &policy).run(&PROVE);
        assert!(text.contains("error: no fact has the type `"), "{text}");
        assert!(text.ends_with("exit: 1"), "{text}");
    }
}
