//! `countersign import`: imports old grants as requests, which the operator confirms or declines.

mod answers;
mod args;
mod batch;
mod confirm;
mod convert;
mod waiting;

pub(crate) use args::ImportCommand;

use crate::clock::{SystemClock, SystemEntropy};
use crate::settings::Settings;
use countersign_console::{Exit, Failure};
use countersign_engine::{Engine, Store};
use countersign_report::RecordOption;

pub(crate) fn run(command: &ImportCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        ImportCommand::ConsentSystem(args) => batch::import_consent_system(args, settings),
        ImportCommand::PermissionBridge(args) => batch::import_permission_bridge(args, settings),
        ImportCommand::Waiting(args) => waiting::waiting(args, settings),
        ImportCommand::Confirm(args) => confirm::confirm(args, settings),
        ImportCommand::Decline(args) => confirm::decline(args, settings),
    }
}

fn open_engine(
    record: &RecordOption,
    settings: &Settings,
) -> Result<Engine<Box<dyn Store>>, Failure> {
    let store = record.open_store(&settings.record())?;
    Ok(Engine::new(store, Box::new(SystemClock), Box::new(SystemEntropy)))
}
