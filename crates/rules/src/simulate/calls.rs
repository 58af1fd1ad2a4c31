//! Where the calls of a simulation come from: files, standard input, or the ledger.

use super::SimulateArgs;
use crate::RulesContext;
use countersign_console::Failure;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change};
use countersign_core::model::time::Time;
use countersign_engine::StoreReader;
use countersign_report::scan_entries;
use countersign_simulate::{SimulatedCall, read_calls};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

pub(super) fn collect(
    args: &SimulateArgs,
    context: &RulesContext,
) -> Result<Vec<SimulatedCall>, Failure> {
    let calls = match args.ledger {
        true => read_ledger(&*args.record.open_reader(&context.record)?, None)?,
        false => read_files(args)?,
    };
    match calls.is_empty() {
        false => Ok(calls),
        true => Err(Failure::new("there is no call to decide", "name a file with calls in it")),
    }
}

fn read_files(args: &SimulateArgs) -> Result<Vec<SimulatedCall>, Failure> {
    let mut calls = Vec::new();
    for path in &args.files {
        calls.extend(read_file(path)?);
    }
    Ok(calls)
}

fn read_file(path: &Path) -> Result<Vec<SimulatedCall>, Failure> {
    let reader: Box<dyn BufRead> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin().lock()),
        _ => {
            let file = File::open(path).map_err(|error| {
                Failure::file("read", path, &error, "name a file with one JSON object per line")
            })?;
            Box::new(BufReader::new(file))
        }
    };
    read_calls(reader).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        let help =
            "write one object per line: {\"session\": …, \"tool\": …, \"args\": {…}, \"cwd\": …}";
        Failure::new(message, help)
    })
}

/// The calls of the ledger, each once, in the order in which they were first decided.
/// The calls of the record, or those since a time.
pub(super) fn read_ledger(
    record: &dyn StoreReader,
    since: Option<Time>,
) -> Result<Vec<SimulatedCall>, Failure> {
    let mut calls = Vec::new();
    scan_entries(record, 1..=u64::MAX, |entry| {
        let (at, change) = entry.change()?;
        if since.is_some_and(|since| at < since) {
            return Ok(());
        }
        if let Change::CallDecided { attempt: Attempt::First(call), .. } = change {
            calls.extend(from_record(&call));
        }
        Ok(())
    })?;
    Ok(calls)
}

/// None for a call that named an action and no tool, and for one that was erased.
fn from_record(call: &Call) -> Option<SimulatedCall> {
    let is_erased = call.args.is_null();
    let tool = call.tool.as_ref().filter(|_| !is_erased)?;
    Some(SimulatedCall {
        session: call.session.to_name().as_str().to_owned(),
        tool: tool.as_str().into(),
        args: call.args.clone(),
        cwd: call.cwd.clone(),
        project: call.project.as_ref().map(|project| project.as_str().to_owned()),
        agent: call.agent.as_str().to_owned(),
    })
}
