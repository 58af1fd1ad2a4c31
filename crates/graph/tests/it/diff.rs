//! Which changes of a graph are looser, and which are stricter.

use crate::shipped::{ASSISTIVE, CODING};
use countersign_core::model::graph::Graph;
use countersign_graph::diff::{DiffDirection, Difference, diff, diff_with_policies, summarize};
use countersign_graph::policies::PolicyFile;
use countersign_graph::{Format, load_graph, load_graph_with_policies};

fn parse_graph(text: &str) -> Graph {
    load_graph("g.yaml", text.as_bytes(), Format::Yaml).unwrap().graph
}

fn diff_lines(old: &str, new: &str) -> Vec<String> {
    let line = |found: &Difference| {
        let Difference { subject, key: what, before, after, direction: turn } = found;
        format!("{}: {subject}, {what}: {before} > {after}", turn.word())
    };
    diff(&parse_graph(old), &parse_graph(new)).iter().map(line).collect()
}

/// The line for the opposite change.
fn reverse_line(line: &str) -> String {
    let (turn, rest) = line.split_once(": ").unwrap();
    let (subject, values) = rest.split_once(": ").unwrap();
    let (before, after) = values.split_once(" > ").unwrap();
    let back = match turn {
        "looser" => "stricter",
        "stricter" => "looser",
        same => same,
    };
    format!("{back}: {subject}: {after} > {before}")
}

/// Compares in both directions; backwards, every difference is expected reversed.
fn check(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(diff_lines(old, new), expected, "\n{old}\n{new}");
    let mut back: Vec<_> = expected.iter().map(|line| reverse_line(line)).collect();
    back.sort();
    let mut found = diff_lines(new, old);
    found.sort();
    assert_eq!(found, back, "backwards\n{old}\n{new}");
}

/// Compares in one direction only, where the opposite change is not the reverse.
fn check_one_way(old: &str, new: &str, expected: &[&str]) {
    assert_eq!(diff_lines(old, new), expected, "\n{old}\n{new}");
}

fn graph_with_lists(autonomous: &str, requires: &str, blocked: &str, rest: &str) -> String {
    format!(
        "d:\n  autonomous: [{autonomous}]\n  requires_approval: [{requires}]\n  blocked: \
         [{blocked}]\n{rest}"
    )
}

/// A domain `d` with `look`, `act`, `ask` and `harm`, and additional keys.
fn graph_with(rest: &str) -> String {
    graph_with_lists("look", "act, ask", "harm", rest)
}

#[test]
fn a_graph_does_not_differ_from_itself() {
    for text in [CODING, ASSISTIVE] {
        check(text, text, &[]);
        check(text, &format!("{text}\n# a remark\n"), &[]);
    }
}

#[test]
fn a_tier_closer_to_blocked_is_stricter() {
    check(
        &graph_with_lists("a", "b", "c", ""),
        &graph_with_lists("", "a, c", "b", ""),
        &[
            "looser: d.c, tier: blocked > requires_approval",
            "stricter: d.a, tier: autonomous > requires_approval",
            "stricter: d.a, risk: low > moderate",
            "stricter: d.b, tier: requires_approval > blocked",
        ],
    );
}

#[test]
fn listing_an_action_loosens_unless_it_is_blocked() {
    check(
        &graph_with_lists("", "", "x", ""),
        &graph_with_lists("", "a", "x, b", ""),
        &[
            "looser: d.a, listed: unlisted: asks > requires_approval",
            "stricter: d.b, listed: unlisted: asks > blocked",
        ],
    );
}

