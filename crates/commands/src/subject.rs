//! Decides which programs an allow rule may name.
//!
//! A shell, an interpreter or a wrapper runs any code it is given. A shell builtin changes the
//! commands after it. A program in the workspace may have been written by the agent.

use crate::context::{CommandContext, PathCertainty, ProgramFile, is_below};
use crate::git_words::is_option_or_builtin;
use crate::rule::{CommandRule, RuleBody, RuleToken};
use crate::{option_tables, wrappers};

pub(crate) const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ksh93",
    "mksh",
    "ash",
    "fish",
    "csh",
    "tcsh",
    "rbash",
    "yash",
    "rc",
    "es",
    "nu",
    "elvish",
    "xonsh",
    "pwsh",
    "powershell",
    "powershell.exe",
    "pwsh.exe",
    "cmd",
    "cmd.exe",
];

/// Names without a version: `python` includes `python3.12`.
const INTERPRETERS: &[&str] = &[
    "python",
    "pypy",
    "node",
    "nodejs",
    "deno",
    "bun",
    "ruby",
    "jruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "tclsh",
    "wish",
    "expect",
    "guile",
    "racket",
    "julia",
    "rscript",
    "r",
    "ghci",
    "runghc",
    "scala",
    "groovy",
    "irb",
    "ipython",
    "osascript",
    "gdb",
    "lldb",
    "emacs",
    "vim",
    "vi",
    "nvim",
    "ex",
    "ed",
    "ocaml",
    "erl",
    "elixir",
    "java",
    "dotnet",
    "ts-node",
    "tsx",
    "iex",
];

/// Builtins that change the meaning of later commands or evaluate their arguments again.
const STATE_BUILTINS: &[&str] = &[
    "cd",
    "chdir",
    "pushd",
    "popd",
    "export",
    "set",
    "unset",
    "declare",
    "typeset",
    "local",
    "readonly",
    "alias",
    "unalias",
    "source",
    ".",
    "eval",
    "exec",
    "trap",
    "let",
    "mapfile",
    "readarray",
    "read",
    "compgen",
    "complete",
    "compopt",
    "bind",
    "enable",
    "shopt",
    "hash",
    "umask",
    "ulimit",
    "fc",
    "history",
    "getopts",
    "builtin",
    "command",
    "[[",
    "((",
    "disown",
    "fg",
    "bg",
    "suspend",
    "logout",
    "exit",
    "return",
    "setopt",
    "unsetopt",
    "zmodload",
    "autoload",
    "emulate",
    "cd..",
];

/// Builtins that can also look up programs without running one: `command -v`, `hash NAME`.
const LOOKING_BUILTINS: &[&str] = &["command", "hash"];

/// Builtins of every shell that are no programs. Nothing on the search path takes their place.
const BUILTINS_ONLY: &[&str] = &["command", "hash", "type"];

/// Whether a name never starts a file.
pub(crate) fn is_builtin_only(name: &str) -> bool {
    BUILTINS_ONLY.contains(&name)
}

/// Folders that anybody may write to, or whose files are not regular files.
const SHARED_FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/dev", "/proc"];

/// Why this allow rule covers nothing, or `None` if it is usable.
pub(crate) fn explain_unusable_rule(
    rule: &CommandRule,
    context: &CommandContext,
) -> Option<&'static str> {
    let RuleBody::Command { tokens, .. } = &rule.body else { return None };
    let (Some(RuleToken::Word(program)), rest) =
        (tokens.first(), tokens.get(1..).unwrap_or_default())
    else {
        return Some("it does not name a program");
    };
    if program.contains('/') && !is_irreplaceable(program, context) {
        return Some("the program lies where the agent can replace it");
    }
    let name = wrappers::base_name(program).to_ascii_lowercase();
    // `tmux` starts commands in other terminals, and shows what is there.
    let only_looks = (LOOKING_BUILTINS.contains(&name.as_str()) && has_covered_words(rule))
        || (name == "tmux" && is_covered_subcommand(rule));
    if STATE_BUILTINS.contains(&name.as_str()) && !only_looks {
        return Some("a builtin of the shell changes what later commands mean");
    }
    if wrappers::is_wrapper(&name) && !only_looks {
        return Some("it runs whatever command it is given");
    }
    match rest.first() {
        Some(RuleToken::Word(word)) if name == "git" && !is_option_or_builtin(word) => {
            return Some("a repository can define what this subcommand runs");
        }
        _ => {}
    }
    if is_interpreter(&name) && !is_covered_subcommand(rule) {
        return explain_unusable_script(rest, context);
    }
    None
}

