//! Commands that delete what others own or use: repositories, buckets, clusters, stacks, databases.

use super::DangerSearch;
use super::arguments::{Arguments, find_host};
use crate::git_words::find_git_subcommand;
use crate::loose::{UNKNOWN_VALUE, Word};
use countersign_core::model::danger::DangerKind::Shared;
use std::sync::LazyLock;

/// One row of the table.
struct ServiceRule {
    /// The program and its subcommands.
    words: Vec<&'static str>,
    /// One of these must be given, if there are any.
    options: Vec<&'static str>,
    does: &'static str,
    what: &'static str,
}

static RULES: LazyLock<Vec<ServiceRule>> =
    LazyLock::new(|| include_str!("services.txt").lines().filter_map(parse_row).collect());

fn parse_row(row: &'static str) -> Option<ServiceRule> {
    let mut parts = row.split(" | ");
    let (command, does, what) = (parts.next()?, parts.next()?, parts.next()?);
    let is_option = |word: &&str| word.starts_with('-');
    let words = command.split(' ').filter(|word| !is_option(word)).collect();
    let options = command.split(' ').filter(is_option).flat_map(|word| word.split(',')).collect();
    Some(ServiceRule { words, options, does, what })
}

/// Options of these programs that take the next word as their value.
const VALUED: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--cluster",
    "-f",
    "--filename",
    "-l",
    "--selector",
    "-o",
    "--output",
    "-R",
    "--repo",
    "--region",
    "--profile",
    "--project",
    "-a",
    "--app",
    "-p",
    "--zone",
    "--name",
    "-g",
    "--resource-group",
    "--kubeconfig",
    "-c",
    "--subscription",
    "--location",
    "--endpoint-url",
    "--timeout",
    "--grace-period",
    "-h",
    "-U",
    "--host",
    "--port",
    "--user",
    "--bucket",
    "--stack-name",
    "-chdir",
    "--file",
    "-s",
    "--stack",
    "--cwd",
    "-C",
    "--account",
    "--version",
    "--vers",
    "--var-file",
    "-var-file",
    "-var",
    "-target",
    "--target",
    "--config",
    "--env-file",
];

pub(super) fn check_services(search: &mut DangerSearch, arguments: &Arguments) {
    if arguments.is_dry() {
        return;
    }
    match arguments.program.as_str() {
        "git" => check_push(search, arguments),
        "gh" | "glab" if check_api(search, arguments) => return,
        "curl" | "http" | "https" | "xh" | "wget" => check_request(search, arguments),
        _ => {}
    }
    let found = RULES.iter().find_map(|rule| Some((rule, match_rule(rule, arguments)?)));
    if let Some((rule, matched)) = found {
        search.add(Shared, rule.does, matched.fill(rule.what, arguments));
    }
}

