//! What the operator types to allow a critical request: a word of what matters, never characters of a
//! digest.
//!
//! The rule is the table below: the first row that gives a text which can be typed decides.
//! The table of dangerous lines shows what it gives for each.
//!
//! See docs/decisions/0125-a-critical-yes-names-what-matters.md.

use crate::limits;
use countersign_core::model::amount::{find_amount, write_amount};
use countersign_core::model::call::Call;
use countersign_core::model::command::Command;
use countersign_core::model::danger::Danger;
use countersign_core::model::grant::Coverage;
use countersign_core::model::graph::Graph;
use countersign_core::model::request::{Request, Subject};

/// The text, and what it is called: "the amount".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequiredText {
    pub what: &'static str,
    pub text: String,
}

/// What the rows look at.
struct Asked<'a> {
    graph: Option<&'a Graph>,
    request: &'a Request,
    call: Option<&'a Call>,
}

type Row = (&'static str, fn(&Asked) -> Option<String>);

const ROWS: [Row; 9] = [
    ("amount", amount),
    ("name", destroyed_name),
    ("number of targets", target_count),
    ("host", host),
    ("target", target),
    ("recipient", recipient),
    ("words", destroyed_thing),
    ("beginning of the command", first_words),
    ("words", deed),
];

/// The text that a yes to a critical request needs.
pub fn required_text(
    graph: Option<&Graph>,
    request: &Request,
    call: Option<&Call>,
) -> RequiredText {
    let asked = Asked { graph, request, call };
    let found = ROWS.iter().find_map(|(what, find)| {
        let text = find(&asked).filter(|text| is_typeable(text))?;
        Some(RequiredText { what, text })
    });
    found.unwrap_or_else(|| RequiredText { what: "words", text: "allow this once".to_owned() })
}

fn amount(asked: &Asked) -> Option<String> {
    find_amount(asked.graph, asked.call?).map(write_amount)
}

/// The word of the line that names what it destroys: the branch, the bucket, the repository.
fn destroyed_name(asked: &Asked) -> Option<String> {
    let danger = gravest_danger(asked.request)?;
    let words = line_words(asked.call?.command.as_ref()?);
    let named = danger.what.split_whitespace().map(|word| word.trim_matches(PUNCTUATION));
    let is_ours = |word: &str| OUR_WORDS.split(' ').any(|ours| ours == word);
    let mut named = named.filter(|word| word.len() > 1 && !is_ours(word));
    named.find(|word| words.iter().any(|other| other == word)).map(str::to_owned)
}

/// What stands around names in our words for a danger.
const PUNCTUATION: [char; 5] = ['(', ')', ',', ';', '`'];

/// Words of ours that a line may hold too.
const OUR_WORDS: &str = "\
a an and app apps branch bucket cache cluster configmap container containers database deploy \
deployment deployments domain every everything file files for from gist group image images in \
index instance issue job jobs key label machine machines namespace node nodes ns object objects \
of on or package pod pods policy project projects queue record release remote repository \
resource resources role run secret secrets service services site stack svc table that the this \
to token topic user variable version volume with workspace your";

/// The words of a line, and their parts: `:main` is `main`, `--name=shop` is `shop`.
fn line_words(command: &Command) -> Vec<String> {
    let text = match command {
        Command::Plain { argv, .. } => argv.join(" "),
        Command::NotPlain { text, .. } => text.clone(),
    };
    let whole = text.split(|c: char| c.is_whitespace() || "\"'`;|&<>()".contains(c));
    // The program and its subcommand name no thing.
    let operands = whole.filter(|word| !word.is_empty()).skip(1);
    operands
        .flat_map(|word| {
            [word]
                .into_iter()
                .chain(word.split(['=', ':', '+']))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .filter(|word| !word.is_empty())
        .collect()
}

fn gravest_danger(request: &Request) -> Option<&Danger> {
    let bounds = request.items.iter().filter_map(|item| item.bounds.as_ref());
    bounds.flat_map(|bounds| &bounds.dangers).filter(|danger| danger.raises()).min()
}

fn target_count(asked: &Asked) -> Option<String> {
    let count = asked.call?.target.len();
    (count > 1).then(|| count.to_string())
}

fn host(asked: &Asked) -> Option<String> {
    let (_, rest) = asked.call?.target.first()?.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    Some(host.to_owned())
}

/// The target, or the end of a long path.
fn target(asked: &Asked) -> Option<String> {
    shorten_path(asked.call?.target.first()?)
}

fn recipient(asked: &Asked) -> Option<String> {
    asked.call?.recipients.first().cloned()
}

fn shorten_path(path: &str) -> Option<String> {
    match is_typeable(path) {
        true => Some(path.to_owned()),
        false => path.trim_end_matches('/').rsplit('/').next().map(str::to_owned),
    }
}

/// What is destroyed, in our words: "your home folder".
fn destroyed_thing(asked: &Asked) -> Option<String> {
    gravest_danger(asked.request).map(|danger| danger.what.clone())
}

/// The program and the plain words after it.
fn first_words(asked: &Asked) -> Option<String> {
    let text = match asked.call?.command.as_ref()? {
        Command::Plain { argv, .. } => argv.join(" "),
        Command::NotPlain { text, .. } => text.clone(),
    };
    let is_plain = |word: &&str| {
        !word.starts_with('-')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "._/@-".contains(c))
    };
    let words: Vec<&str> = text.split_whitespace().take_while(is_plain).take(3).collect();
    let (program, rest) = words.split_first()?;
    let program = program.rsplit('/').next()?;
    Some([program].into_iter().chain(rest.iter().copied()).collect::<Vec<_>>().join(" "))
}

/// What it is called: the tool, the action, the kind.
fn deed(asked: &Asked) -> Option<String> {
    let name = match &asked.request.subject {
        Subject::Calls(_) | Subject::Proposal(_) => {
            asked.request.items.first()?.action.as_ref()?.as_str()
        }
        Subject::Ahead(ahead) => ahead.category.as_ref()?.as_str(),
        Subject::Start(start) => start.workflow.as_str(),
        Subject::Slash(slash) => slash.action.as_str(),
        Subject::Standing(coverage) => return Some(name_coverage(coverage)),
        Subject::Imported(imported) => return Some(name_coverage(&imported.coverage)),
    };
    Some(name.replace(['.', '_'], " "))
}

/// What a grant covers, by name; the beginning of a long command.
fn name_coverage(coverage: &Coverage) -> String {
    match coverage {
        Coverage::Command { argv, .. } | Coverage::Head { words: argv, .. } => {
            let first =
                |count: usize| argv.iter().take(count).cloned().collect::<Vec<_>>().join(" ");
            let mut beginnings = (1..=argv.len()).rev().map(first);
            beginnings.find(|words| is_typeable(words)).unwrap_or_default()
        }
        Coverage::Action(action)
        | Coverage::Step { action, .. }
        | Coverage::Digest { action, .. } => action.to_string(),
        Coverage::Category(category) => category.as_str().to_owned(),
        Coverage::Class { workflow, .. } => workflow.to_string(),
        Coverage::Everything => "everything".to_owned(),
        Coverage::Run { .. } => "this run".to_owned(),
        Coverage::Program(program) => shorten_path(&program.path).unwrap_or_default(),
    }
}

/// Whether somebody can read the text off a card and type it.
fn is_typeable(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= limits::MAX_TYPED_TEXT
        && text.chars().all(|c| c.is_ascii_graphic() || c == ' ')
        && text.trim() == text
        && !text.contains("  ")
}
