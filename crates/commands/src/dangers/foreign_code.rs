//! Lines that download code and run it.

use super::DangerSearch;
use super::arguments::{Arguments, find_host};
use crate::loose::{LooseCommand, LooseItem, LooseJoin, LooseScan, Subshell, Word};
use crate::reachable_commands::is_assignment;
use crate::subject::{SHELLS, is_interpreter};
use crate::wrappers::{base_name, find_wrapper};
use countersign_core::model::danger::DangerKind::ForeignCode;

const DOWNLOADERS: &[&str] = &[
    "curl",
    "wget",
    "wget2",
    "fetch",
    "aria2c",
    "http",
    "https",
    "xh",
    "axel",
    "lwp-request",
    "get",
    "iwr",
    "irm",
    "invoke-webrequest",
    "invoke-restmethod",
    "lynx",
    "curlie",
];

/// What is said where the address is not in the line.
const UNKNOWN_HOST: &str = "an address that the line does not show";

pub(super) fn check_foreign_code(search: &mut DangerSearch, scanned: &LooseScan) {
    let mut downloads = Downloads::default();
    for (at, item) in scanned.items.iter().enumerate() {
        match item {
            LooseItem::Enter(kind) => downloads.enter(*kind, is_run_file(scanned, at)),
            LooseItem::Leave => downloads.leave(),
            LooseItem::Command(command) => {
                if let Some(host) = downloads.read(command) {
                    search.add(ForeignCode, "downloads and runs code from", host);
                }
            }
        }
    }
    // Backticks are texts of their own.
    let runs = scanned.items.iter().any(|item| match item {
        LooseItem::Command(command) => runs_words(&command.words),
        LooseItem::Enter(_) | LooseItem::Leave => false,
    });
    for text in scanned.nested_texts.iter().filter(|_| runs) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.first().is_some_and(|word| DOWNLOADERS.contains(&base_name(word))) {
            let host = words.iter().find_map(|word| find_host(word));
            let host = host.unwrap_or_else(|| UNKNOWN_HOST.to_owned());
            search.add(ForeignCode, "downloads and runs code from", host);
        }
    }
}

/// Packages by their address, which run while they are installed or at once.
pub(super) fn check_packages(search: &mut DangerSearch, arguments: &Arguments) {
    let texts: Vec<&str> = arguments.texts().collect();
    let operands: Vec<&str> = arguments.operands().map(|word| word.text.as_str()).collect();
    let subcommand = operands.first().copied().unwrap_or_default();
    let second = operands.get(1).copied().unwrap_or_default();
    let takes_packages = match arguments.program.as_str() {
        "npx" | "bunx" | "pnpx" | "uvx" => true,
        "npm" | "pnpm" | "yarn" | "bun" => {
            ["install", "i", "add", "exec", "x", "dlx", "create", "init"].contains(&subcommand)
        }
        "pip" | "pip3" | "pipx" | "easy_install" | "gem" | "brew" | "cargo" | "poetry" | "go" => {
            ["install", "run", "add", "inject", "get", "tap"].contains(&subcommand)
                || arguments.program == "easy_install"
        }
        "uv" => {
            matches!((subcommand, second), ("pip", "install") | ("tool", _) | ("add" | "run", _))
        }
        "python" | "python3" => texts.windows(3).any(|three| three == ["-m", "pip", "install"]),
        "deno" => ["run", "install", "eval"].contains(&subcommand),
        "nix" => ["run", "shell", "develop", "profile"].contains(&subcommand),
        "docker" | "podman" => false,
        _ => false,
    };
    if !takes_packages {
        return;
    }
    let by_name = match arguments.program.as_str() {
        "npx" | "bunx" | "pnpx" | "npm" | "pnpm" | "yarn" | "bun" => OwnerNames::OnForge,
        _ => OwnerNames::Unknown,
    };
    let is_index = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| texts.get(before)).copied();
        before.is_some_and(|before| INDEX_OPTIONS.contains(&before))
    };
    let runs_module = arguments.program == "go" && subcommand == "run";
    for (at, text) in texts.iter().enumerate().filter(|(at, _)| !is_index(*at)) {
        let text = text.split_once('=').filter(|_| text.starts_with("--")).map_or(*text, |x| x.1);
        let is_index = texts.get(at).is_some_and(|text| {
            INDEX_OPTIONS.iter().any(|option| text.starts_with(&format!("{option}=")))
        });
        let module = runs_module && text.contains('@') && text.contains('.');
        let host = find_package_host(text, by_name)
            .or_else(|| module.then(|| text.split('/').next().unwrap_or_default().to_owned()));
        if let Some(host) = host.filter(|_| !is_index) {
            search.add(ForeignCode, "downloads and runs code from", host);
        }
    }
}