#[test]
fn removing_a_rule_loosens_what_was_denied_critical_or_always_asked() {
    let details = "  actions: {pay: {risk: critical}, ship: {always_ask: true}}\n";
    let old = graph_with_lists("", "pay, ship, stay, learn", "harm", details);
    let bound = format!("{old}  trusted_channel_required: [learn]\n");
    let new = graph_with_lists("", "stay", "", "");
    check_one_way(
        &bound,
        &new,
        &[
            "looser: d.harm, listed: blocked > unlisted: asks",
            "looser: d.learn, listed: requires_approval > unlisted: asks",
            "looser: d.pay, listed: requires_approval > unlisted: asks",
            "looser: d.ship, listed: requires_approval > unlisted: asks",
        ],
    );
    check_one_way(
        &format!("{bound}unclassified: deny\n"),
        &format!("{new}unclassified: deny\n"),
        &[
            "stricter: d.harm, listed: blocked > unlisted: denied",
            "stricter: d.learn, listed: requires_approval > unlisted: denied",
            "stricter: d.pay, listed: requires_approval > unlisted: denied",
            "stricter: d.ship, listed: requires_approval > unlisted: denied",
        ],
    );
}

#[test]
fn removing_the_rule_for_strangers_loosens() {
    check_one_way(
        &graph_with_lists("send", "send_unknown", "", ""),
        &graph_with_lists("send", "", "", ""),
        &["looser: d.send_unknown, listed: requires_approval > unlisted: asks"],
    );
    check_one_way(
        &graph_with_lists("", "send_unknown", "send_all", "unclassified: deny\n"),
        &graph_with_lists("", "send_unknown", "", "unclassified: deny\n"),
        &["looser: d.send_all, listed: blocked > unlisted: denied"],
    );
}

#[test]
fn removing_a_rule_with_conditions_loosens() {
    let conditions = "  require_diff: true\n";
    check_one_way(
        &graph_with_lists("", "act, ask", "", conditions),
        &graph_with_lists("", "ask", "", conditions),
        &["looser: d.act, listed: requires_approval > unlisted: asks"],
    );
}

#[test]
fn every_detail_of_a_rule_has_a_direction() {
    let detail = |detail: &str| graph_with(&format!("  actions: {{act: {{{detail}}}}}\n"));
    check(&detail(""), &detail("risk: high"), &["stricter: d.act, risk: moderate > high"]);
    check(&detail(""), &detail("reversible: true"), &["looser: d.act, reversible: false > true"]);
    check(&detail(""), &detail("always_ask: true"), &["stricter: d.act, always_ask: false > true"]);
    check(&detail(""), &detail("when_idle: true"), &["looser: d.act, when_idle: false > true"]);
    check(
        &graph_with(""),
        &graph_with("  trusted_channel_required: [act]\n"),
        &["stricter: d.act, trusted_channel_required: false > true"],
    );
}

#[test]
fn the_details_of_a_blocked_action_are_not_compared() {
    check(&graph_with(""), &graph_with("  actions: {harm: {risk: low, reversible: true}}\n"), &[]);
}

#[test]
fn raising_an_autonomous_rule_to_high_loosens() {
    let look = |risk: &str| graph_with(&format!("  actions: {{look: {{risk: {risk}}}}}\n"));
    check_one_way(&look("low"), &look("high"), &["looser: d.look, risk: low > high"]);
    check_one_way(&look("high"), &look("low"), &["unclear: d.look, risk: high > low"]);
    check(&look("low"), &look("moderate"), &["stricter: d.look, risk: low > moderate"]);
    check(&look("high"), &look("critical"), &["stricter: d.look, risk: high > critical"]);
}

#[test]
fn no_change_of_categories_is_stricter() {
    let act = |list: &str| graph_with(&format!("  actions: {{act: {{categories: [{list}]}}}}\n"));
    let (one, two, none) = (act("test"), act("test, build"), act(""));
    check_one_way(&none, &one, &["looser: d.act, categories: - > test"]);
    check_one_way(&two, &one, &["looser: d.act, categories: build, test > test"]);
    check_one_way(&one, &two, &["unclear: d.act, categories: test > build, test"]);
    check_one_way(&one, &none, &["unclear: d.act, categories: test > -"]);
    check(&act("test"), &act("build"), &["unclear: d.act, categories: test > build"]);
    check(&act(""), &act("filesystem_read"), &["neither: d.act, categories: - > filesystem_read"]);
}

