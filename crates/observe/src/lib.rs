//! Observations about a call: where its paths lead, which file a program name starts, and the
//! facts of its arguments.
//!
//! An observation is true when it is made and may be outdated a moment later. This crate changes no
//! file and starts no process. It decides nothing: rules and policies test what it returns.

mod agent_identity;
mod argument_facts;
mod base_folders;
mod checkout;
mod command_lookup;
mod disk;
mod file_system;
mod git_config;
mod ignored;
mod layer_file;
pub mod limits;
mod own_files;
mod path_chain;
mod path_resolver;
mod places;
mod program;
mod real_file_system;
mod real_path;
mod run_files;
mod scratch;
mod secrets_below;

pub use agent_identity::AgentIdentity;
pub use argument_facts::FactReader;
pub use checkout::{Checkout, find_session_place};
pub use command_lookup::CommandLookup;
pub use file_system::{
    EditedFileSystem, FakeFileSystem, FileEdits, FileIdentity, FileStamp, FileSystem, FolderEntry,
    FolderEntryKind, GitCache, Inode, LookupError, NoFileSystem, ProgramIdentity, Protection,
    StampKind,
};
pub use git_config::list_git_settings;
pub use layer_file::{LayerFile, read_layer_file};
pub use own_files::OwnFiles;
pub use path_chain::{
    ChainEntry, ChainReader, ChainWeakness, ContentStamp, EntryStatus, OtherUsersAccess, PathChain,
    StatusKind, TrustedUsers,
};
pub use path_resolver::{PathMeaning, PathReading, PathResolver};
pub use places::{MissingTarget, PlaceReader, TargetPlaces};
pub use program::hash_content;
pub use real_file_system::RealFileSystem;
pub use real_path::RealPath;
pub use run_files::{ReadRunFile, RunFileReader, is_run_file};
pub use secrets_below::find_secrets_below;
