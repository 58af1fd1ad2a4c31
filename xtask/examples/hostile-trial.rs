//! The trials of `cargo xtask hostile`: daemons as processes of their own, treated as badly as an
//! agent, a disk or a database can treat them.
//!
//! What must hold is a row of the table. A row that cannot be tried has failed.

mod hostile;

use hostile::{
    Site, TrialResult, files, floods, hammer, hang, hooks, kills, operator, races, wire,
};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xtask::bench::runs::Context;
use xtask::clock::{Stopwatch, seconds};
use xtask::failure::Failure;
use xtask::hostile::{
    Database, Finding, Options, Row, TableRow, Verdict, judge_rows, render_table,
};
use xtask::options::{parse_options, value_name};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match parse_options(&words).and_then(|options| try_rows(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("hostile: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn try_rows(options: &Options) -> TrialResult<()> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => built_program()?,
    };
    let whole = Stopwatch::start();
    let server = hostile::Server::start(options)?;
    let mut lines = Vec::new();
    for database in [Database::Sqlite, Database::Postgres] {
        let rows = options.rows().iter().filter(|row| row.databases().contains(&database));
        for row in rows.copied() {
            let watch = Stopwatch::start();
            let site = Site::new(&program, server.as_ref(), database, options.extent());
            let finding = site.and_then(|site| try_row(row, &site)).unwrap_or_else(|failure| {
                let tried = "it could not be tried to its end".to_owned();
                Finding { tried, found: failure.message, verdict: Verdict::Failed }
            });
            println!("{} on {database}: {}", value_name(&row), finding.found);
            lines.push(TableRow { row, database, finding, took: watch.elapsed() });
        }
    }
    println!("\n{}\n{} in all", render_table(&lines), seconds(whole.elapsed()));
    judge_rows(&lines)
}

fn try_row(row: Row, site: &Site<'_>) -> TrialResult<Finding> {
    match row {
        Row::Planted => races::find_planted_bug(site),
        Row::SingleDestination => races::single_destination(site),
        Row::OneRequest => races::one_request(site),
        Row::TwoRevocations => races::two_revocations(site),
        Row::PauseRace => hammer::pause(site),
        Row::RevokedAtOnce => hammer::revoke(site),
        Row::Kills => kills::run(site),
        Row::Operator => operator::run(site),
        Row::HangingDatabase => hang::run(site),
        Row::ManyQuestions => floods::ask_many_questions(site),
        Row::IdleConnections => floods::open_idle_connections(site),
        Row::LargeQuestions => floods::ask_large_questions(site),
        Row::OwnFiles => files::read_own_files(site),
        Row::ChangedRules => files::change_rules(site),
        Row::DeletedLog => files::delete_log(site),
        Row::ForgedMessages => hooks::forge_messages(site),
        Row::MisledHooks => hooks::mislead_hooks(site),
        Row::InitOnPipes => hooks::init_on_pipes(site),
        Row::HiddenSyntax => wire::hide_syntax(site),
        Row::HostileServers => wire::run_hostile_servers(site),
        Row::RefusedBodies => wire::refuse_large_bodies(site),
    }
}

/// What cargo made beside this program's own folder.
fn built_program() -> TrialResult<PathBuf> {
    let this = std::env::current_exe().context("this program")?;
    let beside = this.parent().and_then(Path::parent).map(|target| target.join("countersign"));
    beside.filter(|program| program.is_file()).ok_or_else(|| {
        Failure::new("there is no program to try; run this as `cargo xtask hostile`")
    })
}