#[test]
fn the_settings_of_a_domain_are_compared() {
    check(
        &graph_with("  trust_level: low\n  single_destination: true\n"),
        &graph_with("  trust_level: high\n"),
        &[
            "looser: domain d, trust_level: low > high",
            "looser: domain d, single_destination: true > false",
        ],
    );
    check(
        &graph_with("  trust_level: medium\n"),
        &graph_with("  trust_level: high\n"),
        &["neither: domain d, trust_level: medium > high"],
    );
    check(
        &graph_with("  require_diff: true\n  cooling_period_hours: 2\n  undo_window_days: 7\n"),
        &graph_with("  cooling_period_hours: 1\n  undo_window_days: 8\n"),
        &[
            "looser: domain d, require_diff: true > false",
            "looser: domain d, cooling_period_hours: 2 > 1",
            "stricter: domain d, undo_window_days: 7 > 8",
        ],
    );
}

#[test]
fn a_lower_threshold_and_a_milder_policy_loosen() {
    check(
        &graph_with("visible: {policy: reversible}\n"),
        &graph_with("visible: {policy: seed, threshold: 0.9}\n"),
        &[
            "looser: the graph, visible.policy: reversible > seed",
            "stricter: the graph, visible.threshold: 0.85 > 0.9",
        ],
    );
    check(
        &graph_with("visible: {policy: never}\n"),
        &graph_with("visible: {policy: never, threshold: 0.1}\n"),
        &["neither: the graph, visible.threshold: 0.85 > 0.1"],
    );
    check(
        &graph_with(""),
        &graph_with("  visible: {policy: never}\n"),
        &["stricter: domain d, visible.policy: reversible > never"],
    );
}

#[test]
fn the_settings_of_the_graph_are_compared() {
    check(
        &graph_with("unclassified: deny\n"),
        &graph_with("consent_decay: {enabled: true, review_interval_days: 60}\n"),
        &[
            "looser: the graph, unclassified: deny > ask",
            "looser: the graph, consent_decay.review_interval_days: 30 > 60",
            "stricter: the graph, consent_decay.enabled: false > true",
        ],
    );
}

#[test]
fn a_later_review_loosens_if_consent_decays() {
    let decay = |date: &str| {
        graph_with(&format!("last_reviewed: {date}\nconsent_decay: {{enabled: true}}\n"))
    };
    let (early, late) = (decay("2026-01-05"), decay("2026-02-05"));
    check_one_way(&early, &late, &["looser: the graph, last_reviewed: 2026-01-05 > 2026-02-05"]);
    check_one_way(&late, &early, &["unclear: the graph, last_reviewed: 2026-02-05 > 2026-01-05"]);
    check_one_way(
        &early,
        &decay("soon"),
        &["stricter: the graph, last_reviewed: 2026-01-05 > `soon`"],
    );
    check(
        &graph_with("last_reviewed: 2026-01-05\n"),
        &graph_with(""),
        &["neither: the graph, last_reviewed: 2026-01-05 > never"],
    );
    check_one_way(
        &early,
        &early.replace("  blocked: [harm]\n", "  blocked: [harm]\n  last_reviewed: 2026-03-01\n"),
        &["looser: domain d, last_reviewed: 2026-01-05 > 2026-03-01"],
    );
}

#[test]
fn a_new_contact_loosens() {
    let mail =
        |tiers: &str, contacts: &str| format!("mail: {{{tiers}}}\nvip_contacts: {{{contacts}}}\n");
    let usual = "autonomous: [], requires_approval: [send], blocked: [send_unknown]";
    check(
        &mail(usual, "ada: a@example.com"),
        &mail(usual, "ada: a@example.com, bob: b@example.com"),
        &["looser: the graph, vip_contacts: - > b@example.com"],
    );
    check(
        &mail(usual, "ada: a@example.com"),
        &mail(usual, "ada: b@example.com"),
        &["unclear: the graph, vip_contacts: a@example.com > b@example.com"],
    );
    check(&mail(usual, "ada: a@example.com"), &mail(usual, "eve: a@example.com"), &[]);
    let odd = "autonomous: [send_unknown], requires_approval: [send], blocked: []";
    check_one_way(
        &mail(odd, "ada: a@example.com"),
        &mail(odd, ""),
        &["unclear: the graph, vip_contacts: a@example.com > -"],
    );
}

