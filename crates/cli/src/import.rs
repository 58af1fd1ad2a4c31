//! `countersign import`: imports old grants as requests, which the operator confirms or declines.

mod answers;
mod batch;
mod confirm;
mod convert;
mod waiting;

use crate::args::ImportCommand;
use crate::clock::{SystemClock, SystemEntropy};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::record::RecordOption;
use crate::settings::Settings;
use countersign_engine::{Engine, Store};

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
    let store = record.open_store(settings)?;
    Ok(Engine::new(store, Box::new(SystemClock), Box::new(SystemEntropy)))
}
