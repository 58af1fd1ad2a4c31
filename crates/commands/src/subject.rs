//! Who may be the subject of an allow rule, and when not even an exact rule means anything.
//!
//! A shell, an interpreter or a wrapper runs whatever it is given; a builtin changes the shell for
//! the commands after it; a program in the workspace is whatever the agent wrote there.

use crate::places::{Places, Started, Trail, is_below};
use crate::rule::{Body, Rule, Token};
use crate::{git, wrappers};

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

/// Names without a version: `python3.12` is `python`.
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

/// Builtins that change what later commands mean, or evaluate their words once more.
const STATE: &[&str] = &[
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
    "test",
    "[",
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

/// Folders that anybody may write to, or that stand for something else.
const LOOSE_FOLDERS: &[&str] = &["/tmp", "/var/tmp", "/dev", "/proc"];

/// Why this allow rule covers nothing, if so.
pub(crate) fn unfit(rule: &Rule, places: &Places) -> Option<&'static str> {
    let Body::Command { tokens, .. } = &rule.body else { return None };
    let (Some(Token::Word(program)), rest) = (tokens.first(), tokens.get(1..).unwrap_or_default())
    else {
        return Some("it leaves the program open");
    };
    if program.contains('/') && !is_out_of_reach(program, places) {
        return Some("the program lies where the agent can replace it");
    }
    let name = wrappers::base_name(program).to_ascii_lowercase();
    if STATE.contains(&name.as_str()) {
        return Some("a builtin of the shell changes what later commands mean");
    }
    if wrappers::is_wrapper(&name) {
        return Some("it runs whatever command it is given");
    }
    match rest.first() {
        Some(Token::Word(word)) if name == "git" && !git::is_own(word) => {
            return Some("a repository can define what this subcommand runs");
        }
        _ => {}
    }
    if runs_scripts(&name) { script(rest, places) } else { None }
}

/// An interpreter is fit only with a script that the rule names and the agent cannot replace, or
/// with a module.
fn script(rest: &[Token], places: &Places) -> Option<&'static str> {
    match rest {
        [Token::Word(option), Token::Word(module), ..]
            if option == "-m" && !module.starts_with('-') =>
        {
            None
        }
        [Token::Word(script), ..] if script.starts_with('/') && is_out_of_reach(script, places) => {
            None
        }
        [Token::Word(script), ..] if !script.starts_with('-') => {
            Some("the script's content can be replaced by the agent")
        }
        _ => Some("an interpreter runs whatever it is given; the rule has to name its script"),
    }
}

fn is_out_of_reach(path: &str, places: &Places) -> bool {
    let (real, trail) = places.resolve(path);
    path.starts_with('/')
        && trail == Trail::Known
        && !places.is_inside(&real)
        && !is_loose(&real)
        && !matches!(places.disk.program(path), Started::Replaceable { .. })
}

fn is_loose(path: &str) -> bool {
    LOOSE_FOLDERS.iter().any(|folder| is_below(path, folder))
}

/// Programs that are many, and which one is said by the name they are called by.
const MANY_IN_ONE: &[&str] = &["busybox", "toybox", "coreutils"];

/// Why what this name starts must not run without a question, whatever the rule says.
pub(crate) fn unkept(name: &str, started: &Started, places: &Places) -> Option<String> {
    let path = match started {
        Started::Unknown => return None,
        Started::Nothing { why } => return Some(why.clone()),
        Started::Replaceable { path, within } => {
            return Some(format!("`{name}` is `{path}`, and the agent can write `{within}`"));
        }
        Started::Kept { path } => path,
    };
    if places.is_inside(path) || is_loose(path) {
        return Some(format!("`{name}` is `{path}`, where the agent can replace it"));
    }
    let (called, found) = (wrappers::base_name(name), wrappers::base_name(path));
    let disguised = runs_others(found) && !runs_others(called) && !MANY_IN_ONE.contains(&found);
    disguised.then(|| format!("`{name}` is `{path}`, which runs whatever it is given"))
}

fn runs_others(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    wrappers::is_wrapper(&name) || runs_scripts(&name)
}

fn runs_scripts(name: &str) -> bool {
    SHELLS.contains(&name) || INTERPRETERS.contains(&without_version(name))
}

fn without_version(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
