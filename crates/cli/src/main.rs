//! The binary: settings, wiring, commands. It decides nothing itself.

mod args;
mod assurance;
mod check;
mod clock;
mod commands;
mod demo;
mod doctor;
mod entry_text;
mod exit;
mod failure;
mod files;
mod generate;
mod graph;
mod graph_file;
mod graph_search;
mod guard;
mod hook;
mod ids;
mod immutable;
mod import;
mod inspect;
mod interrupt;
mod ledger;
mod limits;
mod log;
mod mcp;
mod operate;
mod out;
mod page;
mod pager;
mod pending;
mod problems;
mod record;
mod run;
mod sanitize;
mod screen;
mod serve;
mod settings;
mod simulate;
mod starter;
mod suggest;
mod table;
mod test;
mod trusted_graphs;
mod tty;
mod watch;
mod why;

use args::{Cli, CliCommand, CommandsCommand};
use exit::Exit;
use failure::Failure;
use page::Page;
use screen::Screen;
use settings::Settings;
use std::process::ExitCode;

/// The system's allocator is slow when one thread frees what another has allocated.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some(program) = hook::find_program() {
        return hook::answer(program).into();
    }
    guard::catch_panics(run_cli).into()
}

fn run_cli() -> Exit {
    let cli = match args::parse() {
        Ok(cli) => cli,
        Err(error) => return report_parse_error(&error),
    };
    let result = run_command(&cli);
    pager::finish_pager();
    match result {
        Ok(exit) => exit,
        Err(failure) => {
            out::eprint(&failure.page());
            failure.exit()
        }
    }
}

fn run_command(cli: &Cli) -> Result<Exit, Failure> {
    // A broken settings file fails only the commands that use it.
    let settings = Settings::load();
    if let Ok(settings) = &settings {
        let screen = settings.screen();
        screen::set_screen(Screen { is_plain: cli.plain || screen.is_plain, ..screen });
    }
    if cli.command.may_be_long() {
        pager::start_pager();
    }
    match &cli.command {
        CliCommand::Demo(args) => demo::demo(args, &settings?),
        CliCommand::Serve(args) => serve::serve(args, &settings?),
        CliCommand::Status(args) => operate::status(args, &settings?),
        CliCommand::Ls(args) => operate::ls(args, &settings?),
        CliCommand::Show(args) => operate::show(args, &settings?),
        CliCommand::Approve(args) => operate::approve(args, &settings?),
        CliCommand::Decline(args) => operate::decline(args, &settings?),
        CliCommand::Notices(args) => operate::notices(args, &settings?),
        CliCommand::Grants(args) => operate::grants(args, &settings?),
        CliCommand::Revoke(args) => operate::revoke(args, &settings?),
        CliCommand::Pause(args) => operate::pause(args, &settings?),
        CliCommand::Resume(args) => operate::resume(args, &settings?),
        CliCommand::Watch(args) => watch::watch(args, &settings?),
        CliCommand::Proposals(args) => operate::proposals(args, &settings?),
        CliCommand::Say(args) => operate::say(args, &settings?),
        CliCommand::Agent(command) => operate::agent(command, &settings?),
        CliCommand::Mcp(command) => mcp::run(command, &settings?),
        CliCommand::Hook(args) => Ok(hook::answer(args.program)),
        CliCommand::Gate(args) => operate::gate(args, &settings?),
        CliCommand::Ask(args) => operate::ask(args, &settings?),
        CliCommand::Consent(args) => operate::consent(args, &settings?),
        CliCommand::Gesture(command) => operate::gesture(command, &settings?),
        CliCommand::Doctor(args) => doctor::doctor(args, &settings?),
        CliCommand::Run(args) => run::run(args, &settings?),
        CliCommand::Session(command) => operate::session(command, &settings?),
        CliCommand::Workflow(command) => operate::workflow(command, &settings?),
        CliCommand::Log(args) => log::log(args, &settings?),
        CliCommand::Why(args) => why::why(args, &settings?),
        CliCommand::Check(args) => check::check(args, &settings?),
        CliCommand::Graph(command) => graph::run(command, &settings?),
        CliCommand::Simulate(args) => simulate::simulate(args, &settings?),
        CliCommand::Test(args) => test::test(args, &settings?),
        CliCommand::Commands(CommandsCommand::Explain(args)) => commands::explain(args, &settings?),
        CliCommand::Ledger(command) => ledger::run(command, &settings?),
        CliCommand::Import(command) => import::run(command, &settings?),
        CliCommand::Inspect(args) => inspect::inspect(args, &settings?),
        CliCommand::Settings(args) => settings::settings(args),
        CliCommand::Openapi(args) => generate::openapi(args),
        CliCommand::Completions(args) => generate::completions(args),
        CliCommand::Man(args) => generate::man(args),
    }
}

/// Prints help and version as they are. Everything else repeats what was typed, so it is sanitized.
fn report_parse_error(error: &clap::Error) -> Exit {
    if error.exit_code() == 0 {
        return match error.print() {
            Ok(()) => Exit::Allowed,
            Err(_) => Exit::Failure,
        };
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ignored = error.print();
        return Exit::Usage;
    }
    let mut page = Page::new();
    for line in error.to_string().lines() {
        page.text(line).end();
    }
    out::eprint(&page);
    Exit::Usage
}
