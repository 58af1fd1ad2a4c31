//! The action itself: a headline in our words, and the whole of it as it will happen.

mod diff;

use crate::kind::{Kind, amount};
use crate::text::{Line, Shown, block};
use crate::{Fact, View};
use countersign_commands::{Join, Segment, parse_segments};
use countersign_core::model::call::Call;
use countersign_core::model::command::{Command, rendered};
use countersign_core::model::imported::Imported;
use countersign_core::model::names::Action;
use countersign_core::model::proposal::Proposal;
use countersign_core::model::request::{Request, Subject};
use serde_json::{Value, json};

/// Targets that a headline names.
const NAMED: usize = 3;
/// Words of a git command that a headline names.
const WORDS: usize = 6;

pub(crate) fn headline(
    view: View<'_>,
    request: &Request,
    call: Option<&Call>,
    kind: Kind,
) -> Shown {
    match (&request.subject, call) {
        (Subject::Calls(_), Some(call)) => of_call(view, call, kind),
        (Subject::Calls(_), None) => Shown::said("Do something that is no longer known"),
        (Subject::Ahead(ahead), _) => Shown::said(match &ahead.category {
            Some(category) => format!("Be allowed {} ahead", Shown::line(category.as_str())),
            None => "Be allowed everything ahead, up to moderate risk".to_owned(),
        }),
        (Subject::Start(start), _) => {
            Shown::said(format!("Start the workflow {}", Shown::line(start.workflow.as_str())))
        }
        (Subject::Standing(coverage), _) => {
            Shown::said(format!("Keep a permission: {}", Shown::line(&coverage.to_string())))
        }
        (Subject::Slash(slash), _) => {
            Shown::said(format!("Be allowed {} ahead", Shown::line(slash.action.as_str())))
        }
        (Subject::Imported(imported), _) => {
            let covers = Shown::line(&imported.coverage.to_string());
            Shown::said(format!("Keep a permission of seed {}: {covers}", imported.origin))
        }
        (Subject::Proposal(id), _) => {
            let action = view.state.proposals.get(id).map(|proposal| proposal.action.to_string());
            let action = action.unwrap_or_else(|| "something".to_owned());
            Shown::said(format!("Change itself: {}", Shown::line(&action)))
        }
    }
}

fn of_call(view: View<'_>, call: &Call, kind: Kind) -> Shown {
    let targets = targets(call);
    let to =
        |word: &str| if targets.is_empty() { String::new() } else { format!(" {word} {targets}") };
    let actions: Vec<&str> = call.actions.iter().map(|action| action.as_str()).collect();
    let actions = Shown::line(&actions.join(", "));
    Shown::said(match kind {
        Kind::Shell => {
            let many =
                call.command.as_ref().map_or(1, |command| read(command).map_or(0, |s| s.len()));
            match many {
                0 => "Run a command line that cannot be read in full".to_owned(),
                1 => "Run a command".to_owned(),
                many => format!("Run {many} commands"),
            }
        }
        Kind::Git => match &call.command {
            Some(Command::Plain { argv, .. }) => {
                let words: Vec<String> = argv.iter().skip(1).take(WORDS).cloned().collect();
                let more = if argv.len() > WORDS + 1 { " …" } else { "" };
                format!("git {}{more}", Shown::line(&rendered(&words)))
            }
            Some(Command::NotPlain { .. }) | None => "Run git".to_owned(),
        },
        Kind::Money => {
            let amount = amount(view.graph, call).map_or_else(
                || "an amount that is not named".to_owned(),
                |amount| Shown::line(&plain(amount)).to_string(),
            );
            format!("Pay {amount}{}", to("to"))
        }
        Kind::Message => format!("Send a message{}", to("to")),
        Kind::Delete => format!("Delete{}", to("")).replace("  ", " "),
        Kind::Edit => format!("Write{}", to("")).replace("  ", " "),
        Kind::Network => format!("Reach{}", to("")).replace("  ", " "),
        Kind::Credential => format!("Use credentials: {actions}{}", to("on")),
        Kind::Policy | Kind::Tool | Kind::Workflow | Kind::Ahead | Kind::Standing => {
            format!("{actions}{}", to("on"))
        }
    })
}

