//! A command line, and the rules it is judged by: the first line of an input is the rules.
//!
//! What a rule allows is literal to every shell, has one form, and is taken back by a deny rule for
//! its program. Where there are no rules, nothing is allowed.

use super::literal;
use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_commands::{
    CommandContext, CommandVerdict, LineJudgement, NoDiskLookup, RuleSet, analyse,
};
use countersign_core::model::command::{Command, rendered};
use serde_json::Value;
use std::io;

pub(super) const TARGET: Target = Target {
    name: "command",
    what: "what a command rule allows is literal, has one form, and can be denied",
    longest: 70_000,
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
    seeds: lines,
    hold,
};

const HERE: CommandContext<'static> =
    CommandContext { workspace: Some("/w"), cwd: Some("/w/src"), disk: &NoDiskLookup };

/// Each row of the corpus, as the rules it is about and its command.
fn lines() -> io::Result<Vec<Vec<u8>>> {
    let mut found = seeds::own(TARGET.name)?;
    let corpus = std::fs::read_to_string(seeds::folder("corpus").join("commands.jsonl"))?;
    for line in corpus.lines() {
        let row: Value = serde_json::from_str(line)?;
        let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        found.push(format!("{}\n{}", text("allowlisted_rule"), text("command")).into_bytes());
    }
    Ok(found)
}

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(traits) };
    let (written, command) = text.split_once('\n').unwrap_or(("none", text));
    written_with(command, &mut traits);
    analysed(command, &mut traits)?;
    let rules = match RuleSet::parse(written) {
        Ok(rules) => rules,
        Err(error) => {
            traits.say("rules", &error.to_string());
            return Ok(traits);
        }
    };
    for warning in rules.warnings(&HERE) {
        traits.say("warning", warning.why);
    }
    let judged = rules.judge(command, &HERE);
    traits.count("segments", judged.segments.len());
    for judgement in &judged.segments {
        traits
            .note((judgement.segment.join.map(|join| join as u8), &judgement.segment.redirections));
    }
    match &judged.verdict {
        CommandVerdict::Match { rules: which } => {
            allowed(written, command, which, &judged, &mut traits)?
        }
        CommandVerdict::Ask { why } => traits.say("ask", why),
        CommandVerdict::Deny { why, cause } => {
            traits.say("deny", why);
            traits.note(std::mem::discriminant(cause));
        }
    }
    if let CommandVerdict::Match { .. } = no_rules()?.judge(command, &HERE).verdict {
        return Err("it is allowed without a rule".to_owned());
    }
    Ok(traits)
}

/// Which kinds of characters stand beside each other.
fn written_with(command: &str, traits: &mut Traits) {
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
        traits.note(pair);
    }
}

fn no_rules() -> Result<RuleSet, String> {
    RuleSet::parse("none").map_err(|error| error.to_string())
}

/// A plain command is literal, and its canonical form is itself.
fn analysed(text: &str, traits: &mut Traits) -> Result<(), String> {
    let analysed = analyse(text, None);
    for detector in &analysed.detectors {
        traits.note(detector.word());
    }
    let Command::Plain { argv, .. } = &analysed.command else { return Ok(()) };
    traits.count("argv", argv.len());
    if literal::read(text).as_deref() != Some(std::slice::from_ref(argv)) {
        return Err(format!("a shell does not read these words: `{argv:?}`"));
    }
    if analyse(&rendered(argv), None) != analysed {
        return Err(format!("its canonical form is another command: `{}`", rendered(argv)));
    }
    Ok(())
}

fn allowed(
    written: &str,
    command: &str,
    which: &[usize],
    judged: &LineJudgement,
    traits: &mut Traits,
) -> Result<(), String> {
    let argvs: Vec<_> =
        judged.segments.iter().map(|judgement| judgement.segment.argv.clone()).collect();
    if argvs.len() != which.len() || argvs.is_empty() {
        return Err("not every segment has its rule".to_owned());
    }
    if literal::read(command).as_deref() != Some(argvs.as_slice()) {
        return Err(format!("it is allowed, and a shell reads other words than `{argvs:?}`"));
    }
    for argv in &argvs {
        let program = argv.first().cloned().unwrap_or_default();
        traits.count("allowed", argv.len());
        let denying = format!("{written}; deny {} *", rendered(std::slice::from_ref(&program)));
        let denied = RuleSet::parse(&denying).map(|rules| rules.judge(command, &HERE).verdict);
        match denied {
            Ok(CommandVerdict::Deny { .. }) => {}
            Ok(other) => return Err(format!("denying `{program}` leaves `{other:?}`")),
            // The set was full, or the rule too long; then nobody can write it.
            Err(error) => traits.say("full", &error.to_string()),
        }
        let alone =
            RuleSet::parse(written).map(|rules| rules.judge(&rendered(argv), &HERE).verdict);
        if !matches!(alone, Ok(CommandVerdict::Match { .. })) {
            return Err(format!("allowed as a part, and not alone: `{argv:?}`"));
        }
    }
    Ok(())
}