/// Options whose value is the address of a registry and not of a package.
const INDEX_OPTIONS: &[&str] = &[
    "-i",
    "--index-url",
    "--extra-index-url",
    "--registry",
    "--index",
    "-f",
    "--find-links",
    "--default-index",
    "--proxy",
    "--source",
];

/// Whether `OWNER/NAME` stands for a repository of a forge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OwnerNames {
    OnForge,
    Unknown,
}

fn find_package_host(text: &str, names: OwnerNames) -> Option<String> {
    let text = text.rsplit_once(" @ ").map_or(text, |(_, address)| address);
    let at_address = text.find("@http").or_else(|| text.find("@git+"));
    let text = at_address.and_then(|at| text.get(at + 1..)).unwrap_or(text);
    if let Some(host) = find_host(text) {
        return Some(host);
    }
    let forges =
        [("github:", "github.com"), ("gitlab:", "gitlab.com"), ("bitbucket:", "bitbucket.org")];
    let by_prefix = forges.iter().find(|(prefix, _)| text.starts_with(prefix));
    if let Some((_, host)) = by_prefix {
        return Some((*host).to_owned());
    }
    if let Some((user, rest)) = text.split_once('@')
        && user == "git"
    {
        return rest.split([':', '/']).next().map(str::to_owned);
    }
    let is_plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let is_repository = text.split_once('/').is_some_and(|(owner, name)| {
        is_plain(owner) && is_plain(name) && !owner.starts_with('.') && !owner.starts_with('-')
    });
    (names == OwnerNames::OnForge && is_repository).then(|| "github.com".to_owned())
}

/// Whether a process substitution begins here whose output the command in front runs as a file.
fn is_run_file(scanned: &LooseScan, at: usize) -> RunAs {
    let before = at.checked_sub(1).and_then(|before| scanned.items.get(before));
    match before {
        Some(LooseItem::Command(command)) if command.join == LooseJoin::Background => {
            match runs_words(&command.words) || is_sourcing(&command.words) {
                true => RunAs::File,
                false => RunAs::Nothing,
            }
        }
        _ => RunAs::Nothing,
    }
}

