//! The headline: what a yes covers, as verb, object and destination, worded by Countersign.

use crate::CardContext;
use crate::categories::describe_category;
use crate::coverage::any_of;
use crate::decided::is_classed;
use crate::kind::is_about_money;
use crate::limits;
use crate::phrases::{ActionPhrase, find_phrase};
use crate::said_amount::find_said_amount;
use crate::text::DisplayText;
use crate::titles::{find_place_phrase, name_mcp_tool, shorten, title_from_action, title_of};
use countersign_commands::parse_segments;
use countersign_core::model::amount::{find_amount, find_mapped_amount};
use countersign_core::model::call::{Call, Part};
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::danger::Danger;
use countersign_core::model::names::Action;
use countersign_core::model::request::{Request, RequestItem, Subject};
use serde_json::Value;

/// The headline of a card: that of its first item, and how many more there are.
pub(crate) fn card_headline(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
) -> DisplayText {
    let open: Vec<&RequestItem> = request.open_items().collect();
    let items: Vec<&RequestItem> =
        if open.is_empty() { request.items.iter().collect() } else { open };
    let mut headlines: Vec<String> = Vec::new();
    for item in items {
        let headline = item_headline(context, request, call, item).to_string();
        if !headlines.contains(&headline) {
            headlines.push(headline);
        }
    }
    DisplayText::from_trusted(match headlines.as_slice() {
        [] => subject_headline(context, request),
        [only] => only.clone(),
        several if is_composed(call) => list_headlines(several),
        [first, rest @ ..] => format!("{first}, and {} more", rest.len()),
    })
}

/// What a call does or tried to do, as one of its actions was decided.
pub fn describe_call(context: CardContext<'_>, call: &Call, action: &Action) -> DisplayText {
    DisplayText::from_trusted(action_headline(context, call, action, Part::Named))
}

/// The headlines of a line of several commands, whose items say what it does.
fn list_headlines(headlines: &[String]) -> String {
    let shown: Vec<&str> =
        headlines.iter().take(limits::MAX_HEADLINE_TARGETS).map(String::as_str).collect();
    let more = headlines.len().saturating_sub(limits::MAX_HEADLINE_TARGETS);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", shown.join("; "))
}

/// Whether the call runs more than one plain command.
fn is_composed(call: Option<&Call>) -> bool {
    let command = call.and_then(|call| call.command.as_ref());
    matches!(command, Some(Command::NotPlain { .. }))
}

/// What a yes to one item covers.
pub(crate) fn item_headline(
    context: CardContext<'_>,
    request: &Request,
    call: Option<&Call>,
    item: &RequestItem,
) -> DisplayText {
    if let Some(danger) = find_danger(item) {
        return DisplayText::from_untrusted(&title_from_danger(danger));
    }
    DisplayText::from_trusted(match (&request.subject, call, &item.action) {
        (Subject::Calls(_), Some(_), Some(action)) if is_composed(call) && is_classed(item) => {
            let (phrase, place) = match find_phrase(action.as_str()) {
                Some(phrase) => (Some(phrase), ""),
                None => find_place_phrase(action.as_str()),
            };
            let alone =
                phrase.map_or_else(|| title_from_action(action), |phrase| phrase.alone.to_owned());
            format!("{alone}{place}")
        }
        (Subject::Calls(_), Some(call), Some(action)) => {
            action_headline(context, call, action, item.part)
        }
        (Subject::Calls(_), None, Some(action)) => {
            format!("{}: no longer known", title_from_action(action))
        }
        (_, _, _) => subject_headline(context, request),
    })
}

/// The gravest danger of an item that raises its risk.
fn find_danger(item: &RequestItem) -> Option<&Danger> {
    let bounds = item.bounds.as_ref().filter(|_| item.part == Part::Named)?;
    bounds.dangers.iter().filter(|danger| danger.raises()).min()
}

/// "deletes your home folder" is "Delete your home folder".
fn title_from_danger(danger: &Danger) -> String {
    let mut is_verb = true;
    let words: Vec<String> = danger
        .does
        .split(' ')
        .map(|word| {
            let shortened = match word.strip_suffix("shes") {
                Some(start) => format!("{start}sh"),
                None => word.strip_suffix('s').unwrap_or(word).to_owned(),
            };
            let is_adverb = word.ends_with("ly");
            let shown = if is_verb && !is_adverb { shortened } else { word.to_owned() };
            is_verb = (is_verb && is_adverb) || ["and", "or"].contains(&word);
            shown
        })
        .collect();
    let title = format!("{} {}", words.join(" "), shorten(&danger.what));
    let mut characters = title.chars();
    let first = characters.next().map(|c| c.to_uppercase().to_string());
    format!("{}{}", first.unwrap_or_default(), characters.as_str())
}

