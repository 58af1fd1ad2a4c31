//! What each preset would have asked about the calls of the last weeks. The transcripts are read only
//! after a yes, stay on this machine, and nothing of them is kept.

use super::graph::GraphPlan;
use crate::context::SetupContext;
use crate::graph_file::GraphFile;
use crate::installed::FoundProgram;
use crate::limits;
use crate::starter::CodingPreset;
use crate::trusted_layers::trust_in;
use countersign_console::{Failure, Page, out};
use countersign_core::model::time::{Span, Time};
use countersign_graph::{Format, LoadedGraph, load_graph};
use countersign_harness::{Program, TranscriptCall, TranscriptReader};
use countersign_simulate::{OperatorModel, Report, SimulatedCall, Simulation, SimulationSetup};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Prints one line for each preset, or for the graph that stays.
pub(super) fn show_figures(
    found: &[FoundProgram],
    graph: &GraphPlan,
    context: &SetupContext,
) -> Result<(), Failure> {
    let calls = read_calls(found, context.now());
    if calls.is_empty() {
        let days = limits::TRANSCRIPT_DAYS;
        let line = format!("there is no call in the transcripts of the last {days} days");
        return out::show(&Page::from_line(&line));
    }
    let today = context.now().date();
    let mut page = Page::new();
    for (name, loaded) in graphs_to_try(graph, today)? {
        let report = simulate(loaded, &calls, context)?;
        page.text(&describe(&name, &report)).end();
    }
    page.text("  (if you answer up to moderate risk for the session, and above it each time)")
        .end();
    out::show(&page)
}

fn graphs_to_try(
    graph: &GraphPlan,
    today: countersign_core::model::time::Date,
) -> Result<Vec<(String, LoadedGraph)>, Failure> {
    match graph {
        GraphPlan::Keep { path, .. } => {
            let mut loaded = GraphFile::open(path)?.loaded;
            loaded.graph = loaded.graph.reviewed_on(today);
            Ok(vec![("your graph".to_owned(), loaded)])
        }
        GraphPlan::Create { .. } => CodingPreset::ALL
            .iter()
            .map(|preset| {
                let text = preset.graph_text(today)?;
                let loaded = load_graph("countersign.yaml", text.as_bytes(), Format::Yaml)?;
                Ok((format!("*{}*", preset.word()), loaded))
            })
            .collect(),
    }
}

fn describe(name: &str, report: &Report) -> String {
    let (prompts, calls) = (group_digits(report.prompts), group_digits(report.calls));
    let times = if report.prompts == 1 { "time" } else { "times" };
    let mut line = format!("{name} would have asked {prompts} {times} in {calls} calls");
    if report.denials > 0 {
        line.push_str(&format!(", and denied {}", group_digits(report.denials)));
    }
    line
}

/// `3412` becomes `3,412`.
fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

fn simulate(
    graph: LoadedGraph,
    calls: &[SimulatedCall],
    context: &SetupContext,
) -> Result<Report, Failure> {
    let mut simulation = Simulation::new(SimulationSetup {
        graph,
        file_system: Box::new(context.file_system.clone()),
        home: context.home.clone(),
        protected_paths: context
            .record
            .data
            .as_deref()
            .and_then(|data| data.to_str().map(str::to_owned))
            .into_iter()
            .collect(),
        layer_trust: trust_in(context.record.data.clone()),
        starts_at: context.now(),
        operator: OperatorModel::Careful,
    })?;
    // A call with a name that Countersign does not accept would be refused by the hook.
    let decided = simulation.decide_all(calls, |_| {})?;
    let decided: Vec<_> = decided.into_iter().filter_map(Result::ok).collect();
    Ok(Report::new(&decided))
}

/// The calls of all programs, each program's in the order of its files.
fn read_calls(found: &[FoundProgram], now: Time) -> Vec<SimulatedCall> {
    let mut budget = limits::MAX_TRANSCRIPT_BYTES;
    let since = now - Span::days(limits::TRANSCRIPT_DAYS.into());
    let mut calls = Vec::new();
    for one in found {
        for path in find_transcripts(one, since) {
            let read = read_transcript(one.program, &path, &mut budget);
            let recent = read.into_iter().filter(|call| is_recent(call, since));
            calls.extend(recent.map(|call| to_simulated(one.program, call)));
            if budget == 0 || calls.len() >= limits::MAX_TRANSCRIPT_CALLS {
                break;
            }
        }
    }
    calls.truncate(limits::MAX_TRANSCRIPT_CALLS);
    calls
}

fn is_recent(call: &TranscriptCall, since: Time) -> bool {
    // To the second: the programs write fractions of different lengths.
    let seconds = |at: &String| at.chars().take(19).collect::<String>();
    let at = call.at.as_ref().and_then(|at| Time::parse(&format!("{}Z", seconds(at))));
    at.is_none_or(|at| at >= since)
}

fn to_simulated(program: Program, call: TranscriptCall) -> SimulatedCall {
    let TranscriptCall { session, tool, args, cwd, at: _ } = call;
    SimulatedCall {
        session,
        tool: tool.into(),
        args,
        cwd,
        project: None,
        agent: program.word().to_owned(),
    }
}

/// Files that were written in the last weeks, the newest first.
fn find_transcripts(found: &FoundProgram, since: Time) -> Vec<PathBuf> {
    let (folder, depth) = match found.program {
        Program::ClaudeCode => (found.folder.join("projects"), 1),
        Program::Codex => (found.folder.join("sessions"), 3),
    };
    let since = u64::try_from(since.micros()).unwrap_or(0);
    let since = SystemTime::UNIX_EPOCH + Duration::from_micros(since);
    let mut files = Vec::new();
    collect_files(&folder, depth, &mut files);
    files.retain(|(written, _)| *written >= since);
    files.sort_by(|one, other| other.cmp(one));
    files.truncate(limits::MAX_TRANSCRIPTS);
    files.into_iter().map(|(_, path)| path).collect()
}

/// The `.jsonl` files so many folders below this one.
fn collect_files(folder: &Path, depth: u32, files: &mut Vec<(SystemTime, PathBuf)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok).take(limits::MAX_TRANSCRIPTS) {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else { continue };
        if depth > 0 && metadata.is_dir() {
            collect_files(&path, depth - 1, files);
        } else if depth == 0
            && metadata.is_file()
            && path.extension().is_some_and(|ending| ending == "jsonl")
            && let Ok(written) = metadata.modified()
        {
            files.push((written, path));
        }
    }
}

/// Reads until the budget is used up. A line that is too long is skipped, and ends the file.
fn read_transcript(program: Program, path: &Path, budget: &mut u64) -> Vec<TranscriptCall> {
    let Ok(file) = File::open(path) else { return Vec::new() };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut reader = TranscriptReader::new(program, &name);
    let mut input = BufReader::new(file);
    let mut calls = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let limit = limits::MAX_TRANSCRIPT_LINE.min(*budget);
        let count = input.by_ref().take(limit).read_until(b'\n', &mut line).unwrap_or(0);
        if count == 0 {
            return calls;
        }
        *budget -= count as u64;
        calls.extend(reader.read_line(&String::from_utf8_lossy(&line)));
    }
}