/// `git push` that overwrites or deletes branches of a remote.
fn check_push(search: &mut DangerSearch, arguments: &Arguments) {
    let texts = std::iter::once("git").chain(arguments.texts());
    let Some(at) = find_git_subcommand(texts) else { return };
    // The program is the first word.
    let (subcommand, rest) = match arguments.words.get(at - 1..).and_then(<[Word]>::split_first) {
        Some((subcommand, rest)) => (subcommand, rest),
        None => return,
    };
    let pushed = Arguments { program: "push".to_owned(), words: rest };
    if subcommand.text != "push" || pushed.has_letter(&['n']) {
        return;
    }
    let mut operands: Vec<String> = pushed
        .operands()
        .map(|word| word.list_readings().into_iter().next().unwrap_or_default())
        .collect();
    let remote = match operands.is_empty() {
        true => "the remote".to_owned(),
        false => operands.remove(0),
    };
    let branch = |name: &str| match name.is_empty() || name.contains(UNKNOWN_VALUE) {
        true => "a branch".to_owned(),
        false => format!("the branch {name}"),
    };
    let named = operands.first().map_or("", |name| name.trim_start_matches(['+', ':']));
    let named = named.rsplit(':').next().unwrap_or(named);
    if pushed.has_option(&["--mirror", "--prune"]) {
        search.add(Shared, "overwrites and deletes", format!("branches on {remote}"));
    }
    if pushed.has_option(&["--delete"]) || pushed.has_letter(&['d']) {
        search.add(Shared, "deletes", format!("{} on {remote}", branch(named)));
    }
    for refspec in &operands {
        if let Some(name) = refspec.strip_prefix(':').or_else(|| refspec.strip_prefix("+:")) {
            search.add(Shared, "deletes", format!("{} on {remote}", branch(name)));
        } else if let Some(refspec) = refspec.strip_prefix('+') {
            let name = refspec.rsplit(':').next().unwrap_or(refspec);
            search.add(Shared, "overwrites", format!("{} on {remote}", branch(name)));
        }
    }
    let forces = ["--force", "--force-with-lease", "--force-if-includes"];
    if pushed.has_option(&forces) || pushed.has_letter(&['f']) {
        search.add(Shared, "overwrites", format!("{} on {remote}", branch(named)));
    }
}

/// `gh api -X DELETE PATH`.
fn check_api(search: &mut DangerSearch, arguments: &Arguments) -> bool {
    let method = arguments.value_of(&["-X", "--method"]);
    let attached = arguments.texts().find_map(|text| text.strip_prefix("-X"));
    let is_delete =
        method.as_deref().or(attached).is_some_and(|method| method.eq_ignore_ascii_case("delete"));
    let mut operands = arguments.operands().map(|word| word.text.as_str());
    let is_api = operands.next() == Some("api");
    if is_api && is_delete {
        let path = operands.find(|text| !text.eq_ignore_ascii_case("delete")).unwrap_or_default();
        let repository = path.trim_start_matches('/').strip_prefix("repos/");
        let what = match repository.filter(|rest| rest.split('/').count() == 2) {
            Some(repository) => format!("the repository {repository} on the forge"),
            None => format!("{path} on the forge"),
        };
        search.add(Shared, "deletes", what);
    }
    let mut texts = arguments.texts();
    let drops = texts.any(|text| text.contains("mutation") && text.contains("delete"));
    if is_api && drops {
        search.add(Shared, "deletes", "something on the forge");
    }
    is_api
}

/// A request that deletes at another host.
fn check_request(search: &mut DangerSearch, arguments: &Arguments) {
    let method = arguments.value_of(&["-X", "--request", "--method"]);
    let attached = arguments.texts().find_map(|text| text.strip_prefix("-X"));
    let first = arguments.texts().next().filter(|_| !arguments.is_program(&["curl", "wget"]));
    let is_delete = [method.as_deref(), attached, first]
        .iter()
        .flatten()
        .any(|method| method.eq_ignore_ascii_case("delete"));
    let address = || arguments.texts().find_map(|text| Some((text, find_host(text)?)));
    if let Some((address, host)) = is_delete.then(address).flatten()
        && !is_local(&host)
    {
        let path = address.split_once("://").map_or(address, |(_, rest)| rest);
        search.add(Shared, "deletes", path.split(['?', '#']).next().unwrap_or(path));
    }
}

fn is_local(host: &str) -> bool {
    host == "localhost"
        || host.starts_with("127.")
        || host == "0.0.0.0"
        || host.ends_with(".localhost")
}

/// Where a rule matched: its starred words, and the operands behind them.
struct Matched<'w> {
    starred: Vec<&'w str>,
    operands: Vec<String>,
}

