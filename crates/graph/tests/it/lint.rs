//! What lint finds, where, and what it does not report.

use crate::shipped::{ASSISTIVE, CODING};
use countersign_core::model::time::Date;
use countersign_graph::lint::{LintCheck, LintFinding, find_unmapped_tools, lint};
use countersign_graph::problem::LineColumn;
use countersign_graph::{Format, Problem};
use std::collections::BTreeSet;

const PERSONAL: &str = include_str!("../../../../graphs/personal/countersign.yaml");

fn lint_graph(text: &str) -> Vec<LintFinding> {
    lint(text.as_bytes(), Format::Yaml, Date::parse("2026-01-06").unwrap()).unwrap()
}

/// Compares every finding with `line:column check: message`.
fn check(text: &str, expected: &[&str]) {
    let line = |LintFinding { check, problem }: &LintFinding| {
        let place = LineColumn::from_offset(text, problem.span.start);
        format!("{place} {}: {}", check.word(), problem.message)
    };
    let found: Vec<_> = lint_graph(text).iter().map(line).collect();
    assert_eq!(found, expected, "\n{text}");
}

/// A domain `d` on lines 1 to 5, with the details of its actions on line 5; `rest` starts on
/// line 6.
fn graph_with_details(details: &str, rest: &str) -> String {
    format!(
        "d:\n  autonomous: [look]\n  requires_approval: [act, ask]\n  blocked: [harm]\n  \
         actions: {{{details}}}\n{rest}consent_decay: {{enabled: false}}\n"
    )
}

#[test]
fn the_shipped_graphs_have_no_findings() {
    for text in [PERSONAL, CODING, ASSISTIVE] {
        check(text, &[]);
    }
    check(&graph_with_details("", ""), &[]);
}

#[test]
fn an_invalid_graph_is_refused_with_the_problems_of_loading() {
    let today = Date::parse("2026-01-06").unwrap();
    let problems = lint(b"d: {autonomous: []}", Format::Yaml, today).unwrap_err();
    let messages: Vec<_> = problems.iter().map(|problem: &Problem| &problem.message).collect();
    let missing =
        ["requires_approval", "blocked"].map(|list| format!("the domain `d` has no list `{list}`"));
    assert_eq!(messages, missing.iter().collect::<Vec<_>>());
}

#[test]
fn the_warnings_of_loading_are_findings_too() {
    check(
        &format!("last_reviewed: 9999-01-01\n{}", graph_with_details("", "")),
        &["1:16 reading: `9999-01-01` is in the future and counts as never reviewed"],
    );
}

#[test]
fn a_category_that_makes_an_autonomous_action_high_is_found_unless_the_risk_is_declared() {
    check(
        &graph_with_details("look: {categories: [network]}", ""),
        &[
            "5:32 silent_high: `d.look` runs without approval, although `network` makes its risk high",
        ],
    );
    check(&graph_with_details("look: {risk: high, categories: [network]}", ""), &[]);
    check(&graph_with_details("look: {categories: [test]}, act: {categories: [network]}", ""), &[]);
}

#[test]
fn an_autonomous_action_that_always_asks_is_found() {
    check(
        &graph_with_details("look: {always_ask: true}", ""),
        &[
            "5:32 autonomous_that_asks: `d.look` is listed as autonomous but asks every time: it is \
           marked `always_ask`",
        ],
    );
    check(
        &graph_with_details("look: {categories: [purchase]}", ""),
        &["2:16 autonomous_that_asks: `d.look` is listed as autonomous but asks every time: its \
           risk is critical"],
    );
    check(&graph_with_details("act: {always_ask: true}, ask: {risk: critical}", ""), &[]);
}

#[test]
fn a_risk_below_the_critical_floor_of_its_category_is_found() {
    check(
        &graph_with_details("act: {risk: low, categories: [test, purchase]}", ""),
        &[
            "5:25 risk_without_effect: `d.act` is declared as low but counts as critical: `purchase`",
        ],
    );
    check(&graph_with_details("act: {risk: critical, categories: [send_email]}", ""), &[]);
    check(&graph_with_details("act: {risk: low, categories: [send_email]}", ""), &[]);
}

