//! The action itself: a headline worded by Countersign, and the complete call as labelled fields.

mod diff;

use crate::kind::{CardKind, find_amount};
use crate::limits;
use crate::text::{CardLine, DisplayText, escape_block};
use crate::{CardContext, CardField};
use countersign_commands::{Join, Segment, parse_segments};
use countersign_core::model::call::Call;
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::imported::Imported;
use countersign_core::model::names::Action;
use countersign_core::model::proposal::Proposal;
use countersign_core::model::request::{Request, Subject};
use serde_json::{Value, json};

pub(crate) fn build_headline(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    kind: CardKind,
) -> DisplayText {
    match (&request.subject, call) {
        (Subject::Calls(_), Some(call)) => call_headline(context, call, kind),
        (Subject::Calls(_), None) => {
            DisplayText::from_trusted("Do something that is no longer known")
        }
        (Subject::Ahead(ahead), _) => DisplayText::from_trusted(match &ahead.category {
            Some(category) => {
                format!("Be allowed {} ahead", DisplayText::from_untrusted(category.as_str()))
            }
            None => "Be allowed everything ahead, up to moderate risk".to_owned(),
        }),
        (Subject::Start(start), _) => DisplayText::from_trusted(format!(
            "Start the workflow {}",
            DisplayText::from_untrusted(start.workflow.as_str())
        )),
        (Subject::Standing(coverage), _) => DisplayText::from_trusted(format!(
            "Keep a permission: {}",
            DisplayText::from_untrusted(&coverage.to_string())
        )),
        (Subject::Slash(slash), _) => DisplayText::from_trusted(format!(
            "Be allowed {} ahead",
            DisplayText::from_untrusted(slash.action.as_str())
        )),
        (Subject::Imported(imported), _) => {
            let coverage = DisplayText::from_untrusted(&imported.coverage.to_string());
            DisplayText::from_trusted(format!(
                "Keep a permission of seed {}: {coverage}",
                imported.origin
            ))
        }
        (Subject::Proposal(id), _) => {
            let action =
                context.state.proposals.get(id).map(|proposal| proposal.action.to_string());
            let action = action.unwrap_or_else(|| "something".to_owned());
            DisplayText::from_trusted(format!(
                "Change itself: {}",
                DisplayText::from_untrusted(&action)
            ))
        }
    }
}

fn call_headline(context: CardContext<'_>, call: &Call, kind: CardKind) -> DisplayText {
    let targets = list_targets(call);
    let with_targets =
        |word: &str| if targets.is_empty() { String::new() } else { format!(" {word} {targets}") };
    let actions: Vec<&str> = call.actions.iter().map(|action| action.as_str()).collect();
    let actions = DisplayText::from_untrusted(&actions.join(", "));
    DisplayText::from_trusted(match kind {
        CardKind::Shell => {
            let count = call
                .command
                .as_ref()
                .map_or(1, |command| parse_stages(command).map_or(0, |s| s.len()));
            match count {
                0 => "Run a command line that cannot be read in full".to_owned(),
                1 => "Run a command".to_owned(),
                count => format!("Run {count} commands"),
            }
        }
        CardKind::Git => match &call.command {
            Some(Command::Plain { argv, .. }) => {
                let words: Vec<String> =
                    argv.iter().skip(1).take(limits::MAX_HEADLINE_WORDS).cloned().collect();
                let more = if argv.len() > limits::MAX_HEADLINE_WORDS + 1 { " …" } else { "" };
                format!("git {}{more}", DisplayText::from_untrusted(&rendered(&words)))
            }
            Some(Command::NotPlain { .. }) | None => "Run git".to_owned(),
        },
        CardKind::Money => {
            let amount = find_amount(context.graph, call).map_or_else(
                || "an amount that is not named".to_owned(),
                |amount| DisplayText::from_untrusted(&json_to_text(amount)).to_string(),
            );
            format!("Pay {amount}{}", with_targets("to"))
        }
        CardKind::Message => format!("Send a message{}", with_targets("to")),
        CardKind::Delete => format!("Delete{}", with_targets("")).replace("  ", " "),
        CardKind::Edit => format!("Write{}", with_targets("")).replace("  ", " "),
        CardKind::Network => format!("Reach{}", with_targets("")).replace("  ", " "),
        CardKind::Credential => format!("Use credentials: {actions}{}", with_targets("on")),
        CardKind::Policy
        | CardKind::Tool
        | CardKind::Workflow
        | CardKind::Ahead
        | CardKind::Standing => {
            format!("{actions}{}", with_targets("on"))
        }
    })
}

