//! A command line and the rules that judge it. The first line of an input holds the rules.
//!
//! A command that a rule allows is literal in every shell, has one canonical form, and is denied
//! once a deny rule for its program is added. Without rules nothing is allowed.

use super::literal;
use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_commands::{
    CommandContext, CommandVerdict, LineJudgement, NoDiskLookup, RuleSet, SegmentJudgement,
    SegmentOrigin, analyse,
};
use countersign_core::model::command::{Command, render_argv};
use serde_json::Value;
use std::io;

pub(super) const TARGET: Target = Target {
    name: "command",
    property: "a command that a rule allows is literal, has one form, and can be denied",
    max_bytes: 70_000,
    words: &[
        "allow ",
        "deny ",
        "deny path ",
        "<path:ws>",
        "; allow ",
        "; deny ",
        " *",
        " && ",
        " || ",
        " | ",
        " ; ",
        "\n",
        "\\\n",
        "\\\"",
        "\\`",
        "\\$",
        "\\\\",
        " 2>&1",
        " >/dev/null",
        " 2>/dev/null",
        "$(",
        "$((",
        "${",
        "<<EOF\n",
        " <<'EOF'\n",
        "\"$(cat <<'EOF'\n",
        "EOF\n)\"",
        " # it's\n",
        "cd src && ",
        "src/*.rs ",
        " > f",
        " \\\n ",
        "\\;",
        "\\ ",
        "$?",
        "${PIPESTATUS[0]}",
        "[ -f a ]",
        "test ",
        "for f in a b; do ",
        "\"$f\"",
        "; done",
        "x=a; ",
        "$x",
        "EOF\n",
        "sudo -n ",
        "env A=1 ",
        "sh -c ",
        "bash -lc ",
        "xargs ",
        "eval ",
        "find . -exec ",
        "nice -n 5 ",
        "timeout 5 ",
        "$'\\x67'",
        "--",
        "-c",
        "../",
        "/proc/self/root",
        "/etc/shadow",
        "countersign ",
    ],
    seeds: load_command_lines,
    check,
};

const TEST_PLACES: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w/src"), disk: &NoDiskLookup };

/// Each row of the corpus: its rules and its command.
fn load_command_lines() -> io::Result<Vec<Vec<u8>>> {
    let mut found = seeds::load_seeds(TARGET.name)?;
    let corpus =
        std::fs::read_to_string(seeds::repository_folder("corpus").join("commands.jsonl"))?;
    for line in corpus.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        found.push(format!("{}\n{}", text("allowlisted_rule"), text("command")).into_bytes());
    }
    Ok(found)
}

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(features) };
    let (rule_text, command) = text.split_once('\n').unwrap_or(("none", text));
    add_character_pairs(command, &mut features);
    check_analysis(command, &mut features)?;
    let rules = match RuleSet::parse(rule_text) {
        Ok(rules) => rules,
        Err(error) => {
            features.add_message("rules", &error.to_string());
            return Ok(features);
        }
    };
    for warning in rules.warnings(&TEST_PLACES) {
        features.add_message("warning", warning.why);
    }
    let judged = rules.judge(command, &TEST_PLACES);
    features.add_size("segments", judged.segments.len());
    for judgement in &judged.segments {
        features
            .add((judgement.segment.join.map(|join| join as u8), &judgement.segment.redirections));
    }
    match &judged.verdict {
        CommandVerdict::Match { rules: rule_numbers } => {
            check_allowed(rule_text, command, rule_numbers, &judged, &mut features)?
        }
        CommandVerdict::Ask { why } => features.add_message("ask", why),
        CommandVerdict::Deny { why, cause } => {
            features.add_message("deny", why);
            features.add(std::mem::discriminant(cause));
        }
    }
    if let CommandVerdict::Match { .. } = empty_rules()?.judge(command, &TEST_PLACES).verdict {
        return Err("allowed without a rule".to_owned());
    }
    Ok(features)
}

/// Adds each pair of adjacent character kinds as a feature.
fn add_character_pairs(command: &str, features: &mut Features) {
    let kind = |c: char| match c {
        'a'..='z' => 'a',
        'A'..='Z' => 'A',
        '0'..='9' => '0',
        c if c.is_ascii() => c,
        c if c.is_alphanumeric() => 'é',
        _ => '¿',
    };
    let kinds = command.chars().take(1_000).map(kind);
    for pair in kinds.clone().zip(kinds.skip(1)) {
        features.add(pair);
    }
}

fn empty_rules() -> Result<RuleSet, String> {
    RuleSet::parse("none").map_err(|error| error.to_string())
}

/// A plain command is literal, and its canonical form is the same command.
fn check_analysis(text: &str, features: &mut Features) -> Result<(), String> {
    let analysed = analyse(text, None);
    for detector in &analysed.detectors {
        features.add(detector.word());
    }
    let Command::Plain { argv, .. } = &analysed.command else { return Ok(()) };
    features.add_size("argv", argv.len());
    if literal::split_literally(text).as_deref() != Some(std::slice::from_ref(argv)) {
        return Err(format!("a shell reads other words: `{argv:?}`"));
    }
    if analyse(&render_argv(argv), None) != analysed {
        return Err(format!("its canonical form is a different command: `{}`", render_argv(argv)));
    }
    Ok(())
}

fn check_allowed(
    rule_text: &str,
    command: &str,
    rule_numbers: &[usize],
    judged: &LineJudgement,
    features: &mut Features,
) -> Result<(), String> {
    let argvs: Vec<_> =
        judged.segments.iter().map(|judgement| judgement.segment.argv.clone()).collect();
    if argvs.len() != rule_numbers.len() || argvs.is_empty() {
        return Err("a segment has no rule".to_owned());
    }
    // Loops and variables are compared with bash elsewhere; here they would need the same parser again.
    let is_expanded = |one: &SegmentJudgement| one.segment.origin != SegmentOrigin::Line;
    if !judged.segments.iter().any(is_expanded)
        && literal::split_literally(command).as_deref() != Some(argvs.as_slice())
    {
        return Err(format!("allowed, but a shell reads other words than `{argvs:?}`"));
    }
    for (argv, judgement) in argvs.iter().zip(&judged.segments) {
        let program = argv.first().cloned().unwrap_or_default();
        features.add_size("allowed", argv.len());
        let denying =
            format!("{rule_text}; deny {} *", render_argv(std::slice::from_ref(&program)));
        let denied =
            RuleSet::parse(&denying).map(|rules| rules.judge(command, &TEST_PLACES).verdict);
        match denied {
            Ok(CommandVerdict::Deny { .. }) => {}
            Ok(other) => return Err(format!("denying `{program}` leaves `{other:?}`")),
            // The rule set is full or the rule too long, so nobody can write this rule.
            Err(error) => features.add_message("full", &error.to_string()),
        }
        // Quoted, `$?` is not a number.
        if !judgement.segment.statuses.is_empty() {
            continue;
        }
        let alone = RuleSet::parse(rule_text)
            .map(|rules| rules.judge(&render_argv(argv), &TEST_PLACES).verdict);
        if !matches!(alone, Ok(CommandVerdict::Match { .. })) {
            return Err(format!("allowed as a part, but not alone: `{argv:?}`"));
        }
    }
    Ok(())
}