#[test]
fn flags_without_effect_are_found() {
    check(
        &graph_with_details(
            "act: {when_idle: true, reversible: true}, ask: {when_idle: true, risk: low}",
            "",
        ),
        &[
            "5:30 mark_without_effect: `when_idle` has no effect on `d.act`: its risk is moderate, \
             and only low risk passes",
            "5:72 mark_without_effect: `when_idle` has no effect on `d.ask`: it is not marked \
             `reversible`",
        ],
    );
    check(
        &graph_with_details("look: {when_idle: true}, harm: {always_ask: true}", ""),
        &[
            "5:31 mark_without_effect: `when_idle` has no effect on `d.look`: it is autonomous",
            "5:57 mark_without_effect: `always_ask` has no effect on `d.harm`: it is blocked",
        ],
    );
    let idle = "act: {when_idle: true, risk: low, reversible: true";
    check(&graph_with_details(&format!("{idle}}}"), ""), &[]);
    check(
        &graph_with_details(&format!("{idle}, always_ask: true}}"), ""),
        &[
            "5:30 mark_without_effect: `when_idle` has no effect on `d.act`: it is marked `always_ask`",
        ],
    );
}

#[test]
fn conditions_without_an_action_they_apply_to_are_found() {
    let text = |requires: &str, rest: &str| {
        format!(
            "consent_decay: {{enabled: false}}\nd:\n  autonomous: [look]\n  requires_approval: \
             [{requires}]\n  blocked: []\n  cooling_period_hours: 2\n{rest}"
        )
    };
    check(
        &text("", ""),
        &["6:3 conditions_without_effect: `cooling_period_hours` applies to no action of `d`"],
    );
    check(&text("act", ""), &[]);
    check(&text("", "  trusted_channel_required: [look]\n"), &[]);
}

#[test]
fn a_domain_without_actions_is_found() {
    check(
        "d: {autonomous: [], requires_approval: [], blocked: []}\n",
        &["1:1 empty_domain: the domain `d` lists no action"],
    );
}

#[test]
fn sending_without_a_rule_for_strangers_is_found_if_there_are_contacts() {
    let mail = |blocked: &str, rest: &str| {
        format!(
            "mail:\n  autonomous: []\n  requires_approval: [send]\n  blocked: [{blocked}]\n{rest}"
        )
    };
    let contacts = "vip_contacts: {ada: ada@example.com}\n";
    check(
        &mail("", contacts),
        &["3:23 unknown_recipients: `mail.send` does not check whether a recipient is known"],
    );
    check(&mail("", ""), &[]);
    check(&mail("send_unknown", contacts), &[]);
    check(&mail("send_to_unknown_list", contacts), &[]);
    check(
        &mail("send_unknown", ""),
        &["4:13 no_contacts: no contact is listed, so `mail.send` is always decided as \
           `send_unknown`"],
    );
}

#[test]
fn blocked_actions_of_a_workflow_are_found() {
    check(
        &graph_with_details(
            "",
            "workflows:\n  w: {actions: [d.act, d.harm]}\n  v: {actions: [d.harm]}\n",
        ),
        &[
            "7:24 blocked_in_workflow: the workflow `w` declares `d.harm`, which is blocked",
            "8:3 blocked_in_workflow: everything that the workflow `v` declares is blocked",
        ],
    );
    check(&graph_with_details("", "workflows: {w: {actions: [d.act]}, v: {actions: []}}\n"), &[]);
}

#[test]
fn actions_that_a_slash_command_cannot_allow_are_found() {
    check(
        &graph_with_details("ask: {risk: critical}", "slash: {go: [d.act, d.ask, d.harm]}\n"),
        &[
            "6:21 slash_without_effect: `go` cannot allow `d.ask`: its risk is critical",
            "6:28 slash_without_effect: `go` cannot allow `d.harm`: it is blocked",
        ],
    );
    check(
        &graph_with_details("", "  trusted_channel_required: [act]\nslash: {go: [d.act]}\n"),
        &["7:14 slash_without_effect: `go` cannot allow `d.act`: it needs the trusted channel"],
    );
    check(&graph_with_details("act: {risk: high}", "slash: {go: [d.act]}\n"), &[]);
}

#[test]
fn reducers_that_never_lower_anything_are_found() {
    let text = "reducers:
  - {caller: d.look, action: d.act, to: moderate}
  - {caller: d.look, action: d.ask, to: low}
  - {caller: d.look, action: d.ask, to: low}
  - {caller: d.harm, action: d.act, to: low}
  - {caller: d.look, action: d.ask, to: read_only}
";
    check(
        &graph_with_details("", text),
        &[
            "7:5 reducer_without_effect: this reducer of `d.act` never lowers anything: `moderate` \
             is its own risk",
            "9:5 reducer_without_effect: this reducer of `d.ask` never lowers anything: an earlier \
             reducer for this caller goes as low",
            "10:5 reducer_without_effect: this reducer of `d.act` never lowers anything: its caller \
             `d.harm` is blocked",
        ],
    );
}

