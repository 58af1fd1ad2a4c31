//! Presets: what the chosen one moves, and which presets are refused.

use countersign_core::model::graph::{ChosenPreset, Graph, Preset, TierMove};
use countersign_core::model::names::Action;
use countersign_core::model::words::{Risk, Tier};
use countersign_graph::{Format, load_graph};
use std::collections::BTreeMap;

/// A domain `d` on line 1; `rest` starts on line 2.
fn with_domain(rest: &str) -> String {
    format!(
        "d: {{autonomous: [look, list], requires_approval: [act, ask], blocked: [harm]}}\n{rest}"
    )
}

fn load(text: &str) -> Graph {
    let loaded = load_graph("g", text.as_bytes(), Format::Yaml);
    loaded.unwrap_or_else(|problems| panic!("{problems}\n{text}")).graph
}

/// Compares every problem with `line:column: message`, and the first help.
fn check_refusal(rest: &str, expected: &[&str], help: &str) {
    let text = with_domain(rest);
    let problems = load_graph("g", text.as_bytes(), Format::Yaml).unwrap_err();
    let shown = problems.to_string();
    let lines: Vec<_> = shown.lines().map(|line| line.strip_prefix("g:").unwrap()).collect();
    assert_eq!(lines, expected, "\n{text}");
    assert_eq!(problems.list()[0].help, help, "\n{text}");
}

fn action(name: &str) -> Action {
    Action::parse(name).unwrap()
}

fn tier_and_risk(graph: &Graph, name: &str) -> (Tier, Risk) {
    let rule = graph.rule(&action(name)).unwrap();
    (rule.tier, rule.risk)
}

const PRESETS: &str = "presets:\n  quick: {autonomous: [d.act, d.list]}\n  \
     careful: {requires_approval: [d.look]}\n  plain: {}\n";

#[test]
fn the_chosen_preset_moves_tiers_and_the_risks_that_nothing_states() {
    let graph = load(&with_domain(&format!("{PRESETS}preset: quick\n")));
    assert_eq!(tier_and_risk(&graph, "d.act"), (Tier::Autonomous, Risk::Low));
    assert_eq!(tier_and_risk(&graph, "d.ask"), (Tier::RequiresApproval, Risk::Moderate));
    assert_eq!(tier_and_risk(&graph, "d.look"), (Tier::Autonomous, Risk::Low));
    assert_eq!(tier_and_risk(&graph, "d.harm"), (Tier::Blocked, Risk::High));
    let moved_from = BTreeMap::from([(action("d.act"), Tier::RequiresApproval)]);
    assert_eq!(graph.preset, Some(ChosenPreset { name: "quick".to_owned(), moved_from }));
    let careful = load(&with_domain(&format!("{PRESETS}preset: careful\n")));
    assert_eq!(tier_and_risk(&careful, "d.look"), (Tier::RequiresApproval, Risk::Moderate));
}

#[test]
fn without_a_chosen_preset_the_lists_hold() {
    let graph = load(&with_domain(PRESETS));
    let plain = load(&with_domain(""));
    assert_eq!(graph.rules, plain.rules);
    assert_eq!(graph.preset, None);
    let quick =
        Preset { autonomous: vec![action("d.act"), action("d.list")], requires_approval: vec![] };
    assert_eq!(graph.presets["quick"], quick);
    assert_eq!(graph.presets.keys().collect::<Vec<_>>(), ["careful", "plain", "quick"]);
}

#[test]
fn a_preset_says_what_it_changed_and_another_what_it_would_change() {
    let graph = load(&with_domain(&format!("{PRESETS}preset: quick\n")));
    let moves = |name: &str| graph.preset_moves(name, &graph.presets[name]);
    let (free, asks) = (Tier::Autonomous, Tier::RequiresApproval);
    let tier_move = |name, from, to| TierMove { action: action(name), from, to };
    assert_eq!(moves("quick"), [tier_move("d.act", asks, free)]);
    let expected = [tier_move("d.act", free, asks), tier_move("d.look", free, asks)];
    assert_eq!(moves("careful"), expected);
    assert_eq!(moves("plain"), [tier_move("d.act", free, asks)]);
}

#[test]
fn a_preset_never_blocks_or_unblocks() {
    check_refusal(
        "presets:\n  p: {autonomous: [d.harm]}\n",
        &["3:20: `d.harm` is blocked, and no preset moves it"],
        "remove it here, or from `blocked` of its domain",
    );
    check_refusal(
        "presets:\n  p: {requires_approval: [d.act, d.harm]}\n",
        &["3:34: `d.harm` is blocked, and no preset moves it"],
        "remove it here, or from `blocked` of its domain",
    );
    check_refusal(
        "presets:\n  p: {blocked: [d.act]}\n",
        &["3:16: the preset `p` cannot block actions"],
        "list them in `blocked` of their domain",
    );
}

#[test]
fn names_in_presets_must_be_known() {
    check_refusal(
        "presets:\n  p: {autonomous: [d.atc]}\n",
        &["3:20: `autonomous` names `d.atc`, which is in no list of the graph"],
        "did you mean `d.act`?",
    );
    check_refusal(
        "presets: {quick: {}}\npreset: quik\n",
        &["3:9: `preset` names `quik`, which is not among `presets`"],
        "did you mean `quick`?",
    );
    check_refusal(
        "preset: quick\n",
        &["2:9: `preset` names `quick`, which is not among `presets`"],
        "add it to `presets`, or remove the key",
    );
    check_refusal(
        "presets:\n  p: {autonomus: []}\n",
        &["3:7: `p` has no key `autonomus`"],
        "did you mean `autonomous`?",
    );
}

#[test]
fn an_action_is_in_one_list_of_a_preset_once() {
    check_refusal(
        "presets:\n  p: {autonomous: [d.act], requires_approval: [d.ask, d.act]}\n",
        &["3:55: `d.act` is listed in both `autonomous` and `requires_approval`"],
        "keep it in one list of this preset",
    );
    check_refusal(
        "presets:\n  p: {autonomous: [d.act, d.act]}\n",
        &["3:27: `d.act` is listed twice in `autonomous`"],
        "remove one of the two",
    );
}

#[test]
fn a_preset_has_a_name_of_one_word() {
    check_refusal(
        "presets:\n  'very quick': {}\n",
        &["3:3: `very quick` cannot be a preset"],
        "name the preset in one word",
    );
}

#[test]
fn a_domain_may_have_the_name_of_a_key_only_below_domains() {
    let lists = "{autonomous: [], requires_approval: [x], blocked: []}";
    load(&format!("domains: {{secrets: {lists}, presets: {lists}, guarded: {lists}}}\n"));
    check_refusal(
        &format!("secrets: {lists}\n"),
        &["2:10: `secrets` should be a list, but this is a map"],
        "write `[]` for an empty list, `[name]` for one entry",
    );
}