/// The headline of a request that is not about a call.
fn subject_headline(context: CardContext<'_>, request: &Request) -> String {
    let show = |text: &str| DisplayText::from_untrusted(text).to_string();
    match &request.subject {
        Subject::Calls(_) => "Do something that is no longer known".to_owned(),
        Subject::Ahead(ahead) => match &ahead.category {
            Some(category) => {
                let amount = match is_about_money(category) {
                    true => find_said_amount(&ahead.text),
                    false => None,
                };
                let amount = amount.map_or_else(String::new, |amount| {
                    format!(", for {} as the agent says", show(amount))
                });
                let kind = show(&describe_category(category.as_str()));
                format!("Give a permission in advance: {kind}{amount}")
            }
            None => "Give a permission in advance: everything up to moderate risk".to_owned(),
        },
        Subject::Start(start) => format!("Start the workflow {}", show(start.workflow.as_str())),
        Subject::Standing(coverage) => {
            format!("Keep a permission: {}", show(&coverage.to_string()))
        }
        Subject::Slash(slash) => format!("Give a permission in advance: {}", any_of(&slash.action)),
        Subject::Imported(imported) => format!(
            "Keep a permission of an earlier system: {}",
            show(&imported.coverage.to_string())
        ),
        Subject::Proposal(id) => match context.state.proposals.get(id) {
            Some(proposal) => title_of(&proposal.action),
            None => "Change itself, in a way that is no longer known".to_owned(),
        },
    }
}

fn action_headline(context: CardContext<'_>, call: &Call, action: &Action, part: Part) -> String {
    let (phrase, place) = match find_phrase(action.as_str()) {
        Some(phrase) => (Some(phrase), ""),
        None => find_place_phrase(action.as_str()),
    };
    let amount = find_amount(context.graph, call).map(|value| amount_text(call, value));
    // A declared action may happen to something that the call does not name.
    let object = match part {
        Part::Named => find_object(call, action, phrase),
        Part::Declared => None,
    };
    let mut headline = match (phrase, &object) {
        (_, Some(Object::Tool(tool))) => format!("Call {tool}"),
        (Some(phrase), Some(Object::Command(command))) if !takes_command(action) => {
            format!("{}: {command}", phrase.alone)
        }
        (Some(phrase), Some(object)) => phrase.with_object.replace("{}", object.as_str()),
        (Some(phrase), None) => phrase.alone.to_owned(),
        (None, Some(object)) => format!("{}: {}", title_from_action(action), object.as_str()),
        (None, None) => title_from_action(action),
    };
    headline.push_str(place);
    if headline.contains("{amount}") {
        let named = amount.as_deref().unwrap_or("an amount that is not named");
        headline = headline.replace("{amount}", named);
    } else if let Some(amount) = amount.filter(|_| part == Part::Named)
        && find_mapped_amount(context.graph, call).is_some()
    {
        headline.push_str(&format!(", {amount}"));
    }
    if part == Part::Declared {
        headline.push_str(", as this call announces");
        return headline;
    }
    let is_elsewhere = !call.recipients.is_empty() && call.recipients != call.target;
    if is_elsewhere && !call.target.is_empty() {
        headline.push_str(&format!(", to {}", list_texts(&call.recipients)));
    }
    if let Some(tool) = mcp_tool(call).filter(|_| !is_tool_call(action)) {
        headline.push_str(&format!(", by {tool}"));
    }
    headline
}

/// What the action is done to, as one line.
enum Object {
    Named(String),
    Command(String),
    /// A tool of an MCP server, with its target.
    Tool(String),
}

impl Object {
    fn as_str(&self) -> &str {
        match self {
            Self::Named(text) | Self::Command(text) | Self::Tool(text) => text,
        }
    }
}

/// Whether the phrase of an action has a command as its object.
fn takes_command(action: &Action) -> bool {
    matches!(action.as_str(), "shell.run" | "shell.program")
}