#[test]
fn a_tool_with_one_blocked_action_among_others_is_found() {
    check(
        &graph_with_details(
            "",
            "tools: {both: {actions: [d.act, d.harm]}, no: {actions: [d.harm]}}\n",
        ),
        &[
            "6:9 tool_always_denied: every call of `both` is denied: one of its actions, `d.harm`, is \
           blocked",
        ],
    );
}

#[test]
fn a_longer_pattern_that_adds_nothing_or_lifts_a_block_is_found() {
    let tools = "tools:
  fs_*: {actions: [d.act]}
  fs_read*: {actions: [d.look]}
  fs_read_all: {actions: [d.look]}
  fs_write: {actions: [d.act]}
  fs_write_all: {actions: [d.act], target: /path}
  rm*: {actions: [d.harm]}
  rmdir: {actions: [d.act]}
  rm: {actions: [d.harm], target: /path}
";
    check(
        &graph_with_details("", tools),
        &[
            "9:3 tool_says_the_same: `fs_read_all` is mapped the same way as `fs_read*`",
            "10:3 tool_says_the_same: `fs_write` is mapped the same way as `fs_*`",
            "13:3 tool_escapes_block: `rmdir` is an exception to `rm*`, which is blocked",
        ],
    );
}

#[test]
fn autonomous_catch_all_patterns_and_command_tools_are_found() {
    check(
        &graph_with_details(
            "",
            "tools:\n  '*': {actions: [d.look]}\n  sh: {actions: [d.look], command: /cmd}\n",
        ),
        &[
            "7:3 every_tool_is_free: every tool that no other pattern matches runs without \
             approval",
            "8:3 every_command_is_free: `sh` runs command lines, and all of them are autonomous",
        ],
    );
    let asks = "tools: {'*': {actions: [d.act]}, sh: {actions: [d.act], command: /cmd}}\n";
    check(&graph_with_details("", asks), &[]);
}

#[test]
fn a_missing_or_useless_recipient_is_found() {
    let text = "\
consent_decay: {enabled: false}
vip_contacts: {ada: ada@example.com}
mail: {autonomous: [read], requires_approval: [send], blocked: [send_unknown]}
tools:
  reader: {actions: [mail.read], recipient: /to}
  sender: {actions: [mail.send]}
  good: {actions: [mail.send], recipient: /to}
  also: {actions: [mail.send], target: /to}
";
    check(
        text,
        &[
            "5:45 recipient_without_effect: `reader` has a recipient, but none of its actions is a \
             `send…`",
            "6:3 no_recipient: `sender` has no recipient, so `mail.send` treats everybody as unknown",
        ],
    );
}

#[test]
fn a_missing_decay_setting_is_found_if_an_autonomous_action_does_more_than_read() {
    let text = |risk: &str| {
        format!(
            "d:\n  autonomous: [look]\n  requires_approval: []\n  blocked: []\n  actions: {{look: \
             {{risk: {risk}}}}}\n"
        )
    };
    check(
        &text("low"),
        &[
            "1:1 no_decay: consent never decays: autonomous actions stay autonomous without a review",
        ],
    );
    check(&text("read_only"), &[]);
    check(&format!("{}consent_decay: {{enabled: false}}\n", text("low")), &[]);
}

#[test]
fn a_low_threshold_is_found_if_confidence_counts() {
    check(
        &graph_with_details("", "  visible: {threshold: 0.2}\nvisible: {threshold: 0.49}\n"),
        &[
            "6:24 low_threshold: an unsure agent counts as confident in `d`: the threshold is 0.2",
            "7:22 low_threshold: an unsure agent counts as confident: the threshold is 0.49",
        ],
    );
    check(&graph_with_details("", "visible: {threshold: 0.5}\n"), &[]);
    check(&graph_with_details("", "visible: {threshold: 0.1, policy: never}\n"), &[]);
}

#[test]
fn the_seed_policy_is_found_if_it_lets_irreversible_actions_pass() {
    let message = "confidence alone lets irreversible actions pass: 1, for example `d.ask`";
    check(
        &graph_with_details("act: {reversible: true}", "visible: {policy: seed}\n"),
        &[&format!("6:19 confidence_without_undo: in the graph, {message}")],
    );
    check(
        &graph_with_details("act: {risk: high}", "  visible: {policy: seed}\n"),
        &[&format!("6:21 confidence_without_undo: in d, {message}")],
    );
    check(
        &graph_with_details(
            "act: {risk: high}, ask: {always_ask: true}",
            "visible: {policy: seed}\n",
        ),
        &[],
    );
}

