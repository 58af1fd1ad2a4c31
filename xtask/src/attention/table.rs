//! The table: prompts per 100 calls, by preset, operator and program; and what to look at.

use super::group_by;
use super::mapping::ExtractedCall;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Rows of the lists that people read.
const ROWS: usize = 15;

/// Programs that reach the network, install or run what no word shows. A line that starts one and
/// passes without a grant is worth a look.
const MUST_ASK: &[&str] = &[
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "nc",
    "sudo",
    "npx",
    "bunx",
    "eval",
    "source",
    "dd",
    "git push",
    "gh api",
    "npm install",
    "npm publish",
    "pip install",
    "cargo install",
    "cargo publish",
    "go install",
    "go get",
    "brew install",
    "apt-get install",
    "python -c",
    "python3 -c",
    "node -e",
    "bash -c",
    "sh -c",
];

/// One run over all calls.
pub(super) struct Replay<'a> {
    pub(super) preset: &'static str,
    pub(super) operator: &'static str,
    pub(super) calls: &'a [ExtractedCall],
    pub(super) decided: Vec<Value>,
}

#[derive(Default)]
pub(super) struct AttentionTable {
    text: String,
}

impl AttentionTable {
    pub(super) fn add(&mut self, replay: Replay<'_>) {
        let all: Vec<(&ExtractedCall, &Value)> = replay.calls.iter().zip(&replay.decided).collect();
        let sessions = count_sessions(&all);
        self.line(&format!(
            "{}, {}: {:.1} prompts per 100 calls ({} of {}); per session median {}, p90 {}, max {}; {} denied",
            replay.preset,
            replay.operator,
            share(&all),
            all.iter().map(|(_, call)| count_prompts(call)).sum::<usize>(),
            all.len(),
            find_percentile(&sessions, 50),
            find_percentile(&sessions, 90),
            find_percentile(&sessions, 100),
            all.iter().filter(|(_, call)| has(call, "outcome", "deny")).count(),
        ));
        self.line(&format!("  {}", share_by_risk(&all)));
        for (name, rows) in group(&all, group_by) {
            self.line(&format!("    {name}: {:.1} of {} calls", share(&rows), rows.len()));
        }
        for (name, rows) in group(&all, |call| call.repo.as_str()) {
            self.line(&format!("    {name}: {:.1} of {} calls", share(&rows), rows.len()));
        }
        self.list("asked as", &all, |(_, call)| is_ask(call).then(|| name_decision(call)));
        self.list("no class covers the line", &all, |(_, call)| first_cause(call));
        self.list("denied", &all, |(extracted, call)| {
            has(call, "outcome", "deny").then(|| describe(extracted))
        });
        self.list("passed without a grant, look at these", &all, |(extracted, call)| {
            passes_unseen(extracted, call).then(|| describe(extracted))
        });
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn list(
        &mut self,
        title: &str,
        all: &[(&ExtractedCall, &Value)],
        name: impl Fn(&(&ExtractedCall, &Value)) -> Option<String>,
    ) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        all.iter().filter_map(name).for_each(|name| *counts.entry(name).or_default() += 1);
        let total: usize = counts.values().sum();
        self.line(&format!("  {title}: {total}"));
        let mut rows: Vec<(String, usize)> = counts.into_iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (name, count) in rows.into_iter().take(ROWS) {
            self.line(&format!("    {count:>5} {name}"));
        }
    }
}

impl fmt::Display for AttentionTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn has(call: &Value, key: &str, word: &str) -> bool {
    call.get(key).and_then(Value::as_str) == Some(word)
}

fn is_ask(call: &Value) -> bool {
    has(call, "outcome", "ask")
}

/// How often a call asked.
fn count_prompts(call: &Value) -> usize {
    let counted = call.get("prompts").and_then(Value::as_u64);
    counted.map_or(0, |prompts| usize::try_from(prompts).unwrap_or(usize::MAX))
}

fn share(rows: &[(&ExtractedCall, &Value)]) -> f64 {
    let asked: usize = rows.iter().map(|(_, call)| count_prompts(call)).sum();
    asked as f64 * 100.0 / rows.len().max(1) as f64
}

/// The prompts by risk, and the share of those that a person should think about.
fn share_by_risk(all: &[(&ExtractedCall, &Value)]) -> String {
    let count = |risk: &str| {
        let asked = all.iter().filter(|(_, call)| has(call, "risk", risk));
        asked.map(|(_, call)| count_prompts(call)).sum::<usize>()
    };
    let counts =
        ["read_only", "low", "moderate", "high", "critical"].map(|risk| (risk, count(risk)));
    let total: usize = counts.iter().map(|(_, prompts)| prompts).sum();
    let percent = |prompts: usize| prompts as f64 * 100.0 / total.max(1) as f64;
    let shown = counts.iter().filter(|(_, prompts)| *prompts > 0);
    let shown: Vec<String> = shown
        .map(|(risk, prompts)| format!("{risk} {prompts} ({:.0} %)", percent(*prompts)))
        .collect();
    let upper = counts.iter().filter(|(risk, _)| matches!(*risk, "high" | "critical"));
    let upper: usize = upper.map(|(_, prompts)| prompts).sum();
    format!("by risk: {}; high or above {:.0} %", shown.join(", "), percent(upper))
}