fn targets(call: &Call) -> String {
    let named: Vec<String> =
        call.target.iter().take(NAMED).map(|target| Shown::line(target).to_string()).collect();
    let more = call.target.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Everything that will happen, what matters first. No argument is left out.
pub(crate) fn exact(
    view: View<'_>,
    request: &Request,
    call: Option<&Call>,
    kind: Kind,
) -> Vec<Fact> {
    match (&request.subject, call) {
        (Subject::Calls(_), Some(call)) => {
            let mut facts = call_facts(view, call, kind);
            facts.extend(part(view, request, call));
            facts
        }
        (Subject::Start(start), _) => {
            let actions = start.actions.iter().map(|action| action.as_str());
            vec![Fact::block("actions", &actions.collect::<Vec<_>>().join("\n"))]
        }
        (Subject::Standing(coverage), _) => vec![Fact::line("covers", &coverage.to_string())],
        (Subject::Slash(slash), _) => vec![
            Fact::line("action", slash.action.as_str()),
            Fact::line("because", "the agent says that you typed a slash command"),
        ],
        (Subject::Imported(imported), _) => of_import(imported),
        (Subject::Proposal(id), _) => view.state.proposals.get(id).map_or_else(Vec::new, proposed),
        (Subject::Ahead(_) | Subject::Calls(_), _) => Vec::new(),
    }
}

/// A yes is to what stands on this card; what else the call needs is named, and not meant.
fn part(view: View<'_>, request: &Request, call: &Call) -> Vec<Fact> {
    let is_here =
        |action: &Action| request.items.iter().any(|item| item.action.as_ref() == Some(action));
    let (here, elsewhere): (Vec<_>, Vec<_>) =
        call.parts().map(|(action, _)| action).partition(|action| is_here(action));
    if here.is_empty() || elsewhere.is_empty() {
        return Vec::new();
    }
    let named = |actions: &[&Action]| {
        let risk = |action: &Action| {
            let rule = view.graph.and_then(|graph| graph.rule(action));
            rule.map_or_else(|| "in no list".to_owned(), |rule| format!("{} risk", rule.risk))
        };
        let lines: Vec<_> =
            actions.iter().map(|action| format!("{action}, {}", risk(action))).collect();
        lines.join("\n")
    };
    vec![
        Fact::block("a yes is only to", &named(&here)),
        Fact::block("it also needs, not by this yes", &named(&elsewhere)),
    ]
}

fn of_import(imported: &Imported) -> Vec<Fact> {
    let mut facts = vec![
        Fact::line("covers", &imported.coverage.to_string()),
        Fact::line("there", &format!("{}, given {}", imported.key, imported.given_at)),
    ];
    facts.extend(imported.ends_at.map(|end| Fact::line("ends", &end.to_string())));
    if !imported.words.is_empty() {
        facts.push(Fact::block("said there", &imported.words));
    }
    facts
}

fn proposed(proposal: &Proposal) -> Vec<Fact> {
    vec![
        Fact {
            name: Shown::said("change"),
            lines: diff::of(&proposal.diff.before, &proposal.diff.after),
        },
        Fact::block("undo", &proposal.undo),
        Fact::line("not before", &proposal.cools_until.to_string()),
    ]
}

fn call_facts(view: View<'_>, call: &Call, kind: Kind) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(call.command.as_ref().map(command));
    if kind == Kind::Money {
        facts.extend(amount(view.graph, call).map(|amount| Fact::line("amount", &plain(amount))));
    }
    let name = match kind {
        Kind::Message => "to",
        Kind::Money => "payee",
        Kind::Edit | Kind::Delete => "path",
        Kind::Network => "address",
        _ => "target",
    };
    if !call.target.is_empty() {
        facts.push(Fact::block(name, &call.target.join("\n")));
    }
    if kind == Kind::Message && call.recipients != call.target && !call.recipients.is_empty() {
        facts.push(Fact::block("recipients", &call.recipients.join("\n")));
    }
    let seen = seen(view, call);
    let edited = (kind == Kind::Edit).then(|| diff::in_arguments(&call.args)).flatten();
    let shown = edited.is_some();
    facts.extend(edited.map(|lines| Fact { name: Shown::said("change"), lines }));
    facts.extend(arguments(&call.args, |name, value| {
        seen.contains(value) || (shown && diff::is_of_a_change(name))
    }));
    facts
}

/// Arguments that stand above already, in full.
fn seen(view: View<'_>, call: &Call) -> Vec<Value> {
    let mut seen = vec![json!(call.target)];
    if let [only] = call.target.as_slice() {
        seen.push(json!(only));
    }
    if let Some(Command::Plain { argv, .. }) = &call.command {
        seen.push(json!(rendered(argv)));
    }
    seen.extend(amount(view.graph, call).cloned());
    seen
}

/// The stages of a command line, one per line; the text itself where it cannot be read.
fn command(command: &Command) -> Fact {
    let name = Shown::said("command");
    let Some(stages) = read(command) else {
        let text = match command {
            Command::Plain { argv, .. } => rendered(argv),
            Command::NotPlain { text, .. } => text.clone(),
        };
        return Fact { name, lines: block(&text) };
    };
    let lines = stages.iter().map(|stage| Line::Text(Shown::line(&staged(stage)))).collect();
    Fact { name, lines: crate::text::shortened(lines) }
}

fn read(command: &Command) -> Option<Vec<Segment>> {
    match command {
        Command::Plain { argv, .. } => {
            let (argv, redirections) = (argv.clone(), Vec::new());
            Some(vec![Segment { argv, redirections, join: None }])
        }
        Command::NotPlain { text, .. } => parse_segments(text).ok(),
    }
}

fn staged(stage: &Segment) -> String {
    let join = match stage.join {
        Some(Join::And) => " &&",
        Some(Join::Or) => " ||",
        Some(Join::Then) => " ;",
        Some(Join::Pipe) => " |",
        None => "",
    };
    let redirections = stage.redirections.iter().map(|r| format!(" {r}")).collect::<String>();
    format!("{}{redirections}{join}", rendered(&stage.argv))
}

/// All arguments but those that were shown, each under its name.
fn arguments(args: &Value, is_shown: impl Fn(&str, &Value) -> bool) -> Vec<Fact> {
    let Value::Object(fields) = args else {
        return if args.is_null() {
            Vec::new()
        } else {
            vec![Fact::block("arguments", &args.to_string())]
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
            Fact {
                name: Shown::said(format!("argument {}", Shown::line(name))),
                lines: block(&text),
            }
        })
        .collect()
}
