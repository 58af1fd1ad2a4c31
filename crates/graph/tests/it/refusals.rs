//! Which graphs are refused, with the position and message of each problem.

use countersign_graph::{Format, Problems, load_graph};

fn load_problems(text: &str, format: Format) -> Problems {
    match load_graph("g", text.as_bytes(), format) {
        Ok(loaded) => panic!("this loads as {loaded:?}\n{text}"),
        Err(problems) => problems,
    }
}

/// Compares every problem of a YAML graph with `line:column: message`.
fn check(text: &str, expected: &[&str]) {
    let shown = load_problems(text, Format::Yaml).to_string();
    let lines: Vec<_> = shown.lines().map(|line| line.strip_prefix("g:").unwrap()).collect();
    assert_eq!(lines, expected, "\n{text}");
}

/// A domain `d` on lines 1 to 4; `rest` starts on line 5.
fn graph_with_domain(rest: &str) -> String {
    format!("d:\n  autonomous: [look]\n  requires_approval: [act, ask]\n  blocked: [harm]\n{rest}")
}

#[test]
fn a_verb_is_in_one_list_once() {
    let lists = |a: &str, r: &str, b: &str| {
        format!("d:\n  autonomous: [{a}]\n  requires_approval: [{r}]\n  blocked: [{b}]\n")
    };
    check(
        &lists("send", "send", ""),
        &["3:23: `send` is listed in both `autonomous` and `requires_approval`"],
    );
    check(&lists("", "send, send", ""), &["3:29: `send` is listed twice in `requires_approval`"]);
    check(
        &lists("send", "", "Send"),
        &["4:13: `send` and `Send` differ only in case or whitespace"],
    );
    check(&lists("ÄB, äb", "", ""), &["2:20: `ÄB` and `äb` differ only in case or whitespace"]);
}

#[test]
fn a_verb_must_be_a_valid_action_name() {
    let text =
        "d:\n  autonomous: ['', 'a b', 7]\n  requires_approval: []\n  blocked: [\"a\\u200b\"]\n";
    check(
        text,
        &[
            "2:16: `` cannot be an action: an action is written `domain.verb`, and `d.` is not",
            "2:20: `a b` cannot be an action: a name of an action may not contain ` `",
            "2:27: `autonomous` should be text, but this is a number",
            "4:13: `a\\u{200b}` cannot be an action: a name of an action may not contain `\\u{200b}`",
        ],
    );
}

#[test]
fn a_domain_has_all_three_lists() {
    check(
        "domains:\n  d: {autonomous: []}\n",
        &[
            "2:3: the domain `d` has no list `requires_approval`",
            "2:3: the domain `d` has no list `blocked`",
        ],
    );
    check(
        "d: {autonomous: [], requires_approval: [], blocked: }\n",
        &["1:52: `blocked` should be a list, but this is nothing"],
    );
    check(
        "d: {autonomous: x, requires_approval: [], blocked: []}\n",
        &["1:17: `autonomous` should be a list, but this is text"],
    );
    check("domains: {d: 1}\n", &["1:14: `d` should be a map, but this is a number"]);
}

#[test]
fn domain_names_must_be_valid_and_distinct() {
    let lists = "{autonomous: [], requires_approval: [], blocked: []}";
    check(
        &format!("mail: {lists}\nMail: {lists}\n'm ail': {lists}\n"),
        &[
            "2:1: `mail` and `Mail` differ only in case or whitespace",
            "3:1: `Mail` and `m ail` differ only in case or whitespace",
            "3:1: `m ail` cannot be a domain: a name of an action may not contain ` `",
        ],
    );
    check(
        &format!("a.b: {lists}\n"),
        &[
            "1:1: `a.b` cannot be a domain: it contains a dot, and an action's domain ends at its first dot",
        ],
    );
}