#[test]
fn adding_or_lowering_a_reducer_loosens() {
    let to = |to: &str| {
        graph_with(&format!("reducers: [{{caller: d.look, action: d.act, to: {to}}}]\n"))
    };
    check(&graph_with(""), &to("low"), &["looser: d.act inside d.look, reducers: - > low"]);
    check(
        &to("low"),
        &to("read_only"),
        &["looser: d.act inside d.look, reducers: low > read_only"],
    );
}

#[test]
fn adding_an_action_to_a_slash_command_loosens() {
    let go = |actions: &str| graph_with(&format!("slash: {{go: [{actions}]}}\n"));
    check(&graph_with(""), &go("d.act"), &["looser: /go, slash: - > d.act"]);
    check(&go("d.act"), &go("d.act, d.ask"), &["looser: /go, slash: d.act > d.act, d.ask"]);
    check(&go("d.act"), &go("d.ask"), &["unclear: /go, slash: d.act > d.ask"]);
}

#[test]
fn an_allow_rule_loosens_and_a_deny_rule_tightens() {
    let rules = |allow: &str, deny: &str| {
        graph_with(&format!("commands: {{allow: [{allow}], deny: [{deny}]}}\n"))
    };
    check(&graph_with(""), &rules("ls", ""), &["looser: command ls, commands: - > allow"]);
    check(&graph_with(""), &rules("", "rm *"), &["stricter: command rm *, commands: - > deny"]);
    check(&rules("", "rm *"), &graph_with(""), &["looser: command rm *, commands: deny > -"]);
    check(&rules("ls", ""), &rules("", "ls"), &["stricter: command ls, commands: allow > deny"]);
    check(&rules("git  log *", ""), &rules("git log *", ""), &[]);
}

#[test]
fn a_declared_action_loosens_a_workflow_and_an_individual_step_tightens_it() {
    let flow = |rest: &str| graph_with(&format!("workflows: {{w: {{{rest}}}}}\n"));
    let (one, two) = (flow("actions: [d.act]"), flow("actions: [d.act, d.ask]"));
    check(&graph_with(""), &one, &["looser: workflow w, workflows: - > d.act"]);
    check(&one, &two, &["looser: workflow w, actions: d.act > d.act, d.ask"]);
    check_one_way(
        &flow("actions: [d.look, d.act]"),
        &flow("actions: [d.look]"),
        &[
            "looser: workflow w, start: asks > does not ask",
            "stricter: workflow w, actions: d.act, d.look > d.look",
        ],
    );
    let step = "actions: [d.act, d.ask], steps: [{name: s, actions: [d.ask]";
    check(
        &flow(&format!("{step}}}]")),
        &flow(&format!("{step}, individual: true}}]")),
        &["stricter: workflow w, individual: - > d.ask, s"],
    );
    check(&two, &flow(&format!("{step}}}]")), &["neither: workflow w, steps: - > s: d.ask"]);
}

