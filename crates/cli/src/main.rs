//! The binary: settings, wiring, commands. It decides nothing itself.

mod agent_commands;
mod clock;
mod command_line;
mod daemon_control;
mod daemon_option;
mod daemon_start;
mod demo;
mod exit;
mod generate;
mod guard;
mod hook;
mod import;
mod limits;
mod mcp;
mod open;
mod operate;
mod pending;
mod project;
mod run;
mod serve;
mod settings;
mod support;
mod test;
mod watch;

use command_line::{Cli, CliCommand};
use countersign_console::screen::{self, Screen};
use countersign_console::{Exit, Failure, Page, out, pager};
use countersign_report::{InspectArgs, NamedGraph};
use countersign_rules::CommandsCommand;
use countersign_setup::{DoctorArgs, GraphSearch, UninstallArgs};
use settings::Settings;
use std::process::ExitCode;

/// The system's allocator is slow when one thread frees what another has allocated.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if let Some((program, options)) = hook::find_program() {
        return hook::answer(program, &options).into();
    }
    guard::catch_panics(run_cli).into()
}

fn run_cli() -> Exit {
    let cli = match command_line::parse() {
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

fn uninstall(args: &UninstallArgs, settings: &Settings) -> Result<Exit, Failure> {
    let exit = countersign_setup::uninstall(args, &settings.setup_context())?;
    if exit == Exit::Allowed {
        daemon_control::offer_to_stop(settings)?;
    }
    Ok(exit)
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
        CliCommand::Init(args) => countersign_setup::init(args, &settings?.setup_context()),
        CliCommand::Uninstall(args) => uninstall(args, &settings?),
        CliCommand::Serve(args) => serve::serve(args, &settings?),
        CliCommand::Stop(args) => daemon_control::stop(args, &settings?),
        CliCommand::Restart(args) => daemon_control::restart(args, &settings?),
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
        CliCommand::Open(args) => open::open(args, &settings?),
        CliCommand::Say(args) => operate::say(args, &settings?),
        CliCommand::Agent(command) => operate::agent(command, &settings?),
        CliCommand::Mcp(command) => mcp::run(command, &settings?),
        CliCommand::Hook(args) => Ok(hook::answer(args.program, &args.options())),
        CliCommand::Gate(args) => agent_commands::gate(args, &settings?),
        CliCommand::Ask(args) => agent_commands::ask(args, &settings?),
        CliCommand::Consent(args) => agent_commands::consent(args, &settings?),
        CliCommand::Gesture(command) => operate::gesture(command, &settings?),
        CliCommand::Doctor(args) => doctor(args, &settings?),
        CliCommand::Run(args) => run::run(args, &settings?),
        CliCommand::Session(command) => operate::session(command, &settings?),
        CliCommand::Workflow(command) => agent_commands::workflow(command, &settings?),
        CliCommand::Log(args) => countersign_report::log(args, &settings?.report_context()),
        CliCommand::Review(args) => countersign_report::review(args, &settings?.report_context()),
        CliCommand::Why(args) => countersign_report::why(args, &settings?.report_context()),
        CliCommand::Support(command) => support::support(command, &settings?),
        CliCommand::Check(args) => countersign_rules::check(args, &settings?.rules_context()),
        CliCommand::Allow(args) => countersign_rules::allow(args, &settings?.rules_context()),
        CliCommand::Block(args) => countersign_rules::block(args, &settings?.rules_context()),
        CliCommand::Rule(command) => {
            countersign_rules::change_rules(command, &settings?.rules_context())
        }
        CliCommand::Graph(command) => {
            countersign_rules::run_graph_command(command, &settings?.rules_context())
        }
        CliCommand::Simulate(args) => countersign_rules::simulate(args, &settings?.rules_context()),
        CliCommand::Test(args) => test::test(args, &settings?),
        CliCommand::Commands(CommandsCommand::Explain(args)) => {
            countersign_rules::explain(args, &settings?.rules_context())
        }
        CliCommand::Ledger(command) => {
            countersign_report::ledger(command, settings?.report_context())
        }
        CliCommand::Import(command) => import::run(command, &settings?),
        CliCommand::Inspect(args) => inspect(args, &settings?),
        CliCommand::Settings(args) => settings::settings(args),
        CliCommand::Openapi(args) => generate::openapi(args),
        CliCommand::Completions(args) => generate::completions(args, command_line::command()),
        CliCommand::Man(args) => generate::man(args, command_line::command()),
    }
}

fn doctor(args: &DoctorArgs, settings: &Settings) -> Result<Exit, Failure> {
    let folder = args.record.folder(&settings.record())?;
    let files = settings.sockets(&folder).map(|sockets| settings.daemon_files(&folder, &sockets));
    countersign_setup::doctor(args, &settings.setup_context(), &folder, &files)
}

/// Only `--tools` looks for a graph.
fn inspect(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    let (named, data) = (args.graph.as_deref(), args.record.data.as_deref());
    let search = GraphSearch { named, data, places: settings.graph_places() };
    let file = if args.tools { search.open_if_any()? } else { None };
    let named = file.as_ref().map(|file| {
        file.announce();
        NamedGraph { name: &file.name, graph: &file.loaded.graph }
    });
    countersign_report::inspect(args, &settings.report_context(), named)
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