#[test]
fn the_root_is_a_map_of_known_keys_and_domains() {
    check("", &["1:1: a graph is a map of domains, but this is nothing"]);
    check("[]", &["1:1: a graph is a map of domains, but this is a list"]);
    check("domains: []\n", &["1:10: `domains` should be a map, but this is a list"]);
    check(
        &graph_with_domain("consent_dcay: {enabled: true}\nblocked: [x]\n"),
        &[
            "5:1: `consent_dcay` is neither a key of a graph nor a domain with its three lists",
            "6:1: `blocked` is neither a key of a graph nor a domain with its three lists",
        ],
    );
    check(
        "domains: {}\nd: {autonomous: [], requires_approval: [], blocked: []}\n",
        &["2:1: the domain `d` is outside `domains`"],
    );
}

#[test]
fn an_unknown_key_is_refused_with_a_suggestion() {
    for (rest, message, help) in [
        ("  trust_lvl: low\n", "5:3: `d` has no key `trust_lvl`", "did you mean `trust_level`?"),
        ("  Blocked: []\n", "5:3: `d` has no key `Blocked`", "did you mean `blocked`?"),
        ("  actions: {act: {rsk: low}}\n", "5:19: `act` has no key `rsk`", "did you mean `risk`?"),
        (
            "visible: {tresold: 1}\n",
            "5:11: `visible` has no key `tresold`",
            "did you mean `threshold`?",
        ),
        (
            "  xyz: 1\n",
            "5:3: `d` has no key `xyz`",
            "remove it, or start its name with `_` if it is a comment",
        ),
        ("workflows: {w: {acts: []}}\n", "5:17: `w` has no key `acts`", "did you mean `actions`?"),
    ] {
        let problems = load_problems(&graph_with_domain(rest), Format::Yaml);
        assert_eq!(problems.to_string(), format!("g:{message}"));
        assert_eq!(problems.list()[0].help, help, "{rest}");
    }
}

#[test]
fn an_invalid_command_rule_is_refused_at_its_span() {
    let graph = "commands:\n  allow:\n    - git log * -p\n    - \"ls 'x\"\n    - 'ls; deny rm'\n    - allow ls\n    - 7\n  deny: [path ./.env, '', \"a\\u200bb\"]\n  dney: []\n";
    check(
        &graph_with_domain(graph),
        &[
            "7:15: `git log * -p` is not a command rule: `*` is not at the end of the rule",
            "8:11: `ls \\'x` is not a command rule: a quote is not closed",
            "9:8: `ls; deny rm` is not a command rule: one entry contains more than one rule",
            "10:7: `allow ls` is not a command rule: there is `allow` where a program should be",
            "11:7: `allow` should be text, but this is a number",
            "12:24: `` is not a command rule: the rule names no program",
            "12:27: `a\\u{200b}b` is not a command rule: a rule contains '\\u{200b}'",
            "13:3: `commands` has no key `dney`",
        ],
    );
    check(
        &graph_with_domain("commands: [ls]\n"),
        &["5:11: `commands` should be a map, but this is a list"],
    );
    check(
        &graph_with_domain("commands: {deny: rm}\n"),
        &["5:18: `deny` should be a list, but this is text"],
    );
}

#[test]
fn a_command_rule_is_in_one_list_once() {
    check(
        &graph_with_domain(
            "commands:\n  allow: [git log *, \"git  log *\", ls]\n  deny: [ls, \"ls\"]\n",
        ),
        &[
            "6:22: the command rule `git  log *` occurs twice",
            "7:10: `ls` is listed in both `allow` and `deny`",
            "7:14: `ls` is listed in both `allow` and `deny`",
        ],
    );
}

#[test]
fn only_listed_and_unblocked_actions_can_require_the_trusted_channel() {
    check(
        &graph_with_domain("  trusted_channel_required: [act, look, harm, atc, act]\n"),
        &[
            "5:41: `trusted_channel_required` names `harm`, which is blocked",
            "5:47: `trusted_channel_required` names `atc`, which is in no list of the domain",
            "5:52: `act` is listed twice in `trusted_channel_required`",
        ],
    );
}

