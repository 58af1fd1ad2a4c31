//! What is refused, where, and with which words.

use countersign_graph::{Format, Problems, load_graph};

fn refused(text: &str, format: Format) -> Problems {
    match load_graph("g", text.as_bytes(), format) {
        Ok(loaded) => panic!("this loads as {loaded:?}\n{text}"),
        Err(problems) => problems,
    }
}

/// Compares every problem of a YAML graph with `line:column: message`.
fn check(text: &str, expected: &[&str]) {
    let shown = refused(text, Format::Yaml).to_string();
    let lines: Vec<_> = shown.lines().map(|line| line.strip_prefix("g:").unwrap()).collect();
    assert_eq!(lines, expected, "\n{text}");
}

/// A domain `d` on lines 2 to 4; what follows begins on line 5.
fn domain(rest: &str) -> String {
    format!("d:\n  autonomous: [look]\n  requires_approval: [act, ask]\n  blocked: [harm]\n{rest}")
}

#[test]
fn tiers_are_a_partition() {
    let lists = |a: &str, r: &str, b: &str| {
        format!("d:\n  autonomous: [{a}]\n  requires_approval: [{r}]\n  blocked: [{b}]\n")
    };
    check(
        &lists("send", "send", ""),
        &["3:23: `send` stands in `autonomous` and in `requires_approval`"],
    );
    check(&lists("", "send, send", ""), &["3:29: `send` stands twice in `requires_approval`"]);
    check(&lists("send", "", "Send"), &["4:13: `send` and `Send` differ only in case or blanks"]);
    check(&lists("ÄB, äb", "", ""), &["2:20: `ÄB` and `äb` differ only in case or blanks"]);
}

