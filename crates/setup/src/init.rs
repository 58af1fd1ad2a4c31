//! `countersign init`: puts our hooks into the settings of the coding agents on this machine.
//!
//! It shows everything that it would change before it asks, and changes nothing before a yes.

mod args;
mod graph;
mod next_steps;
mod rules;
mod service;
mod transcripts;

pub use args::InitArgs;

pub(crate) use service::{ServiceRemoval, remove_service};

use crate::context::SetupContext;
use crate::doctor::try_hooks;
use crate::installed::{Backup, FoundProgram, ProgramPlan, choose_programs, program_record};
use crate::limits;
use crate::starter::CodingPreset;
use countersign_console::{BOLD, Exit, Failure, GREEN, Page, YELLOW, is_confirmed, out};
use countersign_harness::{ForeignRules, HookTarget, Program};
use graph::GraphPlan;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

const READ_TRANSCRIPTS: &str = "May I read your transcripts of the last 30 days, to count what each \
                                preset would have asked? Nothing of them is kept or sent.";

pub fn init(args: &InitArgs, context: &SetupContext) -> Result<Exit, Failure> {
    let found = find_programs(args, context)?;
    let (plans, refused) = make_plans(&found, &context.hook_target()?);
    let graph = GraphPlan::new(args.preset, context)?;
    let rules = graph.leave_out_known(rules::read_rules(&found));
    let max_added = if args.full { usize::MAX } else { limits::MAX_SHOWN_ADDITIONS };
    out::show(&draw(&found, &plans, &graph, max_added))?;
    out::show(&rules::draw(&rules, graph.rules_purpose()))?;
    if args.read_transcripts {
        transcripts::show_figures(&found, &graph, context)?;
    }
    if args.dry_run {
        out::show(&Page::from_line("nothing was written, because this is a dry run"))?;
        return Ok(exit(refused));
    }
    let has_changes = graph.is_new() || plans.iter().any(|plan| !plan.changes.is_empty());
    if has_changes && !args.yes && !is_confirmed("Write these changes?")? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Exit::Cancelled);
    }
    if graph.is_new() && args.asks_for_preset() && is_confirmed(READ_TRANSCRIPTS)? {
        transcripts::show_figures(&found, &graph, context)?;
    }
    let imported = wants_rules(args, &rules, &graph)?.then_some(&rules);
    graph.apply(args, imported, context.now().date())?;
    let guarded = apply(&plans, context)?;
    service::offer_service(args, context)?;
    if args.yes {
        out::show(&draw_choices(args, &rules, &graph))?;
    }
    out::show(&next_steps::draw(&guarded, context))?;
    let failed = plans.len() - guarded.len();
    Ok(exit(refused + failed))
}

/// Only a new graph takes them: nobody else edits the operator's own.
fn wants_rules(args: &InitArgs, rules: &ForeignRules, graph: &GraphPlan) -> Result<bool, Failure> {
    if !graph.is_new() || (rules.allow.is_empty() && rules.deny.is_empty()) {
        return Ok(false);
    }
    match args.import_rules || args.yes {
        true => Ok(args.import_rules),
        false => is_confirmed("Import the rules that can be expressed into the new graph?"),
    }
}

const fn exit(failures: usize) -> Exit {
    match failures {
        0 => Exit::Allowed,
        _ => Exit::Failure,
    }
}

fn find_programs(args: &InitArgs, context: &SetupContext) -> Result<Vec<FoundProgram>, Failure> {
    let found = choose_programs(&args.agents, context)?;
    if found.is_empty() {
        let known = Program::ALL.map(|program| program.to_string()).join(" nor ");
        return Err(Failure::new(
            format!("neither {known} was found on this machine"),
            "install one of them first, or name one with `--agents`",
        ));
    }
    Ok(found)
}

/// A program whose files cannot be changed is reported, and the others are still offered.
fn make_plans(found: &[FoundProgram], target: &HookTarget) -> (Vec<ProgramPlan>, usize) {
    let mut plans = Vec::new();
    for one in found {
        match ProgramPlan::new(one, target) {
            Ok(plan) => plans.push(plan),
            Err(failure) => report_unguarded(one.program, &failure),
        }
    }
    let refused = found.len() - plans.len();
    (plans, refused)
}

fn report_unguarded(program: Program, failure: &Failure) {
    let mut page = failure.page();
    page.styled(YELLOW, &format!("{program} is not guarded")).end();
    out::eprint(&page);
}