#[test]
fn only_listed_verbs_have_details() {
    check(
        &graph_with_domain(
            "  actions: {acct: {risk: low}, act: {risk: LOW, reversible: yes, categories: [git, git]}}\n",
        ),
        &[
            "5:13: `actions` describes `acct`, which is in no list of the domain",
            "5:44: `risk` may not be `LOW`",
            "5:61: `reversible` should be `true` or `false`, but this is text",
            "5:84: `git` is listed twice in `categories`",
        ],
    );
}

#[test]
fn numbers_must_be_whole_and_in_range() {
    for (rest, expected) in [
        ("  cooling_period_hours: -1\n", "5:25: `cooling_period_hours` may not be `-1`"),
        (
            "  cooling_period_hours: 2.0\n",
            "5:25: `cooling_period_hours` should be a whole number, but this is a number",
        ),
        (
            "  cooling_period_hours:\n",
            "5:24: `cooling_period_hours` should be a whole number, but this is nothing",
        ),
        (
            "  cooling_period_hours: 99999999999\n",
            "5:25: `cooling_period_hours` may not be `99999999999`",
        ),
        ("  undo_window_days: 0\n", "5:21: `undo_window_days` may not be `0`"),
        (
            "consent_decay: {enabled: true, review_interval_days: 0}\n",
            "5:54: `review_interval_days` may not be `0`",
        ),
        ("visible: {threshold: 1.01}\n", "5:22: `threshold` may not be `1.01`"),
        ("visible: {threshold: -0.1}\n", "5:22: `threshold` may not be `-0.1`"),
        ("visible: {threshold: 2}\n", "5:22: `threshold` may not be `2`"),
        ("visible: {threshold: .nan}\n", "5:22: `threshold` may not be `NaN`"),
        ("visible: {threshold: '0.5'}\n", "5:22: `threshold` should be a number, but this is text"),
        ("  visible: {threshold: .inf}\n", "5:24: `threshold` may not be `inf`"),
    ] {
        check(&graph_with_domain(rest), &[expected]);
    }
}

#[test]
fn settings_accept_only_known_words() {
    for (rest, expected) in [
        ("  trust_level: huge\n", "5:16: `trust_level` may not be `huge`"),
        (
            "  require_diff: 1\n",
            "5:17: `require_diff` should be `true` or `false`, but this is a number",
        ),
        ("visible: {policy: always}\n", "5:19: `policy` may not be `always`"),
        ("unclassified: allow\n", "5:15: `unclassified` may not be `allow`"),
        (
            "consent_decay: {enabled: true, decay_action: forget}\n",
            "5:46: `decay_action` may not be `forget`",
        ),
        ("consent_decay: {}\n", "5:16: `consent_decay` does not say whether it is enabled"),
        (
            "last_reviewed: [2026-01-05]\n",
            "5:16: `last_reviewed` should be a date, but this is a list",
        ),
    ] {
        check(&graph_with_domain(rest), &[expected]);
    }
}

#[test]
fn a_contact_needs_an_id_in_quotes() {
    check(
        &graph_with_domain("vip_contacts: {ann: +15550100, bo: [], cy: ['', ' x']}\n"),
        &[
            "5:21: the id of a contact should be text, but this is a number",
            "5:36: a contact needs an id",
            "5:45: `` cannot be the id of a contact",
            "5:49: ` x` cannot be the id of a contact",
        ],
    );
}

#[test]
fn tools_slash_commands_and_workflows_name_listed_actions() {
    check(
        &graph_with_domain(
            "slash: {go: [d.act, d.atc, x.act, act]}\ntools: {T: {actions: [d.nope]}}\nworkflows: {w: {actions: [d.act, d.act]}}\n",
        ),
        &[
            "5:21: `go` names `d.atc`, which is in no list of the graph",
            "5:28: `go` names `x.act`, which is in no list of the graph",
            "5:35: `go` names `act`, which is in no list of the graph",
            "6:23: `actions` names `d.nope`, which is in no list of the graph",
            "7:34: `d.act` is listed twice in `actions`",
        ],
    );
    let helps: Vec<_> =
        load_problems(&graph_with_domain("slash: {go: [d.atc, e.act, act, q.zz]}\n"), Format::Yaml)
            .list()
            .iter()
            .map(|problem| problem.help.clone())
            .collect();
    let expected = [
        "did you mean `d.act`?",
        "add the domain and list the action in it",
        "write an action as `domain.verb`",
        "add the domain and list the action in it",
    ];
    assert_eq!(helps, expected);
}

