//! Which policies are refused, with the position, message and help of each.

use super::*;

/// Compares `line:column: message` and the help of the only problem.
fn check(text: &str, place: &str, message: &str, help: &str) {
    let problems = compile_problems(text);
    assert_eq!(problems.to_string(), format!("rules/p.cedar:{place}: {message}"), "{text}");
    assert_eq!(problems.list()[0].help, help, "{text}");
}

/// A forbid on `files.delete`, with the condition on its second line.
fn forbid_when(condition: &str) -> String {
    format!(
        "forbid(principal, action == Action::\"files.delete\", resource)\nwhen {{ {condition} }};"
    )
}

#[test]
fn an_unknown_action_is_refused() {
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
        "list the action in its domain, or name a listed one",
    );
    check(
        &forbid_when("action == Action::\"files.wip\""),
        "2:26",
        "the graph has no action and no domain `files.wip`",
        "did you mean `files.wipe`?",
    );
}

#[test]
fn an_unknown_fact_is_refused() {
    check(
        &forbid_when("context.facts.secrets"),
        "2:22",
        "`context.facts` has no `secrets`",
        "did you mean `secret`?",
    );
    check(
        &forbid_when("context.facts has in_workspce"),
        "2:26",
        "`context.facts` has no `in_workspce`",
        "did you mean `in_workspace`?",
    );
    check(
        &forbid_when("context.aproved"),
        "2:16",
        "`context` has no `aproved`",
        "did you mean `approved`?",
    );
    check(
        &forbid_when("context.args.path == \"/etc\""),
        "2:16",
        "`context` has no `args`",
        "use one of `approved`, `facts`",
    );
}

#[test]
fn an_optional_fact_without_a_check_is_refused() {
    check(
        &forbid_when("context.facts.amount > 5"),
        "2:8",
        "not every call has the fact `amount`",
        "check for it first: `context.facts has amount && …`",
    );
}

#[test]
fn a_text_pattern_is_refused() {
    let message = "`like` compares text, and one path or host has many spellings";
    let help = "use `context.facts.under.contains(\"/a/folder\")` or \
                `context.facts.hosts.contains(\"example.com\")`";
    check(
        &forbid_when("context.facts has path && context.facts.path like \"/tmp/*\""),
        "2:53",
        message,
        help,
    );
    check(
        &forbid_when("context.facts has host && context.facts.host like \"*example.com\""),
        "2:53",
        message,
        help,
    );
}

#[test]
fn a_condition_on_agent_or_target_is_refused() {
    let message = "`principal` is the same for every call, so a policy cannot test it";
    let help = "write `principal` alone in the head, and test facts of the call in a `when`";
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
        "`resource` is the same for every call, so a policy cannot test it",
        "write `resource` alone in the head, and test facts of the call in a `when`",
    );
}

#[test]
fn a_comparison_with_an_impossible_text_is_refused() {
    check(
        &forbid_when("context.facts.under.contains(\"/tmp/\")"),
        "2:37",
        "the fact `under` is never `/tmp/`",
        "write a folder as `/srv/data`, `~/.config` or `./src`, without a slash at its end",
    );
    check(
        &forbid_when("[\"example.com\", \"*.org\"].containsAny(context.facts.hosts)"),
        "2:24",
        "the fact `hosts` is never `*.org`",
        "write a host in lower case, without scheme, port, path or `*`",
    );
    check(
        &forbid_when("context.facts has currency && \"eur\" != context.facts.currency"),
        "2:38",
        "the fact `currency` is never `eur`",
        "write the three capital letters of a currency",
    );
}

#[test]
fn a_policy_that_can_never_apply_is_refused() {
    let text = forbid_when("context.approved && false");
    assert!(
        compile_problems(&text).to_string().contains("impossible"),
        "{}",
        compile_problems(&text)
    );
}

#[test]
fn a_condition_on_the_whole_context_is_refused() {
    check(
        &forbid_when("context.facts == context.facts"),
        "2:8",
        "`context.facts` cannot be used as a whole",
        "use `context.approved` or one fact",
    );
}

#[test]
fn type_and_syntax_errors_have_positions() {
    let first_line = |text: &str| compile_problems(text).lines().next().unwrap();
    assert!(
        first_line(&forbid_when("context.facts.under.contains(5)")).starts_with("rules/p.cedar:2:")
    );
    assert!(
        first_line("forbid(principal, action, resource)\nwhen { context.facts.secret")
            .starts_with("rules/p.cedar:2:")
    );
    assert!(
        first_line("permit(principal, action, resource);\npermt(principal, action, resource);")
            .starts_with("rules/p.cedar:2:1")
    );
}

#[test]
fn floats_and_null_are_refused() {
    for condition in ["context.facts has amount && context.facts.amount < 49.99", "null"] {
        assert!(
            compile_problems(&forbid_when(condition)).to_string().starts_with("rules/p.cedar:2:")
        );
    }
}

#[test]
fn a_template_is_refused() {
    check(
        "permit(principal == ?principal, action, resource);",
        "1:1",
        "a policy with a slot is a template, and templates are not supported",
        "write `principal` and `resource` alone",
    );
}

#[test]
fn a_duplicate_or_invalid_policy_name_is_refused() {
    let one = "@id(\"x\") permit(principal, action, resource);\n";
    check(
        &format!("{one}{one}"),
        "2:1",
        "another policy is also named `x`",
        "give it a different `@id`",
    );
    check(
        "@id(\"a b\") permit(principal, action, resource);",
        "1:1",
        "`a b` cannot be the name of a policy",
        "write the `@id` without spaces",
    );
}

#[test]
fn invalid_utf8_is_refused_at_its_position() {
    let bytes = b"permit(principal, action, resource);\n\xff".to_vec();
    let file = PolicyFile { name: "p.cedar".into(), display_path: "p.cedar".into(), bytes };
    let problems = compile(&load_test_graph(), &[file]).unwrap_err();
    assert_eq!(problems[0].to_string(), "p.cedar:2:1: this is not UTF-8");
}

#[test]
fn every_problem_of_every_file_is_reported_at_once() {
    let one = policy_file("a.cedar", "forbid(principal, action == Action::\"x.y\", resource);");
    let two = policy_file(
        "b.cedar",
        &format!("{}\n{}", forbid_when("context.facts.a"), forbid_when("context.b")),
    );
    let problems = compile(&load_test_graph(), &[one, two]).unwrap_err();
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