#[test]
fn tools_are_compared_by_the_pattern_that_applies_to_them() {
    let tools = |tools: &str| graph_with(&format!("tools:\n{tools}"));
    let wide = tools("  fs_*: {actions: [d.act]}\n");
    check(&wide, &tools("  fs_*: {actions: [d.act]}\n  fs_x: {actions: [d.act]}\n"), &[]);
    check(
        &wide,
        &tools("  fs_*: {actions: [d.act]}\n  fs_x: {actions: [d.act, d.ask]}\n"),
        &["stricter: tool fs_x, actions: d.act > d.act, d.ask"],
    );
    check(
        &wide,
        &tools("  fs_*: {actions: [d.act]}\n  fs_x*: {actions: [d.look]}\n"),
        &["unclear: tool fs_x*, actions: d.act > d.look"],
    );
    check_one_way(&graph_with(""), &wide, &["looser: tool fs_*, tools: - > d.act"]);
    check_one_way(&wide, &graph_with(""), &["unclear: tool fs_*, tools: d.act > -"]);
    let blocked = tools("  rm: {actions: [d.harm]}\n");
    check(&graph_with(""), &blocked, &["stricter: tool rm, tools: - > d.harm"]);
}

#[test]
fn every_field_of_a_tool_has_a_direction() {
    let tool = |rest: &str| graph_with(&format!("tools: {{t: {{actions: [d.act]{rest}}}}}\n"));
    check(&tool(""), &tool(", reversible: true"), &["looser: tool t, reversible: - > true"]);
    check(&tool(""), &tool(", reversible: false"), &["stricter: tool t, reversible: - > false"]);
    check(&tool(""), &tool(", idempotent: true"), &["looser: tool t, idempotent: false > true"]);
    check_one_way(
        &tool(", categories: [test]"),
        &tool(", categories: [test, network]"),
        &["unclear: tool t, categories: test > network, test"],
    );
    for field in ["target", "command", "recipient", "amount"] {
        let expected = format!("unclear: tool t, {field}: - > /a");
        check(&tool(""), &tool(&format!(", {field}: /a")), &[&expected]);
    }
    check(&tool(""), &tool(", health: ping"), &["neither: tool t, health: - > ping"]);
}

#[test]
fn looser_and_unclear_changes_can_loosen() {
    let may: Vec<_> =
        DiffDirection::ALL.iter().map(|turn| (turn.word(), turn.can_loosen())).collect();
    let expected = [("looser", true), ("unclear", true), ("stricter", false), ("neither", false)];
    assert_eq!(may, expected);
}

/// The differences between two policy files with the same graph.
fn policy_lines(old: &str, new: &str) -> Vec<String> {
    let load = |text: &str| {
        let graph = format!("{}rules: rules\n", graph_with(""));
        let source = PolicyFile {
            name: "p.cedar".into(),
            display_path: "rules/p.cedar".into(),
            bytes: text.into(),
        };
        let folder = |_: &str| Ok(vec![source.clone()]);
        load_graph_with_policies("g.yaml", graph.as_bytes(), Format::Yaml, &folder).unwrap()
    };
    let line = |found: &Difference| {
        format!("{}: {}, {} > {}", found.direction.word(), found.subject, found.before, found.after)
    };
    diff_with_policies(&load(old), &load(new)).iter().map(line).collect()
}

#[test]
fn adding_or_removing_a_policy_has_the_direction_of_its_effect() {
    let permit = "@id(\"p\") permit(principal, action, resource) when { context.facts.secret };";
    let plain = "@id(\"q\") permit(principal, action, resource);";
    let forbid = "@id(\"f\") forbid(principal, action, resource) when { context.facts.secret };";
    assert_eq!(policy_lines("", permit), ["looser: policy p, - > permit"]);
    assert_eq!(policy_lines("", forbid), ["stricter: policy f, - > forbid"]);
    assert_eq!(policy_lines(forbid, ""), ["looser: policy f, forbid > -"]);
    assert_eq!(policy_lines(plain, ""), ["stricter: policy q, permit > -"]);
    // With the policy, a call with an unreadable path is denied.
    assert_eq!(policy_lines(permit, ""), ["unclear: policy p, permit > -"]);
}