#[test]
fn a_workflow_has_distinct_steps_and_declares_their_actions() {
    check(
        &graph_with_domain(
            "workflows:\n  w:\n    actions: [d.act]\n    steps:\n      - {name: one, actions: [d.act]}\n      - {name: one, actions: [d.look]}\n      - {actions: []}\n  'a b': {}\n",
        ),
        &[
            "10:9: the step `one` occurs twice in this workflow",
            "10:31: the step `one` names `d.look`, which its workflow does not declare",
            "11:9: this step has no `name`",
            "12:3: a name of a workflow may not contain ` `",
        ],
    );
}

#[test]
fn a_reducer_of_an_irreducible_action_is_refused() {
    let rest = "  trusted_channel_required: [ask]\n  actions: {look: {always_ask: true}, act: {risk: critical}}\n\
                reducers:\n- {caller: d.look, action: d.harm, to: low}\n- {caller: d.look, action: d.act, to: low}\n\
                - {caller: d.look, action: d.look, to: read_only}\n- {caller: d.look, action: d.ask, to: low}\n\
                - {caller: d.look, action: d.ask, to: high}\n- {caller: d.lok, action: d.nope, to: none}\n- {}\n";
    check(
        &graph_with_domain(rest),
        &[
            "8:3: `d.harm` cannot be reduced: it is blocked",
            "9:3: `d.act` cannot be reduced: its risk is critical",
            "10:3: `d.look` cannot be reduced: it is marked `always_ask`",
            "11:3: `d.ask` cannot be reduced: it needs the trusted channel",
            "12:3: `d.ask` cannot be reduced: it needs the trusted channel",
            "12:3: `d.ask` cannot be reduced: `high` is above its own risk, `moderate`",
            "13:12: `caller` names `d.lok`, which is in no list of the graph",
            "13:27: `action` names `d.nope`, which is in no list of the graph",
            "13:39: `to` may not be `none`",
            "14:3: this reducer has no `caller`",
            "14:3: this reducer has no `action`",
            "14:3: this reducer has no `to`",
        ],
    );
}

#[test]
fn the_pattern_and_pointers_of_a_tool_must_be_valid() {
    check(
        &graph_with_domain(
            "tools:\n  'a*b': {actions: [d.act]}\n  t: {categories: []}\n  '': {actions: [d.act]}\n  u: {actions: [d.act], target: path, amount: /a~2}\n",
        ),
        &[
            "6:3: `a*b` cannot be a tool: a `*` is allowed only at its end",
            "8:3: `` cannot be a tool: a name of a tool may not be empty",
            "9:33: `target` should be a JSON pointer, but `path` is not one",
            "9:47: `amount` should be a JSON pointer, but `/a~2` is not one",
        ],
    );
}

#[test]
fn positions_are_right_in_json_and_toml_too() {
    let json = "{\n  \"d\": {\n    \"autonomous\": [\"a\"],\n    \"requires_approval\": [\"a\"],\n    \"blocked\": []\n  }\n}";
    let toml = "[d]\nautonomous = ['a']\nrequires_approval = [\n  'a',\n]\nblocked = []\n";
    let message = "`a` is listed in both `autonomous` and `requires_approval`";
    assert_eq!(load_problems(json, Format::Json).to_string(), format!("g:4:27: {message}"));
    assert_eq!(load_problems(toml, Format::Toml).to_string(), format!("g:4:3: {message}"));
}

#[test]
fn at_most_a_hundred_problems_are_shown() {
    let verbs = vec!["x"; 1000].join(", ");
    let text = format!("d: {{autonomous: [{verbs}], requires_approval: [], blocked: []}}\n");
    let problems = load_problems(&text, Format::Yaml);
    let last = problems.list().last().unwrap();
    assert_eq!(
        (problems.list().len(), last.message.as_str()),
        (101, "899 more problems are not shown")
    );
}