#[test]
fn a_verb_must_make_the_name_of_an_action() {
    let text =
        "d:\n  autonomous: ['', 'a b', 7]\n  requires_approval: []\n  blocked: [\"a\\u200b\"]\n";
    check(
        text,
        &[
            "2:16: `` cannot be an action: an action is written `domain.verb`, and `d.` is not",
            "2:20: `a b` cannot be an action: a name of an action may not contain ` `",
            "2:27: `autonomous` should be text, and this is a number",
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
        &["1:52: `blocked` should be a list, and this is nothing"],
    );
    check(
        "d: {autonomous: x, requires_approval: [], blocked: []}\n",
        &["1:17: `autonomous` should be a list, and this is text"],
    );
    check("domains: {d: 1}\n", &["1:14: `d` should be a map, and this is a number"]);
}

#[test]
fn domains_have_names_that_cannot_be_confused() {
    let lists = "{autonomous: [], requires_approval: [], blocked: []}";
    check(
        &format!("mail: {lists}\nMail: {lists}\n'm ail': {lists}\n"),
        &[
            "2:1: `mail` and `Mail` differ only in case or blanks",
            "3:1: `Mail` and `m ail` differ only in case or blanks",
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
    check("", &["1:1: a graph is a map of domains, and this is nothing"]);
    check("[]", &["1:1: a graph is a map of domains, and this is a list"]);
    check("domains: []\n", &["1:10: `domains` should be a map, and this is a list"]);
    check(
        &domain("consent_dcay: {enabled: true}\nblocked: [x]\n"),
        &[
            "5:1: `consent_dcay` is neither a key of a graph nor a domain with its three lists",
            "6:1: `blocked` is neither a key of a graph nor a domain with its three lists",
        ],
    );
    check(
        "domains: {}\nd: {autonomous: [], requires_approval: [], blocked: []}\n",
        &["2:1: the domain `d` stands beside `domains`"],
    );
}

#[test]
fn an_unknown_key_is_refused_with_the_nearest_known_one() {
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
            "remove it, or begin its name with `_` if it is a remark",
        ),
        ("workflows: {w: {acts: []}}\n", "5:17: `w` has no key `acts`", "did you mean `actions`?"),
    ] {
        let problems = refused(&domain(rest), Format::Yaml);
        assert_eq!(problems.to_string(), format!("g:{message}"));
        assert_eq!(problems.list()[0].help, help, "{rest}");
    }
}

#[test]
fn a_command_rule_that_cannot_be_read_is_refused_at_its_place() {
    let graph = "commands:\n  allow:\n    - git log * -p\n    - \"ls 'x\"\n    - 'ls; deny rm'\n    - allow ls\n    - 7\n  deny: [path ./.env, '', \"a\\u200bb\"]\n  dney: []\n";
    check(
        &domain(graph),
        &[
            "7:15: `git log * -p` is no command rule: `*` stands before the end of the rule",
            "8:11: `ls \\'x` is no command rule: a quote is not closed",
            "9:8: `ls; deny rm` is no command rule: there is more than one rule in one entry",
            "10:7: `allow ls` is no command rule: `allow` stands where a program should",
            "11:7: `allow` should be text, and this is a number",
            "12:24: `` is no command rule: the rule names no program",
            "12:27: `a\\u{200b}b` is no command rule: a rule holds '\\u{200b}'",
            "13:3: `commands` has no key `dney`",
        ],
    );
    check(&domain("commands: [ls]\n"), &["5:11: `commands` should be a map, and this is a list"]);
    check(&domain("commands: {deny: rm}\n"), &["5:18: `deny` should be a list, and this is text"]);
}

#[test]
fn a_command_stands_once_and_in_one_list() {
    check(
        &domain("commands:\n  allow: [git log *, \"git  log *\", ls]\n  deny: [ls, \"ls\"]\n"),
        &[
            "6:22: the command rule `git  log *` occurs twice",
            "7:10: `ls` stands in `allow` and in `deny`",
            "7:14: `ls` stands in `allow` and in `deny`",
        ],
    );
}

#[test]
fn the_trusted_channel_is_for_listed_actions_that_are_not_blocked() {
    check(
        &domain("  trusted_channel_required: [act, look, harm, atc, act]\n"),
        &[
            "5:41: `trusted_channel_required` names `harm`, which is blocked",
            "5:47: `trusted_channel_required` names `atc`, and no list of the domain does",
            "5:52: `act` stands twice in `trusted_channel_required`",
        ],
    );
}

#[test]
fn detail_is_given_only_for_listed_verbs() {
    check(
        &domain(
            "  actions: {acct: {risk: low}, act: {risk: LOW, reversible: yes, categories: [git, git]}}\n",
        ),
        &[
            "5:13: `actions` describes `acct`, which no list of the domain names",
            "5:44: `risk` may not be `LOW`",
            "5:61: `reversible` should be `true` or `false`, and this is text",
            "5:84: `git` stands twice in `categories`",
        ],
    );
}

#[test]
fn numbers_are_whole_and_within_reason() {
    for (rest, expected) in [
        ("  cooling_period_hours: -1\n", "5:25: `cooling_period_hours` may not be `-1`"),
        (
            "  cooling_period_hours: 2.0\n",
            "5:25: `cooling_period_hours` should be a whole number, and this is a number",
        ),
        (
            "  cooling_period_hours:\n",
            "5:24: `cooling_period_hours` should be a whole number, and this is nothing",
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
        ("visible: {threshold: '0.5'}\n", "5:22: `threshold` should be a number, and this is text"),
        ("  visible: {threshold: .inf}\n", "5:24: `threshold` may not be `inf`"),
    ] {
        check(&domain(rest), &[expected]);
    }
}

#[test]
fn words_are_the_known_ones() {
    for (rest, expected) in [
        ("  trust_level: huge\n", "5:16: `trust_level` may not be `huge`"),
        (
            "  require_diff: 1\n",
            "5:17: `require_diff` should be `true` or `false`, and this is a number",
        ),
        ("visible: {policy: always}\n", "5:19: `policy` may not be `always`"),
        ("unclassified: allow\n", "5:15: `unclassified` may not be `allow`"),
        (
            "consent_decay: {enabled: true, decay_action: forget}\n",
            "5:46: `decay_action` may not be `forget`",
        ),
        ("consent_decay: {}\n", "5:16: `consent_decay` does not say whether it is enabled"),
        ("last_reviewed: [2026-01-05]\n", "5:16: `last_reviewed` is a date, and this is a list"),
    ] {
        check(&domain(rest), &[expected]);
    }
}

#[test]
fn a_contact_is_an_id_in_quotes() {
    check(
        &domain("vip_contacts: {ann: +15550100, bo: [], cy: ['', ' x']}\n"),
        &[
            "5:21: a contact's id is text, and this is a number",
            "5:36: a contact needs an id",
            "5:45: `` cannot be the id of a contact",
            "5:49: ` x` cannot be the id of a contact",
        ],
    );
}

#[test]
fn other_names_stand_for_actions_of_the_graph() {
    check(
        &domain(
            "slash: {go: [d.act, d.atc, x.act, act]}\ntools: {T: {actions: [d.nope]}}\nworkflows: {w: {actions: [d.act, d.act]}}\n",
        ),
        &[
            "5:21: `go` names `d.atc`, and no list of the graph does",
            "5:28: `go` names `x.act`, and no list of the graph does",
            "5:35: `go` names `act`, and no list of the graph does",
            "6:23: `actions` names `d.nope`, and no list of the graph does",
            "7:34: `d.act` stands twice in `actions`",
        ],
    );
    let helps: Vec<_> = refused(&domain("slash: {go: [d.atc, e.act, act, q.zz]}\n"), Format::Yaml)
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
fn a_workflow_names_its_steps_once_and_declares_what_they_do() {
    check(
        &domain(
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
fn a_reducer_only_lowers_what_may_be_lowered() {
    let rest = "  trusted_channel_required: [ask]\n  actions: {look: {always_ask: true}, act: {risk: critical}}\n\
                reducers:\n- {caller: d.look, action: d.harm, to: low}\n- {caller: d.look, action: d.act, to: low}\n\
                - {caller: d.look, action: d.look, to: read_only}\n- {caller: d.look, action: d.ask, to: low}\n\
                - {caller: d.look, action: d.ask, to: high}\n- {caller: d.lok, action: d.nope, to: none}\n- {}\n";
    check(
        &domain(rest),
        &[
            "8:3: `d.harm` cannot be reduced: it is blocked",
            "9:3: `d.act` cannot be reduced: its risk is critical",
            "10:3: `d.look` cannot be reduced: it is marked `always_ask`",
            "11:3: `d.ask` cannot be reduced: it needs the trusted channel",
            "12:3: `d.ask` cannot be reduced: it needs the trusted channel",
            "12:3: `d.ask` cannot be reduced: `high` is above its own risk, `moderate`",
            "13:12: `caller` names `d.lok`, and no list of the graph does",
            "13:27: `action` names `d.nope`, and no list of the graph does",
            "13:39: `to` may not be `none`",
            "14:3: this reducer has no `caller`",
            "14:3: this reducer has no `action`",
            "14:3: this reducer has no `to`",
        ],
    );
}

#[test]
fn a_tool_has_a_pattern_and_pointers() {
    check(
        &domain(
            "tools:\n  'a*b': {actions: [d.act]}\n  t: {categories: []}\n  '': {actions: [d.act]}\n  u: {actions: [d.act], target: path, amount: /a~2}\n",
        ),
        &[
            "6:3: `a*b` cannot be a tool: a `*` stands only at its end",
            "8:3: `` cannot be a tool: a name of a tool may not be empty",
            "9:33: `target` is a JSON pointer, and `path` is not",
            "9:47: `amount` is a JSON pointer, and `/a~2` is not",
        ],
    );
}

#[test]
fn places_hold_in_json_and_toml_too() {
    let json = "{\n  \"d\": {\n    \"autonomous\": [\"a\"],\n    \"requires_approval\": [\"a\"],\n    \"blocked\": []\n  }\n}";
    let toml = "[d]\nautonomous = ['a']\nrequires_approval = [\n  'a',\n]\nblocked = []\n";
    let message = "`a` stands in `autonomous` and in `requires_approval`";
    assert_eq!(refused(json, Format::Json).to_string(), format!("g:4:27: {message}"));
    assert_eq!(refused(toml, Format::Toml).to_string(), format!("g:4:3: {message}"));
}

#[test]
fn no_more_problems_are_shown_than_a_person_reads() {
    let verbs = vec!["x"; 1000].join(", ");
    let text = format!("d: {{autonomous: [{verbs}], requires_approval: [], blocked: []}}\n");
    let problems = refused(&text, Format::Yaml);
    let last = problems.list().last().unwrap();
    assert_eq!(
        (problems.list().len(), last.message.as_str()),
        (101, "899 more problems are not shown")
    );
}