/// Whether an option table knows the subcommand of an interpreter that a rule names (`deno test`),
/// and all its further words.
fn is_covered_subcommand(rule: &CommandRule) -> bool {
    let table = rule.literal_words().as_deref().and_then(option_tables::find_table);
    table.is_some_and(|table| table.name.contains(' ')) && has_covered_words(rule)
}

/// Whether an option table knows all words of a rule.
fn has_covered_words(rule: &CommandRule) -> bool {
    let Some(words) = rule.literal_words() else { return false };
    let Some(table) = option_tables::find_table(&words) else { return false };
    let rest = words.get(table.name.split(' ').count()..).unwrap_or_default();
    option_tables::explain_uncovered_words(table, rest).is_none()
}

/// A rule for an interpreter must name a module, or a script that the agent cannot replace.
fn explain_unusable_script(rest: &[RuleToken], context: &CommandContext) -> Option<&'static str> {
    match rest {
        [RuleToken::Word(option), RuleToken::Word(module), ..]
            if option == "-m" && !module.starts_with('-') =>
        {
            None
        }
        [RuleToken::Word(script), ..]
            if script.starts_with('/') && is_irreplaceable(script, context) =>
        {
            None
        }
        [RuleToken::Word(script), ..] if !script.starts_with('-') => {
            Some("the script's content can be replaced by the agent")
        }
        _ => Some("an interpreter runs whatever it is given; the rule has to name its script"),
    }
}

fn is_irreplaceable(path: &str, context: &CommandContext) -> bool {
    let (places, certainty) = context.resolve(path);
    path.starts_with('/')
        && certainty == PathCertainty::Known
        && !places.iter().any(|place| is_replaced_easily(place, context))
        && matches!(
            context.disk.find_program(path, context.cwd),
            ProgramFile::Protected { .. } | ProgramFile::Unknown
        )
}

/// Whether a path lies where agents write all the time.
fn is_replaced_easily(path: &str, context: &CommandContext) -> bool {
    context.is_inside(path) || is_in_shared_folder(path)
}

fn is_in_shared_folder(path: &str) -> bool {
    SHARED_FOLDERS.iter().any(|folder| is_below(path, folder))
}

/// One binary with many programs, selected by the name it is called by.
const MULTI_CALL_BINARIES: &[&str] = &["busybox", "toybox", "coreutils"];

/// Why the program that this name starts must not run without approval, whatever the rule says.
pub(crate) fn explain_untrusted_program(
    name: &str,
    program_file: &ProgramFile,
    context: &CommandContext,
) -> Option<String> {
    let path = match program_file {
        // What is absent can be pinned as absent, which the decision checks.
        ProgramFile::Unknown | ProgramFile::Absent { .. } => return None,
        ProgramFile::NotFound { why } => return Some(why.clone()),
        ProgramFile::Replaceable { path, writable, files, .. } => {
            // What can be pinned counts if the operator has pinned it, which the decision checks.
            if let Some(why) = files.iter().find_map(|file| file.hash.as_ref().err()) {
                let why = format!("the agent can write `{writable}`; {why}");
                return Some(format!("`{name}` is `{path}`, and {why}"));
            }
            path
        }
        ProgramFile::Protected { path } if is_replaced_easily(path, context) => {
            return Some(format!("`{name}` is `{path}`, where the agent can replace it"));
        }
        ProgramFile::Protected { path } => path,
    };
    let (called_name, file_name) = (wrappers::base_name(name), wrappers::base_name(path));
    let is_disguised = can_run_other_programs(file_name)
        && !can_run_other_programs(called_name)
        && !MULTI_CALL_BINARIES.contains(&file_name);
    is_disguised.then(|| format!("`{name}` is `{path}`, which runs whatever it is given"))
}

/// Whether a program executes what its words name: an interpreter, a shell or a wrapper. It may be
/// given with its folder.
pub fn can_run_other_programs(name: &str) -> bool {
    let name = wrappers::base_name(name).to_ascii_lowercase();
    wrappers::is_wrapper(&name) || is_interpreter(&name)
}

pub(crate) fn is_interpreter(name: &str) -> bool {
    SHELLS.contains(&name) || INTERPRETERS.contains(&strip_version(name))
}

pub(crate) fn strip_version(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
