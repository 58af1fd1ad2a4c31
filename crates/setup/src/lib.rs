//! What is on this machine: the graph and where it is found, our hooks in the settings of coding
//! agents, the files that decide; and the commands `init`, `uninstall` and `doctor`.
//!
//! Each command stands beside its arguments. Nothing here reads the environment: the binary passes
//! in what it knows of the machine.

mod assurance;
mod context;
mod doctor;
mod file_diff;
pub mod files;
mod graph_choice;
mod graph_file;
mod graph_search;
mod hook_origin;
pub mod immutable;
mod init;
mod installed;
mod limits;
mod processes;
mod project_settings;
mod starter;
mod support;
mod trusted_layers;
mod uninstall;

pub use assurance::{AssuranceReport, DaemonFiles, DecidingChain, DecidingFiles};
pub use context::{SetupContext, folder_variable};
pub use doctor::{DoctorArgs, DoctorReport, diagnose, doctor};
pub use file_diff::draw_diff;
pub use graph_choice::{DaemonFolder, GraphFileArg, GraphOption};
pub use graph_file::{GraphContent, GraphFile, GraphOrigin};
pub use graph_search::{GRAPH_NAMES, GraphPlaces, GraphSearch};
pub use hook_origin::{HookOrigin, find_hook_origin};
pub use init::{InitArgs, init};
pub use installed::program_record;
pub use limits::MIN_FREE_BYTES;
pub use project_settings::find_misleading_settings;
pub use starter::Starter;
pub use support::{
    PacketContext, PacketShare, SupportCommand, SupportCreateArgs, SupportShareArgs, create_packet,
};
pub use trusted_layers::{
    FoundLayer, TrustState, TrustedLayers, find_layer, find_repository_root, layer_path, trust_in,
};
pub use uninstall::{UninstallArgs, uninstall};
