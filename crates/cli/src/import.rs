//! `countersign import`: old grants as questions, and an operator's answer to each.

mod answers;
mod bring;
mod confirm;
mod terminal;
mod waiting;
mod weigh;

pub(crate) use terminal::Terminal;

use crate::args::Import;
use crate::clock::{Drawn, SystemClock};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::record::RecordOption;
use crate::settings::Settings;
use countersign_engine::{Engine, Store};

pub(crate) fn run(command: &Import, settings: &Settings) -> Result<Exit, Failure> {
    match command {
        Import::ConsentSystem(args) => bring::consent_system(args, settings),
        Import::PermissionBridge(args) => bring::permission_bridge(args, settings),
        Import::Waiting(args) => waiting::waiting(args, settings),
        Import::Confirm(args) => confirm::confirm(args, settings),
        Import::Decline(args) => confirm::decline(args, settings),
    }
}

fn engine(record: &RecordOption, settings: &Settings) -> Result<Engine<Box<dyn Store>>, Failure> {
    let store = record.open_store(settings)?;
    Ok(Engine::new(store, Box::new(SystemClock), Box::new(Drawn)))
}
