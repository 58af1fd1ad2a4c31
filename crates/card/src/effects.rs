//! Describes the effects of a call from its categories and detectors, with the files, hosts,
//! recipients and programs that it names.

use crate::CardContext;
use crate::categories::EffectObject::{
    self, Files, Fixed, Hosts, Money, Programs, Recipients, Remote, Target,
};
use crate::categories::find_category;
use crate::command_objects::{list_files, list_hosts, list_remotes};
use crate::decided::DecidedCall;
use crate::headline::{amount_text, list_texts, program_names};
use crate::hosts::parse_host;
use crate::text::DisplayText;
use countersign_commands::parse_segments;
use countersign_core::model::amount::find_amount;
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::danger::Danger;
use countersign_core::model::request::Request;
use countersign_core::model::words::Detector;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardEffect {
    /// A verb: `writes`, `deletes`, `spends`. `unknown` if nothing is known.
    pub does: Cow<'static, str>,
    pub what: DisplayText,
    /// Whether a surface makes it stand out.
    #[serde(default, skip_serializing_if = "EffectWeight::is_ordinary")]
    pub weight: EffectWeight,
}

#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectWeight {
    #[default]
    Ordinary,
    /// It says where something goes: a host, a remote, a recipient, a place outside.
    Destination,
    /// What is lost, or where foreign code comes from.
    Danger,
}

impl EffectWeight {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_ordinary(&self) -> bool {
        *self == Self::Ordinary
    }
}

impl std::fmt::Display for CardEffect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.what.as_str() {
            "" => f.write_str(&self.does),
            what => write!(f, "{} {what}", self.does),
        }
    }
}

impl CardEffect {
    fn ordinary(does: impl Into<Cow<'static, str>>, what: DisplayText) -> Self {
        Self { does: does.into(), what, weight: EffectWeight::Ordinary }
    }

    fn of_danger(danger: &Danger) -> Self {
        Self {
            does: danger.does.clone().into(),
            what: DisplayText::from_untrusted(&danger.what),
            weight: match danger.raises() {
                true => EffectWeight::Danger,
                false => EffectWeight::Ordinary,
            },
        }
    }
}

pub(crate) fn describe_effects(
    context: CardContext<'_>,
    request: &Request,
    decided: &DecidedCall<'_>,
) -> Vec<CardEffect> {
    let call = decided.call;
    let dangers = list_dangers(request);
    let mut effects: Vec<CardEffect> =
        dangers.iter().map(|one| CardEffect::of_danger(one)).collect();
    for category in decided.categories() {
        let known = find_category(category.as_str()).map(|known| (known.does, known.object));
        let found = match known {
            Some((does, Files)) if call.command.is_some() => {
                let mut found = describe_files(call, does);
                found.retain(|effect| !is_same_deed(&dangers, &effect.does));
                found
            }
            // The words of a line that nobody can read say more than that.
            Some((_, object)) if says_nothing(call, object, &dangers) => Vec::new(),
            Some((does, object)) => {
                let does = if matches!(object, Remote) {
                    name_transfer(decided, &dangers, does)
                } else {
                    does
                };
                let what = describe_object((context, request), call, object);
                let weight = match object {
                    Hosts | Recipients | Remote => EffectWeight::Destination,
                    Files | Programs | Money | Fixed(_) | Target => EffectWeight::Ordinary,
                };
                let what = DisplayText::from_trusted(what);
                vec![CardEffect { does: does.into(), what, weight }]
            }
            None => {
                let what = DisplayText::from_untrusted(category.as_str());
                vec![CardEffect::ordinary("is marked as", what)]
            }
        };
        found.into_iter().for_each(|effect| push_missing(&mut effects, effect));
    }
    drop_second_naming_of_hosts(&mut effects);
    // Whatever the line counts as, what it deletes matters.
    let deleted = list_files(call).deleted;
    if !deleted.is_empty() && !is_same_deed(&dangers, "deletes") {
        let what = DisplayText::from_trusted(list_texts(&deleted));
        push_missing(&mut effects, CardEffect::ordinary("deletes", what));
    }
    let detectors = call.detectors.iter().filter(|_| !dangers.iter().any(|one| one.raises()));
    effects.extend(detectors.map(|detector| {
        let (does, what, weight) = match detector {
            Detector::Force => {
                ("skips", "the program's own questions and checks", EffectWeight::Ordinary)
            }
            Detector::Recursive => ("includes", "everything in it", EffectWeight::Ordinary),
            Detector::OutsideWorkspace => {
                ("reaches", "outside of the workspace", EffectWeight::Destination)
            }
            Detector::SecretPath => {
                ("reaches", "where secrets are kept", EffectWeight::Destination)
            }
        };
        CardEffect { does: does.into(), what: DisplayText::from_trusted(what), weight }
    }));
    if effects.is_empty() && call.command.is_some() {
        let programs = describe_object((context, request), call, Programs);
        let what = DisplayText::from_trusted(programs);
        effects.push(CardEffect::ordinary("runs", what));
    }
    if effects.is_empty() {
        effects.push(CardEffect::ordinary(UNKNOWN, DisplayText::from_trusted("")));
    }
    effects
}

