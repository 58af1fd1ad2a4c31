//! The binary: settings, wiring, commands. Nothing is decided here.

mod args;
mod check;
mod clock;
mod commands;
mod demo;
mod doctor;
mod entry_text;
mod exit;
mod failure;
mod files;
mod graph;
mod graph_file;
mod guard;
mod ids;
mod immutable;
mod import;
mod inspect;
mod interrupt;
mod ledger;
mod limits;
mod log;
mod operate;
mod out;
mod page;
mod plain;
mod problems;
mod record;
mod run;
mod serve;
mod settings;
mod shell;
mod suggest;
mod table;
mod test;
mod watch;
mod why;

use args::{Cli, Command};
use clap::Parser;
use exit::Exit;
use failure::Failure;
use page::Page;
use settings::Settings;
use std::process::ExitCode;

/// What one thread makes, another lets go of: the system's own is slow at that.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    guard::guarded(program).into()
}

fn program() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return misread(&error),
    };
    match run(&cli.command) {
        Ok(exit) => exit,
        Err(failure) => {
            out::tell(&failure.page());
            failure.exit()
        }
    }
}

fn run(command: &Command) -> Result<Exit, Failure> {
    // Some commands need none, so that they work where the file is broken.
    let settings = Settings::read();
    match command {
        Command::Demo(args) => demo::demo(args, &settings?),
        Command::Serve(args) => serve::serve(args, &settings?),
        Command::Status(args) => operate::status(args, &settings?),
        Command::Ls(args) => operate::ls(args, &settings?),
        Command::Show(args) => operate::show(args, &settings?),
        Command::Approve(args) => operate::approve(args, &settings?),
        Command::Decline(args) => operate::decline(args, &settings?),
        Command::Grants(args) => operate::grants(args, &settings?),
        Command::Revoke(args) => operate::revoke(args, &settings?),
        Command::Pause(args) => operate::pause(args, &settings?),
        Command::Resume(args) => operate::resume(args, &settings?),
        Command::Watch(args) => watch::watch(args, &settings?),
        Command::Agent(command) => operate::agent(command, &settings?),
        Command::Gate(args) => operate::gate(args, &settings?),
        Command::Doctor(args) => doctor::doctor(args, &settings?),
        Command::Run(args) => run::run(args, &settings?),
        Command::Workflow(command) => operate::workflow(command, &settings?),
        Command::Log(args) => log::log(args, &settings?),
        Command::Why(args) => why::why(args, &settings?),
        Command::Check(args) => check::check(args, &settings?),
        Command::Graph(args::Graph::Check(args)) => graph::check(args, &settings?),
        Command::Graph(args::Graph::Lint(args)) => graph::lint(args, &settings?),
        Command::Graph(args::Graph::Diff(args)) => graph::diff(args, &settings?),
        Command::Graph(args::Graph::Show(args)) => graph::show(args, &settings?),
        Command::Graph(args::Graph::Review(args)) => graph::review(args, &settings?),
        Command::Graph(args::Graph::Lock(args)) => graph::lock(args, &settings?),
        Command::Graph(args::Graph::Unlock(args)) => graph::unlock(args, &settings?),
        Command::Test(args) => test::test(args, &settings?),
        Command::Commands(args::Commands::Explain(args)) => commands::explain(args, &settings?),
        Command::Ledger(command) => ledger::run(command, &settings?),
        Command::Import(command) => import::run(command, &settings?),
        Command::Inspect(args) => inspect::inspect(args, &settings?),
        Command::Settings(args) => settings::settings(args),
        Command::Openapi(args) => shell::openapi(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
    }
}

/// Help and version are results; anything else is about what was typed, which may hold anything.
fn misread(error: &clap::Error) -> Exit {
    if error.exit_code() == 0 {
        return match error.print() {
            Ok(()) => Exit::Allowed,
            Err(_) => Exit::Failure,
        };
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _unheard = error.print();
        return Exit::Usage;
    }
    let mut page = Page::new();
    for line in error.to_string().lines() {
        page.text(line).end();
    }
    out::tell(&page);
    Exit::Usage
}
