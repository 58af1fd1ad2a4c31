//! Rules about command lines: two lists, each entry a rule in the language of the crate `commands`.

use crate::fields::Fields;
use crate::node::Node;
use crate::problem::Span;
use crate::report::Report;
use countersign_commands::{Effect, NotLooked, Places, Rule, RuleError, Rules, limits, parse_body};
use countersign_core::model::graph::CommandRules;

const KEYS: [&str; 2] = ["allow", "deny"];

/// What a rule is worth before anybody knows where a command would run.
pub(crate) const NOWHERE: Places<'static> = Places { workspace: None, cwd: None, disk: &NotLooked };

/// A rule and where it stands.
pub(crate) struct Placed {
    pub(crate) rule: Rule,
    pub(crate) span: Span,
    pub(crate) body: String,
}

pub(crate) fn read(node: Option<&Node>, report: &mut Report) -> CommandRules {
    let placed = placed(node, report);
    twice(&placed, report);
    warn(&placed, report);
    let bodies = |effect| {
        placed.iter().filter(|one| one.rule.effect == effect).map(|one| one.body.clone()).collect()
    };
    CommandRules { allow: bodies(Effect::Allow), deny: bodies(Effect::Deny) }
}

/// Every rule that can be read, in the order of the file.
pub(crate) fn placed(node: Option<&Node>, report: &mut Report) -> Vec<Placed> {
    let Some(fields) = node.and_then(|node| Fields::read(node, "commands", &KEYS, report)) else {
        return Vec::new();
    };
    let mut placed = Vec::new();
    for effect in [Effect::Allow, Effect::Deny] {
        let word = effect.word();
        let entries = fields.get(word).and_then(|node| report.list(node, word));
        for entry in entries.unwrap_or_default() {
            placed.extend(one(entry, effect, report));
        }
    }
    if placed.len() > limits::RULES {
        let message = format!("there are more than {} command rules", limits::RULES);
        let span = node.map_or(Span::at(0), |node| node.span);
        report.problem(span, message, "keep those that somebody still reads");
        placed.clear();
    }
    placed.sort_by_key(|one: &Placed| one.span.start);
    placed
}

fn one(entry: &Node, effect: Effect, report: &mut Report) -> Option<Placed> {
    let body = report.text(entry, effect.word())?;
    match parse_body(effect, body) {
        Ok(rule) => Some(Placed { rule, span: entry.span, body: body.trim().to_owned() }),
        Err(error) => {
            let message = format!("`{}` is no command rule: {error}", body.escape_debug());
            report.problem(within(entry, body, &error), message, error.help);
            None
        }
    }
}

/// The place inside of an entry, where it is written without escapes.
fn within(entry: &Node, body: &str, error: &RuleError) -> Span {
    let Span { start, end } = entry.span;
    match (end.saturating_sub(start)).checked_sub(body.len()) {
        Some(0) => Span::new(start + error.at, end),
        // Between quotes.
        Some(2) => Span::new(start + 1 + error.at, end),
        Some(_) | None => entry.span,
    }
}

fn twice(placed: &[Placed], report: &mut Report) {
    for (at, one) in placed.iter().enumerate() {
        let same = |other: &&Placed| other.rule.body == one.rule.body;
        let Some(other) = placed.get(..at).and_then(|before| before.iter().find(same)) else {
            continue;
        };
        let body = &one.body;
        if other.rule.effect == one.rule.effect {
            let message = format!("the command rule `{body}` occurs twice");
            report.problem(one.span, message, "remove one of the two");
        } else {
            let message = format!("`{body}` stands in `allow` and in `deny`");
            report.problem(one.span, message, "keep it in one of the two; a deny rule wins");
        }
    }
}

/// Rules that cover nothing are no error, and whoever wrote one should know.
fn warn(placed: &[Placed], report: &mut Report) {
    let rules = Rules::new(placed.iter().map(|one| one.rule.clone()).collect());
    for warning in rules.warnings(&NOWHERE) {
        if let Some(one) = placed.get(warning.rule) {
            let message = format!("`{}` covers nothing: {}", one.body, warning.why);
            report.warn(one.span, message, "name the exact command, or remove the rule");
        }
    }
}
