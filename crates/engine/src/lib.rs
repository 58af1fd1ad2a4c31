//! The engine: the one place where facts, decision and store meet.
//!
//! It reads a snapshot of the record, lets `core` decide on it, and commits the changes in one
//! conditional write. It asks nobody and executes nothing: a `Permit` lets somebody else execute.

mod active_rules;
mod announcements;
mod answer_target;
mod ask_ahead;
mod attempt_session;
mod card_calls;
mod check;
mod check_result;
mod clock;
mod closed_requests;
mod command_line;
mod commit_listeners;
mod complete;
mod conversation;
mod credentials;
mod engine;
mod erase;
mod error;
mod grants;
mod graph_in_force;
mod imports;
mod layer_versions;
mod layers;
pub mod limits;
mod live_calls;
mod notices;
mod operator;
mod own_calls;
mod own_questions;
mod pending_revocations;
mod proposals;
mod questions;
mod records;
mod repeats;
mod replay;
mod results;
mod retry;
mod revocation_queue;
mod rules;
mod run_files;
mod runs;
mod seen_texts;
mod sessions;
mod startup;
mod step;
mod suggestions;

pub use announcements::{Announcement, is_announced};
pub use answer_target::AnswerTarget;
pub use check_result::CheckResult;
pub use clock::{Clock, Entropy};
pub use closed_requests::ClosedRequests;
pub use commit_listeners::{AffectedSessions, CommitListener};
pub use complete::{AgentReport, CallUpdate, Completion, Permit};
pub use conversation::{ConversationMove, TurnReporter};
pub use countersign_store::{
    CallsRead, ChangeFeed, ClosedRequestPage, ClosedRequestQuery, Commit, CommitCallback,
    CredentialStanding, DATABASE_FILE, DatabaseClock, ExclusiveStep, GrantOwnerFilter, GrantPage,
    GrantQuery, GrantStatusFilter, KeptResult, LOG_FILE, Memory, ObjectKind, Postgres,
    PostgresReader, PostgresSettings, QuestionCount, ReadBasis, ReadScope, RowKey, ScopeKind,
    Snapshot, Sqlite, SqliteReader, Store, StoreError, StoreReader, WakeCallback,
};
pub use engine::Engine;
pub use erase::{Erasable, Erasure};
pub use error::EngineError;
pub use grants::{DirectGrant, DirectGrantResult, UselessGrantPolicy};
pub use layer_versions::LayerTrust;
pub use operator::GestureEnd;
pub use own_calls::OwnCall;
pub use own_questions::{OwnConsent, OwnQuestion, OwnRun, Withdrawal};
pub use records::{RecordPage, RecordResult, RecordsFrom};
pub use replay::{Replay, ReplayReport};
pub use results::ResultUpdate;
pub use rules::UncoveredCommand;
pub use runs::WorkflowAudit;
pub use sessions::SessionOwner;
pub use startup::StartingEngine;
pub use step::{Durability, FastPath};
pub use suggestions::SimilarGrantRequest;
