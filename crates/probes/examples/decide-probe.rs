//! What callgrind counts: `decide-probe <case> <iterations>`.
//!
//! A case with no iterations costs all but the work itself. No work hashes with SHA-256; digests
//! are made while a case is set up.

use countersign_commands::analyse;
use countersign_core::decide as judge;
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::names::Action;
use countersign_graph::{Format, node, resolve_graph};
use countersign_probes::{COMMAND, LARGE, Path, SMALL, Size, World, WorldResult, arguments};
use std::hint::black_box;
use std::process::ExitCode;

/// Large enough that no single lookup decides the count, small enough for callgrind.
const MIDDLE: Size = Size { domains: 40, actions: 25 };

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [case, iterations] = words.as_slice() else { return usage() };
    let Ok(iterations) = iterations.parse::<usize>() else { return usage() };
    let ended = match case.as_str() {
        "lookup" => lookup(iterations),
        "autonomous" => decisions(SMALL, Some(Path::Autonomous), iterations),
        "granted-by-action" => decisions(SMALL, Some(Path::GrantedByAction), iterations),
        "granted-by-category" => decisions(SMALL, Some(Path::GrantedByCategory), iterations),
        "ask" => decisions(SMALL, Some(Path::Ask), iterations),
        "small-graph" => decisions(SMALL, None, iterations),
        "large-graph" => decisions(LARGE, None, iterations),
        "graph-load" => graph_load(iterations),
        "command" => commands(iterations),
        "canonical" => canonical(iterations),
        _ => return usage(),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("decide-probe: {error}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("usage: decide-probe <case> <iterations>");
    ExitCode::from(2)
}

/// What the others are held against, by hand: the tier by the action's name. It is too short for
/// a gate, because the seed of one process moves it by more than the margin.
fn lookup(iterations: usize) -> WorldResult<()> {
    let world = World::new(SMALL)?;
    let tiers = world.tiers();
    let calls = world.mixed()?;
    let names: Vec<&str> = calls.iter().flat_map(|c| &c.actions).map(Action::as_str).collect();
    for name in names.into_iter().cycle().take(iterations) {
        black_box(tiers.get(black_box(name)));
    }
    Ok(())
}

/// Decisions of one path, or of every path in turn.
fn decisions(size: Size, path: Option<Path>, iterations: usize) -> WorldResult<()> {
    let world = World::new(size)?;
    let facts = world.facts();
    let calls = path.map_or_else(|| world.mixed(), |path| world.calls(path))?;
    for call in calls.iter().cycle().take(iterations) {
        black_box(judge(black_box(&facts), black_box(call)));
    }
    Ok(())
}

fn graph_load(iterations: usize) -> WorldResult<()> {
    let text = MIDDLE.json();
    let hash = Digest::zero();
    for _ in 0..iterations {
        let read = node::parse(black_box(text.as_bytes()), Format::Json);
        let loaded = read.and_then(|node| resolve_graph(&node, hash));
        black_box(loaded).map_err(|problems| format!("{problems:?}"))?;
    }
    Ok(())
}

fn commands(iterations: usize) -> WorldResult<()> {
    for _ in 0..iterations {
        black_box(analyse(black_box(COMMAND), None));
    }
    Ok(())
}

fn canonical(iterations: usize) -> WorldResult<()> {
    let arguments = arguments(1);
    for _ in 0..iterations {
        json::canonical(black_box(&arguments))?;
    }
    Ok(())
}
