//! The binary: settings, wiring, commands.

mod test;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "countersign", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run stories with expected decisions
    Test {
        /// Case files, or folders of them
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// A graph for cases that have none
        #[arg(long)]
        graph: Option<PathBuf>,
        /// Report as JSON
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Test { paths, graph, .. } => test::test(&paths, graph.as_deref()),
    }
}