fn match_rule<'w>(rule: &ServiceRule, arguments: &Arguments<'w>) -> Option<Matched<'w>> {
    let (program, subcommands) = rule.words.split_first()?;
    if !fits(program, &arguments.program) {
        return None;
    }
    let has_option = rule.options.iter().any(|option| is_given(arguments, option));
    if !rule.options.is_empty() && !has_option {
        return None;
    }
    let (starred, rest) = match_words(subcommands, arguments, 0)?;
    let behind = arguments.words.iter().enumerate().skip(rest);
    let operands = behind
        .filter(|(at, word)| {
            let is_listed = at.checked_sub(1).and_then(|before| arguments.words.get(before));
            let is_value = is_listed.is_some_and(|before| VALUED.contains(&before.text.as_str()));
            !word.text.starts_with('-') && !is_value
        })
        .filter_map(|(_, word)| word.list_readings().into_iter().next())
        .collect();
    Some(Matched { starred, operands })
}

/// Matches the words of a rule from one word on. Returns its starred words and where its operands
/// start.
fn match_words<'w>(
    pattern: &[&str],
    arguments: &Arguments<'w>,
    at: usize,
) -> Option<(Vec<&'w str>, usize)> {
    let Some((expected, later)) = pattern.split_first() else { return Some((Vec::new(), at)) };
    let text = arguments.words.get(at)?.text.as_str();
    if text.starts_with('-') {
        return match_words(pattern, arguments, at + 1);
    }
    let is_many = *expected == "**";
    let wanted = if is_many { later.first()? } else { expected };
    if fits(wanted, &text.to_ascii_lowercase()) {
        let behind = if is_many { later.get(1..).unwrap_or_default() } else { later };
        if let Some((mut starred, end)) = match_words(behind, arguments, at + 1) {
            if wanted.contains('*') {
                starred.insert(0, text);
            }
            return Some((starred, end));
        }
    }
    // The value of an option is no word of the command.
    let is_value = is_option_value(arguments, at);
    if !is_value && !is_many {
        return None;
    }
    let (mut starred, end) = match_words(pattern, arguments, at + 1)?;
    if !is_value {
        starred.insert(0, text);
    }
    Some((starred, end))
}

/// Whether a word may be the value of the option before it.
fn is_option_value(arguments: &Arguments, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| arguments.words.get(before));
    before.is_some_and(|before| before.text.starts_with('-') && !before.text.contains('='))
}

fn is_given(arguments: &Arguments, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
    let in_cluster = letter.and_then(|letter| letter.chars().next());
    arguments.has_option(&[option]) || in_cluster.is_some_and(|c| arguments.has_letter(&[c]))
}

fn fits(pattern: &str, text: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => text.starts_with(start),
        None => pattern == text,
    }
}

impl Matched<'_> {
    /// The object of a row, with its marks replaced.
    fn fill(&self, template: &str, arguments: &Arguments) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((mark, tail)) = after.split_once('}') else { break };
            text.push_str(&self.replace(mark, arguments));
            rest = tail;
        }
        text.push_str(rest);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn replace(&self, mark: &str, arguments: &Arguments) -> String {
        let (name, otherwise) = mark.split_once('?').unwrap_or((mark, ""));
        let found = match name {
            "*" => self.starred.first().map(|word| (*word).to_owned()),
            "**" => Some(self.starred.join(" ")),
            "1..." => Some(self.operands.iter().take(4).cloned().collect::<Vec<_>>().join(" ")),
            "1" => self.operands.first().cloned(),
            "2" => self.operands.get(1).cloned(),
            options => {
                let names: Vec<&str> = options.split(',').collect();
                let value = arguments.value_of(&names);
                let value = value.or_else(|| match names.contains(&"1") {
                    true => self.operands.first().cloned(),
                    false => None,
                });
                match options {
                    "--context" => value.map(|value| format!(", cluster {value}")),
                    "-n,--namespace" => value.map(|value| format!("the namespace {value}")),
                    _ => value,
                }
            }
        };
        let found = found.filter(|text| !text.is_empty());
        found.map(|text| text.replace(UNKNOWN_VALUE, "…")).unwrap_or_else(|| otherwise.to_owned())
    }
}