#[test]
fn a_renamed_or_moved_policy_is_the_same_and_a_rewritten_one_is_unclear() {
    let forbid = |id: &str, fact: &str| {
        format!("{id}forbid(principal, action, resource) when {{ context.facts.{fact} }};")
    };
    let named = forbid("@id(\"a\")", "secret");
    assert_eq!(policy_lines(&named, &forbid("\n\n", "secret")), [] as [&str; 0]);
    assert_eq!(
        policy_lines(&named, &forbid("@id(\"a\")", "in_workspace")),
        ["unclear: policy a, forbid > forbid, rewritten"]
    );
}

#[test]
fn a_summary_names_what_became_looser_and_stricter_in_one_line() {
    let graph = |autonomous: &str, approval: &str| {
        parse_graph(&format!(
            "git: {{autonomous: [{autonomous}], requires_approval: [{approval}], blocked: []}}"
        ))
    };
    let (old, new) = (graph("fetch", "push"), graph("push", "fetch"));
    assert_eq!(
        summarize(&diff(&old, &new)),
        "1 looser (git.push tier: requires_approval → autonomous), \
         1 stricter (git.fetch tier: autonomous → requires_approval)"
    );
    assert_eq!(summarize(&diff(&old, &old)), "no rule became looser or stricter");
    let verbs = "a, b, c, d, e";
    let (old, new) = (graph("", verbs), graph(verbs, ""));
    let line = summarize(&diff(&old, &new));
    assert!(
        line.starts_with("5 looser (git.a tier: ") && line.ends_with("; and 2 more)"),
        "{line}"
    );
}

#[test]
fn more_places_are_stricter_and_more_exceptions_looser() {
    check(&graph_with(""), &graph_with("secrets: [a]\n"), &["stricter: the graph, secrets: - > a"]);
    check(
        &graph_with("guarded: [a, b]\n"),
        &graph_with("guarded: [B, a, '!.git/x']\n"),
        &["looser: the graph, guarded: - > !.git/x"],
    );
    check(
        &graph_with("secrets: [a]\n"),
        &graph_with("secrets: [b]\n"),
        &["unclear: the graph, secrets: a > b"],
    );
    let free = |rest: &str| graph_with_lists("read_secret", "read", "", rest);
    check(&free(""), &free("secrets: [a]\n"), &["unclear: the graph, secrets: - > a"]);
}

#[test]
fn a_class_is_compared_by_the_tier_of_its_action() {
    let class = |action: &str| graph_with(&format!("commands: {{classes: {{{action}: [ls]}}}}\n"));
    let list = |key: &str| graph_with(&format!("commands: {{{key}: [ls]}}\n"));
    let (free, asking) = (class("d.look"), class("d.act"));
    check(&graph_with(""), &free, &["looser: command ls, commands: - > class d.look"]);
    check(&graph_with(""), &asking, &["unclear: command ls, commands: - > class d.act"]);
    check(&list("allow"), &free, &["stricter: command ls, commands: allow > class d.look"]);
    check(&list("allow"), &asking, &["stricter: command ls, commands: allow > class d.act"]);
    check(&list("deny"), &free, &["looser: command ls, commands: deny > class d.look"]);
    check(&list("deny"), &asking, &["looser: command ls, commands: deny > class d.act"]);
    check(&free, &asking, &["unclear: command ls, commands: class d.look > class d.act"]);
}

#[test]
fn the_preset_in_force_is_compared_by_what_it_moves() {
    let presets = "presets: {quick: {autonomous: [d.act]}, plain: {}}\n";
    check(
        &graph_with(presets),
        &graph_with(&format!("{presets}preset: quick\n")),
        &[
            "looser: d.act, tier: requires_approval > autonomous",
            "looser: d.act, risk: moderate > low",
            "neither: the graph, preset: - > quick",
        ],
    );
    check(
        &graph_with(presets),
        &graph_with(
            "presets: {quick: {autonomous: [d.act, d.ask], requires_approval: [d.look]}}\n",
        ),
        &[
            "neither: preset plain, presets: autonomous -; requires_approval - > -",
            "neither: preset quick, presets: autonomous d.act; requires_approval - > autonomous d.act, d.ask; requires_approval d.look",
        ],
    );
}