fn list_targets(call: &Call) -> String {
    let named: Vec<String> = call
        .target
        .iter()
        .take(limits::MAX_HEADLINE_TARGETS)
        .map(|target| DisplayText::from_untrusted(target).to_string())
        .collect();
    let more = call.target.len().saturating_sub(limits::MAX_HEADLINE_TARGETS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn json_to_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The complete action, most important fields first.
pub(crate) fn exact_fields(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    kind: CardKind,
) -> Vec<CardField> {
    match (&request.subject, call) {
        (Subject::Calls(_), Some(call)) => {
            let mut fields = call_fields(context, call, kind);
            fields.extend(partial_yes_fields(context, request, call));
            fields
        }
        (Subject::Start(start), _) => {
            let actions = start.actions.iter().map(|action| action.as_str());
            vec![CardField::multi_line("actions", &actions.collect::<Vec<_>>().join("\n"))]
        }
        (Subject::Standing(coverage), _) => {
            vec![CardField::single_line("covers", &coverage.to_string())]
        }
        (Subject::Slash(slash), _) => vec![
            CardField::single_line("action", slash.action.as_str()),
            CardField::single_line("because", "the agent says that you typed a slash command"),
        ],
        (Subject::Imported(imported), _) => import_fields(imported),
        (Subject::Proposal(id), _) => {
            context.state.proposals.get(id).map_or_else(Vec::new, proposal_fields)
        }
        (Subject::Ahead(_) | Subject::Calls(_), _) => Vec::new(),
    }
}

/// If the call needs more than this request asks for, lists which actions a yes approves and which
/// it does not.
fn partial_yes_fields(context: CardContext<'_>, request: &Request, call: &Call) -> Vec<CardField> {
    let is_on_card =
        |action: &Action| request.items.iter().any(|item| item.action.as_ref() == Some(action));
    let (approved, others): (Vec<_>, Vec<_>) =
        call.parts().map(|(action, _)| action).partition(|action| is_on_card(action));
    if approved.is_empty() || others.is_empty() {
        return Vec::new();
    }
    let list_actions = |actions: &[&Action]| {
        let risk = |action: &Action| {
            let rule = context.graph.and_then(|graph| graph.rule(action));
            rule.map_or_else(|| "in no list".to_owned(), |rule| format!("{} risk", rule.risk))
        };
        let lines: Vec<_> =
            actions.iter().map(|action| format!("{action}, {}", risk(action))).collect();
        lines.join("\n")
    };
    vec![
        CardField::multi_line("a yes is only to", &list_actions(&approved)),
        CardField::multi_line("it also needs, not by this yes", &list_actions(&others)),
    ]
}

fn import_fields(imported: &Imported) -> Vec<CardField> {
    let mut fields = vec![
        CardField::single_line("covers", &imported.coverage.to_string()),
        CardField::single_line("there", &format!("{}, given {}", imported.key, imported.given_at)),
    ];
    fields.extend(imported.ends_at.map(|end| CardField::single_line("ends", &end.to_string())));
    if !imported.words.is_empty() {
        fields.push(CardField::multi_line("said there", &imported.words));
    }
    fields
}

fn proposal_fields(proposal: &Proposal) -> Vec<CardField> {
    vec![
        CardField {
            name: DisplayText::from_trusted("change"),
            lines: diff::diff_texts(&proposal.diff.before, &proposal.diff.after),
        },
        CardField::multi_line("undo", &proposal.undo),
        CardField::single_line("not before", &proposal.cools_until.to_string()),
    ]
}

fn call_fields(context: CardContext<'_>, call: &Call, kind: CardKind) -> Vec<CardField> {
    let mut fields = Vec::new();
    fields.extend(call.command.as_ref().map(command_field));
    if kind == CardKind::Money {
        fields.extend(
            find_amount(context.graph, call)
                .map(|amount| CardField::single_line("amount", &json_to_text(amount))),
        );
    }
    let name = match kind {
        CardKind::Message => "to",
        CardKind::Money => "payee",
        CardKind::Edit | CardKind::Delete => "path",
        CardKind::Network => "address",
        _ => "target",
    };
    if !call.target.is_empty() {
        fields.push(CardField::multi_line(name, &call.target.join("\n")));
    }
    if kind == CardKind::Message && call.recipients != call.target && !call.recipients.is_empty() {
        fields.push(CardField::multi_line("recipients", &call.recipients.join("\n")));
    }
    let already_shown = already_shown_values(context, call);
    let change = (kind == CardKind::Edit).then(|| diff::diff_arguments(&call.args)).flatten();
    let has_change = change.is_some();
    fields
        .extend(change.map(|lines| CardField { name: DisplayText::from_trusted("change"), lines }));
    fields.extend(argument_fields(&call.args, |name, value| {
        already_shown.contains(value) || (has_change && diff::is_change_argument(name))
    }));
    fields
}

/// Argument values that an earlier field shows in full.
fn already_shown_values(context: CardContext<'_>, call: &Call) -> Vec<Value> {
    let mut values = vec![json!(call.target)];
    if let [only] = call.target.as_slice() {
        values.push(json!(only));
    }
    if let Some(Command::Plain { argv, .. }) = &call.command {
        values.push(json!(rendered(argv)));
    }
    values.extend(find_amount(context.graph, call).cloned());
    values
}

/// The stages of a command line, one per line, or its text where it cannot be parsed.
fn command_field(command: &Command) -> CardField {
    let name = DisplayText::from_trusted("command");
    let Some(stages) = parse_stages(command) else {
        let text = match command {
            Command::Plain { argv, .. } => rendered(argv),
            Command::NotPlain { text, .. } => text.clone(),
        };
        return CardField { name, lines: escape_block(&text) };
    };
    let mut lines = Vec::new();
    for stage in &stages {
        lines.push(CardLine::Text(DisplayText::from_untrusted(&render_stage(stage))));
        lines.extend(stage.input.iter().flat_map(|input| escape_block(input)));
    }
    CardField { name, lines: crate::text::shorten_block(lines) }
}

fn parse_stages(command: &Command) -> Option<Vec<Segment>> {
    match command {
        Command::Plain { argv, .. } => Some(vec![Segment::from_argv(argv.clone())]),
        Command::NotPlain { text, .. } => parse_segments(text).ok(),
    }
}

fn render_stage(stage: &Segment) -> String {
    let join = match stage.join {
        Some(Join::And) => " &&",
        Some(Join::Or) => " ||",
        Some(Join::Then) => " ;",
        Some(Join::Pipe) => " |",
        None => "",
    };
    let input = if stage.input.is_some() { " with this input" } else { "" };
    format!("{stage}{join}{input}")
}

/// The arguments that no earlier field shows, each under its name.
fn argument_fields(args: &Value, is_shown: impl Fn(&str, &Value) -> bool) -> Vec<CardField> {
    let Value::Object(fields) = args else {
        return if args.is_null() {
            Vec::new()
        } else {
            vec![CardField::multi_line("arguments", &args.to_string())]
        };
    };
    fields
        .iter()
        .filter(|(name, value)| !is_shown(name, value))
        .map(|(name, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Object(_) | Value::Array(_) => {
                    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
            };
            CardField {
                name: DisplayText::from_trusted(format!(
                    "argument {}",
                    DisplayText::from_untrusted(name)
                )),
                lines: escape_block(&text),
            }
        })
        .collect()
}
