//! `attention`: how often Countersign would interrupt a person, on calls of real agent sessions.
//!
//! It takes calls that were extracted from transcripts, lays out workspaces for them below a scratch
//! home folder, and lets `countersign simulate` decide them under the coding graph. The calls stay
//! where they are: nothing of them is kept.

mod machine;
mod mapping;
mod surroundings;
mod table;

use crate::built::build_program;
use crate::failure::{CiResult, Done, Failure};
use crate::options::{ProgramOption, parse_options};
use clap::Parser;
use machine::ScratchMachine;
use mapping::ExtractedCall;
use std::path::{Path, PathBuf};
use table::{AttentionTable, Replay};

#[derive(Parser)]
struct AttentionOptions {
    calls: PathBuf,
    /// A folder of git mirrors, each as OWNER+NAME/repo: their files are laid out in the workspaces.
    #[arg(long)]
    mirrors: Option<PathBuf>,
    #[command(flatten)]
    program: ProgramOption,
}

/// The graphs that are tried, by their preset, and who answers.
const REPLAYS: [(&str, &str); 6] = [
    ("balanced", "nobody"),
    ("balanced", "careful"),
    ("balanced", "trusting"),
    ("trusting", "careful"),
    ("trusting", "trusting"),
    ("careful", "careful"),
];

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options: AttentionOptions = parse_options(words)?;
    let calls = mapping::read_calls(&options.calls)?;
    let program = match options.program.program {
        Some(program) => program,
        None => build_program(root)?,
    };
    let graph = root.join("graphs/coding/countersign.yaml");
    let graph = std::fs::read_to_string(&graph)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", graph.display())))?;
    let machine = ScratchMachine::create(&program)?;
    let mapped = mapping::lay_out(&calls, &machine, options.mirrors.as_deref())?;
    machine.hand_over()?;
    let mut table = AttentionTable::default();
    for (preset, operator) in REPLAYS {
        eprintln!("deciding {} calls: {preset}, {operator}", calls.len());
        let graph = machine.write_graph(&graph, preset)?;
        let decided = machine.simulate(&graph, &mapped, operator)?;
        table.add(Replay { preset, operator, calls: &calls, decided });
    }
    println!("{table}");
    Ok(Done::new("the calls were replayed; nothing of them was kept"))
}

/// What kind of session a row is about, for the table.
fn group_by(call: &ExtractedCall) -> &str {
    &call.harness
}