fn find_object(call: &Call, action: &Action, phrase: Option<&ActionPhrase>) -> Option<Object> {
    if let Some(command) = &call.command {
        return Some(Object::Command(summarize_command(command)));
    }
    if let Some(tool) = mcp_tool(call).filter(|_| is_tool_call(action)) {
        let with = match call.target.is_empty() {
            true => summarize_arguments(&call.args),
            false => format!(" on {}", list_texts(&call.target)),
        };
        return Some(Object::Tool(format!("{tool}{with}")));
    }
    if !call.target.is_empty() {
        return Some(Object::Named(list_texts(&call.target)));
    }
    if !call.recipients.is_empty() {
        return Some(Object::Named(list_texts(&call.recipients)));
    }
    let named_by = phrase.map_or(&[][..], |phrase| phrase.arguments);
    let text = named_by.iter().find_map(|name| call.args.get(*name).and_then(Value::as_str))?;
    (!text.is_empty()).then(|| Object::Named(format!("\"{}\"", shorten(text))))
}

/// The first arguments by name and value, for a tool whose target nobody knows.
fn summarize_arguments(args: &Value) -> String {
    let Value::Object(fields) = args else { return String::new() };
    let show = |(name, value): (&String, &Value)| match value {
        Value::String(text) => Some(format!("{} \"{}\"", shorten(name), shorten(text))),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            Some(format!("{} {value}", shorten(name)))
        }
        Value::Array(_) | Value::Object(_) => None,
    };
    let shown: Vec<String> =
        fields.iter().filter_map(show).take(limits::MAX_HEADLINE_TARGETS).collect();
    match (shown.as_slice(), fields.len() - shown.len()) {
        ([], _) => String::new(),
        (shown, 0) => format!(" with {}", shown.join(", ")),
        (shown, more) => format!(" with {} and {more} more", shown.join(", ")),
    }
}

/// Whether an action says only that some tool is called.
fn is_tool_call(action: &Action) -> bool {
    action.as_str().starts_with("mcp.") && action.as_str() != "mcp.add_server"
}

fn mcp_tool(call: &Call) -> Option<String> {
    name_mcp_tool(call.tool.as_ref()?)
}

/// The command in a few words; several commands by the names of their programs.
fn summarize_command(command: &Command) -> String {
    match command {
        Command::Plain { argv, .. } => summarize_words(argv),
        Command::NotPlain { text, .. } => match parse_segments(text) {
            Ok(segments) => match segments.as_slice() {
                // A redirection or a variable is a part of what it does.
                [_] => shorten(&text.split_whitespace().collect::<Vec<_>>().join(" ")),
                several => format!(
                    "{} commands: {}",
                    several.len(),
                    list_texts(&program_names(several.iter().map(|segment| &segment.argv)))
                ),
            },
            Err(_) => match text.trim_end().lines().count() {
                0 | 1 => "a command line that cannot be read in full".to_owned(),
                lines => format!("a script of {lines} lines that cannot be read in full"),
            },
        },
    }
}

/// The programs of several commands, each once.
pub(crate) fn program_names<'a>(commands: impl Iterator<Item = &'a Vec<String>>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for program in commands.filter_map(|argv| argv.first()) {
        let name = program.rsplit('/').next().unwrap_or(program).to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn summarize_words(argv: &[String]) -> String {
    let words: Vec<String> = argv.iter().take(limits::MAX_HEADLINE_WORDS).cloned().collect();
    let more = if argv.len() > limits::MAX_HEADLINE_WORDS { " …" } else { "" };
    format!("{}{more}", shorten(&render_argv(&words)))
}

/// The first texts, and how many more there are.
pub(crate) fn list_texts(texts: &[String]) -> String {
    let named: Vec<String> =
        texts.iter().take(limits::MAX_HEADLINE_TARGETS).map(|text| shorten(text)).collect();
    let more = texts.len().saturating_sub(limits::MAX_HEADLINE_TARGETS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The amount, with the argument `currency` if it names none itself.
pub(crate) fn amount_text(call: &Call, value: &Value) -> String {
    let amount = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let currency = call.args.get("currency").and_then(Value::as_str);
    match currency.filter(|_| !amount.chars().any(char::is_alphabetic)) {
        Some(currency) => format!("{} {}", shorten(&amount), shorten(currency)),
        None => shorten(&amount),
    }
}