fn is_sourcing(words: &[Word]) -> bool {
    words.first().is_some_and(|word| ["source", "."].contains(&word.text.as_str()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunAs {
    File,
    Nothing,
}

/// What the line has downloaded so far.
#[derive(Default)]
struct Downloads {
    /// From the pipe that is being read.
    piped: Option<String>,
    /// From a substitution in the words of the next command.
    substituted: Option<String>,
    /// Files, with the host that they come from.
    files: Vec<(String, String)>,
    /// The groups that are open, with what was piped in front of them.
    groups: Vec<(Subshell, RunAs, Option<String>)>,
    /// What a process substitution gives a shell that stands in front of it.
    run_as_file: Option<String>,
}

impl Downloads {
    fn enter(&mut self, kind: Subshell, run: RunAs) {
        self.groups.push((kind, run, self.piped.take()));
    }

    fn leave(&mut self) {
        let Some((kind, run, before)) = self.groups.pop() else { return };
        let inside = self.piped.take();
        match (kind, run) {
            (Subshell::Substitution, _) => self.substituted = self.substituted.take().or(inside),
            (Subshell::Group, RunAs::File) => self.run_as_file = inside,
            (Subshell::Group, RunAs::Nothing) => self.piped = inside,
        }
        self.piped = self.piped.take().or(before);
    }

    /// Reads the next command. Returns the host whose code it runs.
    fn read(&mut self, command: &LooseCommand) -> Option<String> {
        let run_as_file = self.run_as_file.take();
        let substituted = self.substituted.take();
        let is_download = self.read_download(command);
        let words = &command.words;
        let found = run_as_file.or_else(|| match () {
            () if is_download => None,
            () if runs_input(words) => self.piped.clone(),
            () if runs_words(words) => substituted.clone(),
            () => None,
        });
        let found = found.or_else(|| self.find_run_file(words).filter(|_| !is_download));
        match command.join {
            LooseJoin::Pipe => {}
            // Inside of a group, its end takes what was piped.
            _ if self.groups.is_empty() => self.piped = None,
            _ => {}
        }
        found
    }

    fn read_download(&mut self, command: &LooseCommand) -> bool {
        let Some(words) = find_words_of(&command.words, DOWNLOADERS) else { return false };
        let Some(arguments) = Arguments::new(words) else { return false };
        let readings: Vec<String> = words.iter().skip(1).flat_map(Word::list_readings).collect();
        let host = readings.iter().find_map(|text| find_host(text)).or_else(|| {
            let bare = readings
                .iter()
                .find(|text| text.contains('.') && !text.starts_with(['-', '.', '/']));
            bare.and_then(|text| find_host(&format!("https://{text}")))
        });
        let host = host.unwrap_or_else(|| UNKNOWN_HOST.to_owned());
        self.piped = Some(host.clone());
        let named = arguments.value_of(&[
            "-o",
            "--output",
            "-O",
            "--output-document",
            "-outfile",
            "-OutFile",
        ]);
        let address = readings.iter().rfind(|text| text.contains('/'));
        let by_address = address.and_then(|text| text.split(['?', '#']).next()?.rsplit('/').next());
        let redirected = command.redirect_targets.iter().map(|word| word.text.clone());
        let files = named.into_iter().chain(by_address.map(str::to_owned)).chain(redirected);
        self.files.extend(files.filter(|file| !file.is_empty()).map(|file| (file, host.clone())));
        true
    }

    /// The host of a downloaded file that a command runs.
    fn find_run_file(&self, words: &[Word]) -> Option<String> {
        let inner = strip_wrappers(words);
        let (program, rest) = inner.split_first()?;
        let name = base_name(&program.text);
        let runs = SHELLS.contains(&name) || is_interpreter(name) || is_sourcing(inner);
        let script = rest.iter().find(|word| !word.text.starts_with('-')).filter(|_| runs);
        let is_same = |one: &str, other: &str| {
            let plain = |text: &str| text.trim_start_matches("./").to_owned();
            plain(one) == plain(other)
        };
        let runs_file = |file: &str| {
            let by_path = program.text.contains('/') && is_same(&program.text, file);
            by_path || script.is_some_and(|script| is_same(&script.text, file))
        };
        self.files.iter().find(|(file, _)| runs_file(file)).map(|(_, host)| host.clone())
    }
}

/// The words behind `sudo`, `env` and other wrappers.
fn strip_wrappers(words: &[Word]) -> &[Word] {
    let is_wrapper = |word: &Word| find_wrapper(base_name(&word.text)).is_some();
    let mut rest = words;
    while rest.first().is_some_and(is_wrapper) {
        let next = rest
            .iter()
            .skip(1)
            .position(|word| !word.text.starts_with('-') && !word.text.contains('='));
        let Some(next) = next else { return rest };
        rest = rest.get(next + 1..).unwrap_or_default();
    }
    rest
}

/// The command of one of these programs, from its name on.
fn find_words_of<'w>(words: &'w [Word], programs: &[&str]) -> Option<&'w [Word]> {
    let inner = strip_wrappers(words);
    let is_listed = |words: &[Word]| {
        let name = words.first().map(|word| base_name(&word.text).to_ascii_lowercase());
        name.is_some_and(|name| programs.contains(&name.as_str()))
    };
    is_listed(inner).then_some(inner)
}

/// Whether a command runs what it reads from its input.
fn runs_input(words: &[Word]) -> bool {
    let is_wrapper = |word: &Word| find_wrapper(base_name(&word.text)).is_some();
    // Which words a wrapper takes for itself is not told apart: each may be the program.
    let last = if words.first().is_some_and(is_wrapper) { words.len().min(8) } else { 1 };
    (0..last).filter_map(|at| words.get(at..)).any(reads_program)
}

/// Whether it is a shell or an interpreter that reads its program from its input.
fn reads_program(words: &[Word]) -> bool {
    let Some(arguments) = Arguments::new(words) else { return false };
    let texts: Vec<&str> = arguments.texts().collect();
    let reads_file = |text: &&&str| !text.starts_with('-') && !["/dev/stdin", "-"].contains(*text);
    match arguments.program.as_str() {
        "source" | "." => texts.first().is_some_and(|text| *text == "/dev/stdin"),
        "iex" | "invoke-expression" => true,
        name if SHELLS.contains(&name) => {
            let reads_input = arguments.has_letter(&['s']);
            let has_script =
                arguments.has_letter(&['c']) || texts.iter().any(|text| reads_file(&text));
            reads_input || !has_script
        }
        name if is_interpreter(name) => {
            let has_code = texts.iter().any(|text| {
                text.starts_with('-')
                    && *text != "-"
                    && text.contains(['c', 'e', 'm', 'n', 'p', 'r'])
            });
            !has_code && !texts.iter().any(|text| reads_file(&text))
        }
        _ => false,
    }
}

/// Whether a command runs its words as code: `sh -c`, `eval`, `python -c`.
fn runs_words(words: &[Word]) -> bool {
    let inner = strip_wrappers(words);
    let Some(arguments) = Arguments::new(inner) else { return false };
    let name = arguments.program.as_str();
    let is_dynamic = |word: &Word| word.text.contains(crate::loose::UNKNOWN_VALUE);
    match name {
        "eval" | "source" | "." | "iex" | "invoke-expression" => true,
        _ if SHELLS.contains(&name) => true,
        _ if is_interpreter(name) => inner.iter().any(is_dynamic),
        // `$(curl …)` as a command by itself.
        _ => inner.first().is_some_and(|word| is_dynamic(word) && !is_assignment(&word.text)),
    }
}