/// In which direction commits go, where the action says it.
fn name_transfer(
    decided: &DecidedCall<'_>,
    dangers: &[&Danger],
    does: &'static str,
) -> &'static str {
    let is_overwriting = is_same_deed(dangers, "overwrites");
    let is_any =
        |words: &[&str]| decided.actions.iter().any(|action| words.contains(&action.as_str()));
    match (is_any(&["git.push", "git.force_push"]), is_any(&["git.fetch", "git.pull", "git.clone"]))
    {
        // Beside a danger that names the branch, this is only where.
        (true, false) if is_overwriting => "acts at",
        (true, false) => "sends commits to",
        (false, true) => "fetches commits from",
        (true, true) | (false, false) => does,
    }
}

/// Whether a danger says it already, and better.
fn is_same_deed(dangers: &[&Danger], does: &str) -> bool {
    dangers.iter().any(|danger| danger.raises() && danger.does == does)
}

/// Whether an effect would only say "runs gh" or "destroys unknown", beside what is known better.
fn says_nothing(call: &Call, object: EffectObject, dangers: &[&Danger]) -> bool {
    match object {
        Target => call.command.is_some() && call.target.is_empty(),
        Programs | Hosts => !dangers.is_empty(),
        Files | Recipients | Remote | Money | Fixed(_) => false,
    }
}

/// The dangers of all items, the gravest first.
pub(crate) fn list_dangers(request: &Request) -> Vec<&Danger> {
    let bounds = request.items.iter().filter_map(|item| item.bounds.as_deref());
    let mut dangers: Vec<&Danger> = bounds.flat_map(|bounds| &bounds.dangers).collect();
    dangers.sort();
    dangers.dedup();
    // What is noted is part of a graver deed, but for code that the line itself holds.
    let is_raised = dangers.iter().any(|danger| danger.raises());
    dangers.retain(|danger| danger.raises() || !is_raised || danger.does == "runs");
    dangers
}

/// To fetch from a host is to connect to it.
fn drop_second_naming_of_hosts(effects: &mut Vec<CardEffect>) {
    let named: Vec<DisplayText> = effects
        .iter()
        .filter(|effect| effect.weight == EffectWeight::Destination && effect.does != CONNECTS)
        .map(|effect| effect.what.clone())
        .collect();
    effects.retain(|effect| effect.does != CONNECTS || !named.contains(&effect.what));
}

const CONNECTS: &str = "connects to";
const UNKNOWN: &str = "unknown";

fn push_missing(effects: &mut Vec<CardEffect>, effect: CardEffect) {
    if !effects.contains(&effect) {
        effects.push(effect);
    }
}

/// What the programs of a command line do to files, as far as their words name them.
fn describe_files(call: &Call, does: &'static str) -> Vec<CardEffect> {
    let files = list_files(call);
    let named = match does {
        "reads" => vec![("reads", files.read)],
        _ => vec![("writes", files.written), ("deletes", files.deleted)],
    };
    let effect = |does: &'static str, texts: &[String]| {
        CardEffect::ordinary(does, DisplayText::from_trusted(list_texts(texts)))
    };
    let found: Vec<CardEffect> = named
        .iter()
        .filter(|(_, texts)| !texts.is_empty())
        .map(|(does, texts)| effect(does, texts))
        .collect();
    match found.is_empty() {
        true => vec![effect(does, &["files that its words do not name".to_owned()])],
        false => found,
    }
}

fn describe_object(
    (context, request): (CardContext<'_>, &Request),
    call: &Call,
    object: EffectObject,
) -> String {
    let listed = |texts: &[String], what: &str| match texts.is_empty() {
        true => format!("{UNKNOWN} {what}"),
        false => list_texts(texts),
    };
    match object {
        Files => listed(&call.target, "files"),
        Hosts if call.command.is_some() => listed(&list_hosts(request, call), "hosts"),
        Hosts => listed(&named_hosts(call), "hosts"),
        Recipients if call.recipients.is_empty() => listed(&call.target, "recipients"),
        Recipients => list_texts(&call.recipients),
        Programs => listed(&named_programs(call), "programs"),
        Remote if call.command.is_some() => listed(&list_remotes(request), "remotes"),
        Remote => listed(&call.target, "remotes"),
        Money => {
            let amount = find_amount(context.graph, call).map(|value| amount_text(call, value));
            let payee = match call.target.is_empty() {
                true => String::new(),
                false => format!(" to {}", list_texts(&call.target)),
            };
            format!("{}{payee}", amount.unwrap_or_else(|| format!("an {UNKNOWN} amount")))
        }
        Fixed(what) => what.to_owned(),
        Target if call.target.is_empty() => UNKNOWN.to_owned(),
        Target => list_texts(&call.target),
    }
}

/// The hosts of the addresses that the call names, each once.
fn named_hosts(call: &Call) -> Vec<String> {
    let mut hosts: Vec<String> = Vec::new();
    for target in &call.target {
        let host = parse_host(target).unwrap_or(target).to_owned();
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

/// The programs of a command line, or none if it cannot be read in full.
fn named_programs(call: &Call) -> Vec<String> {
    match &call.command {
        Some(Command::Plain { argv, .. }) => program_names([argv].into_iter()),
        Some(Command::NotPlain { text, .. }) => parse_segments(text)
            .map(|segments| program_names(segments.iter().map(|segment| &segment.argv)))
            .unwrap_or_default(),
        None => Vec::new(),
    }
}