/// What `--yes` answered.
fn draw_choices(args: &InitArgs, rules: &ForeignRules, graph: &GraphPlan) -> Page {
    let mut chosen = vec!["all programs that were found".to_owned()];
    if graph.is_new() {
        let preset = args.preset.unwrap_or(CodingPreset::Balanced);
        chosen.push(format!("the preset {} (`--preset` chooses another)", preset.word()));
        if !rules.is_empty() && !args.import_rules {
            chosen.push("no rules of the programs (`--import-rules` takes them)".to_owned());
        }
    }
    if !args.service {
        chosen.push("no service (`--service` installs one)".to_owned());
    }
    Page::from_line(&format!("chosen without asking: {}", chosen.join("; ")))
}

/// What a program does with its settings that it ignores comes first: nothing else helps until then.
fn draw(
    found: &[FoundProgram],
    plans: &[ProgramPlan],
    graph: &GraphPlan,
    max_added: usize,
) -> Page {
    let mut page = Page::new();
    for plan in plans {
        if let Some(failure) = &plan.unreadable {
            page.styled(YELLOW, "repair this first: ").text(&failure.line()).end();
        }
    }
    for plan in plans {
        let is_absent = found.iter().any(|one| one.program == plan.program && !one.is_present);
        let what = match (plan.changes.as_slice(), is_absent) {
            _ if plan.unreadable.is_some() => {
                "would not be guarded: it ignores its settings".into()
            }
            ([], _) => describe_installed(found, plan),
            (_, true) => "not found on this machine; its settings would be created".into(),
            (_, false) => "would be guarded by this change".into(),
        };
        page.styled(BOLD, plan.program.title()).text(&format!(": {what}")).end();
        for change in &plan.changes {
            change.draw(&mut page, max_added);
        }
    }
    graph.draw(&mut page);
    page
}

/// Whether hooks that are in the settings already work: they are tried, as `doctor` does.
fn describe_installed(found: &[FoundProgram], plan: &ProgramPlan) -> String {
    let of_program = found.iter().find(|one| one.program == plan.program);
    match of_program.map(try_hooks) {
        Some(Err(why)) => {
            format!("its hooks are there and do not work: {why}; `countersign doctor` says more")
        }
        Some(Ok(())) | None => "guarded already".to_owned(),
    }
}

/// The programs that are guarded now.
fn apply(plans: &[ProgramPlan], context: &SetupContext) -> Result<Vec<Program>, Failure> {
    let data = context.record.data()?;
    let mut guarded = Vec::new();
    for plan in plans {
        let installed = match plan.changes.is_empty() {
            true => Ok(()),
            false => Backup::open(&data, plan.program).and_then(|backup| backup.install(plan)),
        };
        match (installed, &plan.unreadable) {
            (Err(failure), _) => report_unguarded(plan.program, &failure),
            (Ok(()), Some(failure)) => report_unguarded(plan.program, failure),
            (Ok(()), None) => {
                record_program(&data, plan.program, context)?;
                guarded.push(plan.program);
                let mut page = Page::new();
                page.styled(GREEN, &format!("our hooks are in the settings of {}", plan.program))
                    .end();
                out::show(&page)?;
            }
        }
    }
    Ok(guarded)
}

/// Remembers which file the program is: its hook counts only from that one. Where that is not known,
/// the names of processes decide.
fn record_program(data: &Path, program: Program, context: &SetupContext) -> Result<(), Failure> {
    let found = context.find_executable(program.executable());
    let file = found.and_then(|found| fs::canonicalize(found).ok());
    let record = program_record(data, program);
    let written = match file.filter(|file| runs_itself(file, program)) {
        Some(file) => create_private_folder(record.parent().unwrap_or(data))
            .and_then(|()| fs::write(&record, format!("{}\n", file.display()))),
        None => match fs::remove_file(&record) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        },
    };
    written.map_err(|error| Failure::file("write", &record, &error, "check the disk"))
}

/// Whether a process of the program executes this file or a script of its package. A file of another
/// name or a script of a shell starts something that is elsewhere.
fn runs_itself(file: &Path, program: Program) -> bool {
    let mut start = [0; 64];
    let read = File::open(file).and_then(|mut file| file.read(&mut start)).unwrap_or_default();
    let start = String::from_utf8_lossy(start.get(..read).unwrap_or_default()).into_owned();
    let first = start.lines().next().unwrap_or_default();
    let is_foreign_script = first.starts_with("#!") && !first.contains("node");
    let is_named = file.file_name().is_some_and(|name| name == program.executable());
    let is_packaged = ["node_modules", "versions"]
        .iter()
        .any(|folder| file.components().any(|part| part.as_os_str() == *folder));
    (is_named || is_packaged) && !is_foreign_script
}

fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
