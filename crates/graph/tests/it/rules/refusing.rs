//! Policies that are refused, each at its place and with what to do.

use super::*;

/// `line:column: message` and the help of the only problem.
fn check(text: &str, place: &str, message: &str, help: &str) {
    let problems = refused(text);
    assert_eq!(problems.to_string(), format!("rules/p.cedar:{place}: {message}"), "{text}");
    assert_eq!(problems.list()[0].help, help, "{text}");
}

/// A forbid on deleting, with a condition in its second line.
fn when(condition: &str) -> String {
    format!(
        "forbid(principal, action == Action::\"files.delete\", resource)\nwhen {{ {condition} }};"
    )
}

#[test]
fn an_action_that_the_graph_does_not_know() {
    check(
        "// first\n\nforbid(principal, action == Action::\"file.delete\", resource);",
        "3:37",
        "the graph has no action and no domain `file.delete`",
        "did you mean `files.delete`?",
    );
    check(
        "forbid(principal, action in [Action::\"files\", Action::\"x.y\"], resource);",
        "1:55",
        "the graph has no action and no domain `x.y`",
        "list the action in its domain, or name one that is listed",
    );
    check(
        &when("action == Action::\"files.wip\""),
        "2:26",
        "the graph has no action and no domain `files.wip`",
        "did you mean `files.wipe`?",
    );
}

#[test]
fn a_fact_that_there_is_not() {
    check(
        &when("context.facts.secrets"),
        "2:22",
        "`context.facts` has no `secrets`",
        "did you mean `secret`?",
    );
    check(
        &when("context.facts has in_workspce"),
        "2:26",
        "`context.facts` has no `in_workspce`",
        "did you mean `in_workspace`?",
    );
    check(
        &when("context.aproved"),
        "2:16",
        "`context` has no `aproved`",
        "did you mean `approved`?",
    );
    check(
        &when("context.args.path == \"/etc\""),
        "2:16",
        "`context` has no `args`",
        "ask for one of `approved`, `facts`",
    );
}

#[test]
fn a_fact_that_may_be_missing_is_asked_for_first() {
    check(
        &when("context.facts.amount > 5"),
        "2:8",
        "not every call has the fact `amount`",
        "ask for it first: `context.facts has amount && …`",
    );
}

#[test]
fn patterns_over_text() {
    let message = "`like` matches text, and text can be written in many ways";
    let help = "ask `context.facts.under.contains(\"/a/folder\")` or \
                `context.facts.hosts.contains(\"example.com\")`";
    check(
        &when("context.facts has path && context.facts.path like \"/tmp/*\""),
        "2:53",
        message,
        help,
    );
    check(
        &when("context.facts has host && context.facts.host like \"*example.com\""),
        "2:53",
        message,
        help,
    );
}

#[test]
fn agents_and_targets_cannot_be_told_apart() {
    let message = "`principal` cannot be told apart: it is the same for every call";
    let help = "write `principal` alone in the head, and ask for facts of the call in a `when`";
    for head in ["principal == Agent::\"bot\"", "principal is Agent", "principal in Agent::\"x\""] {
        check(&format!("permit({head}, action, resource);"), "1:8", message, help);
    }
    check(
        "permit(principal, action, resource) when { [principal].isEmpty() };",
        "1:45",
        message,
        help,
    );
    check(
        "permit(principal, action, resource == Target::\"x\");",
        "1:27",
        "`resource` cannot be told apart: it is the same for every call",
        "write `resource` alone in the head, and ask for facts of the call in a `when`",
    );
}

#[test]
fn texts_that_a_fact_can_never_be() {
    check(
        &when("context.facts.under.contains(\"/tmp/\")"),
        "2:37",
        "no call has `/tmp/` as its `under`",
        "write a folder as `/srv/data`, `~/.config` or `./src`, without a slash at its end",
    );
    check(
        &when("[\"example.com\", \"*.org\"].containsAny(context.facts.hosts)"),
        "2:24",
        "no call has `*.org` as its `hosts`",
        "write a host in lower case, without scheme, port, path or `*`",
    );
    check(
        &when("context.facts has currency && \"eur\" != context.facts.currency"),
        "2:38",
        "no call has `eur` as its `currency`",
        "write the three capital letters of a currency",
    );
}

#[test]
fn a_policy_that_can_never_apply() {
    let text = when("context.approved && false");
    assert!(refused(&text).to_string().contains("impossible"), "{}", refused(&text));
}

#[test]
fn the_context_as_a_whole() {
    check(
        &when("context.facts == context.facts"),
        "2:8",
        "`context.facts` as a whole is not a condition",
        "ask for `context.approved` or for one fact",
    );
}

#[test]
fn wrong_types_and_wrong_syntax_point_at_their_place() {
    let at = |text: &str| refused(text).lines().next().unwrap();
    assert!(at(&when("context.facts.under.contains(5)")).starts_with("rules/p.cedar:2:"));
    assert!(
        at("forbid(principal, action, resource)\nwhen { context.facts.secret")
            .starts_with("rules/p.cedar:2:")
    );
    assert!(
        at("permit(principal, action, resource);\npermt(principal, action, resource);")
            .starts_with("rules/p.cedar:2:1")
    );
}

#[test]
fn floats_and_null_are_no_cedar() {
    for condition in ["context.facts has amount && context.facts.amount < 49.99", "null"] {
        assert!(refused(&when(condition)).to_string().starts_with("rules/p.cedar:2:"));
    }
}

#[test]
fn a_template() {
    check(
        "permit(principal == ?principal, action, resource);",
        "1:1",
        "a policy with a slot is a template, and nothing here fills it in",
        "write `principal` and `resource` alone",
    );
}

#[test]
fn two_policies_of_one_name() {
    let one = "@id(\"x\") permit(principal, action, resource);\n";
    check(
        &format!("{one}{one}"),
        "2:1",
        "another policy is called `x` too",
        "give it an `@id` of its own",
    );
    check(
        "@id(\"a b\") permit(principal, action, resource);",
        "1:1",
        "`a b` cannot be the name of a policy",
        "write the `@id` without blanks",
    );
}

#[test]
fn what_is_not_utf8_is_refused_where_it_begins() {
    let bytes = b"permit(principal, action, resource);\n\xff".to_vec();
    let file = PolicyFile { name: "p.cedar".into(), display_path: "p.cedar".into(), bytes };
    let problems = compile(&graph(), &[file]).unwrap_err();
    assert_eq!(problems[0].to_string(), "p.cedar:2:1: this is not UTF-8");
}

#[test]
fn every_problem_of_every_file_is_reported_at_once() {
    let one = source("a.cedar", "forbid(principal, action == Action::\"x.y\", resource);");
    let two = source("b.cedar", &format!("{}\n{}", when("context.facts.a"), when("context.b")));
    let problems = compile(&graph(), &[one, two]).unwrap_err();
    let lines: Vec<_> = problems.iter().flat_map(Problems::lines).collect();
    assert_eq!(
        lines,
        [
            "rules/a.cedar:1:37: the graph has no action and no domain `x.y`",
            "rules/b.cedar:2:22: `context.facts` has no `a`",
            "rules/b.cedar:4:16: `context` has no `b`",
        ]
    );
}