#[test]
fn findings_after_the_hundredth_are_only_counted() {
    let domains: String = (0..130)
        .map(|n| format!("d{n}: {{autonomous: [], requires_approval: [], blocked: []}}\n"))
        .collect();
    let found = lint_graph(&domains);
    assert_eq!(found.len(), 101);
    assert_eq!(found[100].problem.message, "30 more findings are not shown");
}

#[test]
fn a_broad_command_rule_is_found() {
    check(
        &graph_with_details(
            "",
            "commands:\n  allow: [cargo test, cat *, curl *, git push *, git status, cat <path:ws>]\n",
        ),
        &[
            "7:11 command_runs_workspace: `cargo test` runs code from the workspace, which the agent can write",
            "7:30 command_reaches_out: `curl *` can reach any machine with arguments that the agent chooses",
            "7:38 command_reaches_out: `git push *` can reach any machine with arguments that the agent chooses",
        ],
    );
}

#[test]
fn a_command_rule_for_an_interpreter_is_found() {
    let why = "an interpreter runs whatever it is given; the rule has to name its script";
    check(
        &graph_with_details("", "commands: {allow: [bash *, python3 -c *]}\n"),
        &[
            &format!("6:20 reading: `bash *` covers nothing: {why}"),
            &format!("6:28 reading: `python3 -c *` covers nothing: {why}"),
        ],
    );
}

#[test]
fn a_command_rule_that_another_rule_makes_useless_is_found() {
    check(
        &graph_with_details("", "commands: {allow: [git log -p, git log *, ls *], deny: [ls]}\n"),
        &["6:20 command_without_effect: `git log -p` is already allowed by `git log *`"],
    );
    check(
        &graph_with_details(
            "",
            "commands: {allow: [git push origin, ls *], deny: [git push *, ls -a *]}\n",
        ),
        &["6:20 command_without_effect: `git push origin` allows nothing: `git push *` is denied"],
    );
    check(
        &graph_with_details("", "commands: {allow: [git add *], deny: [git *]}\n"),
        &["6:20 command_without_effect: `git add *` allows nothing: `git *` is denied"],
    );
}

#[test]
fn every_check_has_a_unique_word() {
    let words: BTreeSet<_> = LintCheck::ALL.iter().map(|check| check.word()).collect();
    assert_eq!(words.len(), LintCheck::ALL.len());
}

#[test]
fn a_called_tool_without_a_pattern_is_found_at_the_tools_key() {
    let text =
        graph_with_details("", "tools: {sh: {actions: [d.act]}, mcp__*: {actions: [d.ask]}}\n");
    let seen = [("sh", 9), ("mcp__x__y", 2), ("web", 1), ("shell", 3)];
    let found = find_unmapped_tools(text.as_bytes(), Format::Yaml, seen).unwrap();
    let line = |LintFinding { check, problem }: &LintFinding| {
        let place = LineColumn::from_offset(&text, problem.span.start);
        format!("{place} {}: {}", check.word(), problem.message)
    };
    let expected = [
        "6:1 tool_without_pattern: the tool `web` was called once, but no pattern matches it",
        "6:1 tool_without_pattern: the tool `shell` was called 3 times, but no pattern matches it",
    ];
    assert_eq!(found.iter().map(line).collect::<Vec<_>>(), expected);
}

#[test]
fn a_place_pattern_that_is_built_in_is_found() {
    check(
        &graph_with_details("", "secrets: [.ENV, my.env2]\nguarded: [.git, .env, '!.git/x']\n"),
        &[
            "6:11 place_without_effect: `.ENV` is built in",
            "7:11 place_without_effect: `.git` is built in",
        ],
    );
}

#[test]
fn a_preset_that_moves_nothing_is_found() {
    let presets = "presets:\n  same: {autonomous: [d.look]}\n  quick: {autonomous: [d.look, d.act]}\n  \
                   plain: {}\npreset: quick\n";
    check(
        &graph_with_details("", presets),
        &["7:3 preset_without_effect: the preset `same` leaves every action in its list"],
    );
}

#[test]
fn a_rule_of_a_class_without_effect_is_found() {
    let commands = "commands:\n  allow: [git log *]\n  deny: [git push *]\n  classes:\n    \
                    d.look: [git diff *, git diff --stat, cargo test *, git log --oneline]\n    d.act: [git push origin]\n";
    check(
        &graph_with_details("", commands),
        &[
            "10:26 command_without_effect: `git diff --stat` is already covered by `git diff *`",
            "11:13 command_without_effect: `git push origin` covers nothing: `git push *` is denied",
        ],
    );
}
