//! The command line of `countersign test`.

use crate::test::CaseStore;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    about = "Run case files and compare the decisions with the expected ones",
    before_help = TEST_EXAMPLES,
)]
pub(crate) struct TestArgs {
    /// Case files, or folders with case files
    #[arg(value_name = "PATH", required_unless_present_any = ["schema", "commands"])]
    pub(crate) paths: Vec<PathBuf>,
    /// The graph for cases without a graph [default: the one that the daemon uses]
    #[arg(long, value_name = "FILE")]
    pub(crate) graph: Option<PathBuf>,
    /// Run a JSONL file of rules, commands and expected verdicts instead
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "graph"])]
    pub(crate) commands: Option<PathBuf>,
    /// The store to run cases on: memory, sqlite or postgres:ADDRESS [default: memory]
    #[arg(long, value_name = "STORE", default_value = "memory", hide_default_value = true,
        value_parser = CaseStore::parse)]
    pub(crate) store: CaseStore,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the JSON Schema of case files, for your editor
    #[arg(long, exclusive = true)]
    pub(crate) schema: bool,
}

const TEST_EXAMPLES: &str = "\
Examples:
  countersign test cases
  countersign test my-cases --graph countersign.yaml
  countersign test cases --store sqlite
  countersign test --commands corpus/commands.jsonl
  countersign test --schema > case.schema.json";
