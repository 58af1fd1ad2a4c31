//! `countersign import`: old grants as questions, and an operator's answer to each.

mod answers;
mod bring;
mod confirm;
mod terminal;
mod waiting;
mod weigh;

pub(crate) use terminal::Terminal;

use crate::args::ImportCommand;
use crate::clock::{Drawn, SystemClock};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::record::RecordOption;
use crate::settings::Settings;
use countersign_engine::{Engine, Store};

pub(crate) fn run(command: &ImportCommand, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        ImportCommand::ConsentSystem(args) => bring::consent_system(args, settings),
        ImportCommand::PermissionBridge(args) => bring::permission_bridge(args, settings),
        ImportCommand::Waiting(args) => waiting::waiting(args, settings),
        ImportCommand::Confirm(args) => confirm::confirm(args, settings),
        ImportCommand::Decline(args) => confirm::decline(args, settings),
    }
}

fn engine(record: &RecordOption, settings: &Settings) -> Result<Engine<Box<dyn Store>>, Failure> {
    let store = record.to_write(settings)?;
    Ok(Engine::new(store, Box::new(SystemClock), Box::new(Drawn)))
}