type Rows<'a> = Vec<(&'a ExtractedCall, &'a Value)>;

fn group<'a>(
    all: &[(&'a ExtractedCall, &'a Value)],
    name: impl Fn(&'a ExtractedCall) -> &'a str,
) -> BTreeMap<&'a str, Rows<'a>> {
    let mut groups: BTreeMap<&str, Rows<'_>> = BTreeMap::new();
    for (extracted, call) in all {
        groups.entry(name(extracted)).or_default().push((extracted, call));
    }
    groups
}

/// Prompts of each session, sorted.
fn count_sessions(all: &[(&ExtractedCall, &Value)]) -> Vec<usize> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (extracted, call) in all {
        *counts.entry((&extracted.repo, &extracted.session)).or_default() += count_prompts(call);
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    counts
}

fn find_percentile(sorted: &[usize], percent: usize) -> usize {
    let last = sorted.len().saturating_sub(1);
    sorted.get(last * percent / 100).copied().unwrap_or(0)
}

fn name_decision(call: &Value) -> String {
    let actions = call.get("actions").and_then(Value::as_array).into_iter().flatten();
    let actions: Vec<&str> = actions.filter_map(Value::as_str).collect();
    let risk = call.get("risk").and_then(Value::as_str).unwrap_or("?");
    let reason = call.get("reason").and_then(Value::as_str).unwrap_or("?");
    format!("{}, {risk}, {reason}", actions.join(" + "))
}

/// Why the first command without a class has none. Words of the line are left out.
fn first_cause(call: &Value) -> Option<String> {
    let cause = call.get("uncovered")?.as_array()?.first()?.as_str()?;
    let mut quoted = false;
    let words = cause.split('`').map(|part| {
        quoted = !quoted;
        if quoted { part } else { "…" }
    });
    Some(words.collect())
}

fn describe(call: &ExtractedCall) -> String {
    let text = call.command().map_or_else(|| call.args.to_string(), str::to_owned);
    let text: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
    format!("{} {text}", call.tool)
}

/// Whether a line that should ask passed by the rules alone.
fn passes_unseen(extracted: &ExtractedCall, call: &Value) -> bool {
    let is_allowed = has(call, "outcome", "allow") || has(call, "outcome", "notify");
    let Some(line) = extracted.command().filter(|_| is_allowed && !has(call, "reason", "granted"))
    else {
        return false;
    };
    let starts = |command: &str| {
        let command = command.trim_start();
        MUST_ASK.iter().any(|program| {
            command
                .strip_prefix(program)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        })
    };
    line.split(['\n', ';', '|', '&']).any(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_push_that_passes_by_a_rule_is_shown_and_one_by_a_grant_is_not() {
        let call: ExtractedCall = serde_json::from_value(json!({
            "session": "s", "harness": "claude", "repo": "a/b", "tool": "Bash", "cwd": null,
            "root": null, "home": null, "args": {"command": "git add . && git push origin main"},
        }))
        .unwrap();
        let decided = |reason: &str| json!({"outcome": "allow", "reason": reason});
        assert!(passes_unseen(&call, &decided("autonomous")));
        assert!(!passes_unseen(&call, &decided("granted")));
        assert!(!passes_unseen(&call, &json!({"outcome": "ask", "reason": "no_grant"})));
    }

    #[test]
    fn prompts_are_shared_out_by_risk_and_a_second_one_counts() {
        let call: ExtractedCall = serde_json::from_value(json!({
            "session": "s", "harness": "claude", "repo": "a/b", "tool": "Bash", "cwd": null,
            "root": null, "home": null, "args": {},
        }))
        .unwrap();
        let rows = [("moderate", 1), ("moderate", 2), ("high", 1), ("low", 0)]
            .map(|(risk, prompts)| json!({"risk": risk, "prompts": prompts}));
        let all: Vec<(&ExtractedCall, &Value)> = rows.iter().map(|row| (&call, row)).collect();
        let expected = "by risk: moderate 3 (75 %), high 1 (25 %); high or above 25 %";
        assert_eq!(share_by_risk(&all), expected);
        assert!((share(&all) - 100.0).abs() < f64::EPSILON);
    }

    #[test]
    fn a_cause_holds_no_word_of_the_line() {
        let call = json!({"uncovered": ["git: `my secret` is not inside the workspace"]});
        assert_eq!(first_cause(&call).unwrap(), "git: … is not inside the workspace");
    }
}
