//! The commands of `cargo xtask`: one list for the help and for the choice.

use crate::failure::{CiResult, Failure};
use crate::options::parse_options;
use crate::steps::{self, STEPS};
use crate::{
    attention, bench, browser, callgrind, ci, clients, compare, dist, fuzz, fuzz_terminal,
    generated, hostile, mcp, mutants, pictures, scenarios, sdk,
};
use clap::Parser;
use std::path::Path;

/// The words that choose the command, what it does, and how it takes the words behind them.
type XtaskCommand = (&'static str, &'static str, fn(&Path, &[&str]) -> CiResult);

const COMMANDS: &[XtaskCommand] = &[
    ("generate", "write the generated files anew", |root, words| {
        parse_options::<NoOptions>(words).and_then(|NoOptions {}| generated::write(root))
    }),
    (
        "bench all",
        "run every benchmark once, to see that it comes to its end: --quick",
        bench::all::run_with_options,
    ),
    (
        "bench decide",
        "measure decisions beside a bare lookup and Cedar: [--quick]",
        bench::decide::step,
    ),
    (
        "bench rules",
        "measure command rules beside a plain lexer, and how they grow: [--quick]",
        bench::rules::step,
    ),
    (
        "bench store",
        "measure durable decisions beside bare writes: [--quick] [--only FIGURE]",
        bench::store::step,
    ),
    (
        "bench server",
        "measure the daemon beside bare sockets and writes: [--quick] [--only FIGURE]",
        bench::server::step,
    ),
    (
        "bench gateway",
        "measure tool calls beside a byte pump and other proxies: [--quick] [--only FIGURE]",
        bench::gateway::step,
    ),
    (
        "bench hook",
        "measure the coding agents' hook beside an empty program and a script: [--quick]",
        bench::hook::step,
    ),
    (
        "attention",
        "count the prompts on calls of real sessions: CALLS.jsonl [--program PATH]",
        attention::run_with_options,
    ),
    (
        "browser",
        "the dashboard in Chromium: [--short] [--screenshots] [--only WORDS] [--program PATH]",
        browser::run_with_options,
    ),
    (
        "clients",
        "drive Claude Code and Codex: [--only PROGRAM|WORDS] [--keep-going] [--program PATH]",
        clients::run_with_options,
    ),
    ("compare", "decide random calls twice: [--cases N] [--seed S]", compare::run_with_options),
    ("dist", "pack the archive and the Debian package: [--program PATH]", dist::run_with_options),
    (
        "frameworks",
        "try the adapters with the agent frameworks: [--program PATH]",
        sdk::try_frameworks,
    ),
    (
        "fuzz",
        "mutate what comes from outside: [TARGET] [--seconds N] [--input FILE]",
        fuzz::run_with_options,
    ),
    (
        "fuzz-terminal",
        "type and paste while cards open: [--trials N] [--seed S]",
        fuzz_terminal::run_with_options,
    ),
    (
        "hostile",
        "race, kill, flood and starve the daemon: [--short] [--only ROW] [--program PATH]",
        hostile::run_with_options,
    ),
    (
        "mcp",
        "try the gateway with programs of others: [--only PART] [--keep-going] [--program PATH]",
        mcp::run_with_options,
    ),
    (
        "mutants",
        "change what decides and see whether a test notices: [--shard K/N]",
        mutants::run_with_options,
    ),
    (
        "recording",
        "record Claude Code's screen for the picture in the README: [--program PATH]",
        clients::record_push,
    ),
    (
        "screenshots",
        "make pictures of the inbox: [--into FOLDER] [--program PATH]",
        pictures::take_screenshots,
    ),
    ("callgrind --bless", "record today's instruction counts", |root, words| {
        parse_options::<NoOptions>(words).and_then(|NoOptions {}| callgrind::bless(root))
    }),
];

#[derive(Parser)]
struct NoOptions {}

pub fn run(words: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let root = steps::root();
    match words.as_slice() {
        [] | ["help" | "-h" | "--help"] => {
            println!("{}", help_text());
            Ok(())
        }
        ["ci"] => ci::run(STEPS, &root),
        ["scenarios", options @ ..] => print_done(scenarios::run_with_options(&root, options)?),
        ["sdk", options @ ..] => print_done(sdk::run_with_options(&root, options)?),
        words => print_done(run_command(&root, words)?),
    }
}

fn run_command(root: &Path, words: &[&str]) -> CiResult {
    for (name, _, run) in COMMANDS {
        let name: Vec<&str> = name.split(' ').collect();
        if let Some(options) = words.strip_prefix(name.as_slice()) {
            return run(root, options);
        }
    }
    let step = match words {
        [name] => steps::find(name),
        _ => None,
    };
    (step.ok_or_else(|| unknown_command(words))?.run)(root)
}

fn print_done(done: crate::failure::Done) -> Result<(), Failure> {
    println!("{}", done.message);
    if let Some(tally) = done.tally {
        println!("{tally}");
    }
    Ok(())
}

fn unknown_command(words: &[&str]) -> Failure {
    let typed = words.join(" ");
    Failure::new(format!("no command `{typed}`; `cargo xtask --help` lists them"))
}

fn help_text() -> String {
    let mut text = String::from(
        "usage: cargo xtask <command>\n\n\
         \x20 ci                 every step below, in this order; stops at the first failure\n\n",
    );
    for step in STEPS {
        text.push_str(&format!("  {:<18} {}\n", step.name, step.what));
    }
    text.push('\n');
    for (name, what, _) in COMMANDS {
        text.push_str(&format!("  {name:<18} {what}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_step() {
        let text = help_text();
        for step in STEPS {
            assert!(text.contains(&format!("  {} ", step.name)), "{} is missing", step.name);
        }
    }

    #[test]
    fn an_unknown_command_points_to_the_help() {
        let failure = run(&["clipy".to_owned()]).unwrap_err();
        assert_eq!(failure.message, "no command `clipy`; `cargo xtask --help` lists them");
    }
}
