//! The command line of `countersign ledger`.

use super::TimeArg;
use crate::record::RecordOption;
use clap::{Args, Subcommand};
use countersign_api::IdBeginning;
use countersign_console::{ID_BEGINNING_HELP, suggest};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Kind;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum LedgerCommand {
    /// Check that no entry was altered, added or removed
    #[command(
        before_help = "\
Examples:
  countersign ledger verify
  countersign ledger verify --contains 3f9a0c…64 characters
  countersign ledger verify --file export.jsonl

A ledger that was cut off at its end still verifies. Store the printed head somewhere else and
pass it with `--contains` later, to check that the entries up to it are unchanged.",
        after_help = "\
Exit codes: 0 if it is intact, 1 if it is not or cannot be read."
    )]
    Verify(LedgerVerifyArgs),
    /// Print one entry
    #[command(before_help = "\
Examples:
  countersign ledger show 17
  countersign ledger show 17 --json    with the bytes that were hashed")]
    Show(LedgerShowArgs),
    /// Print entries that match filters
    #[command(before_help = "\
Examples:
  countersign ledger query --last 20
  countersign ledger query --session s1 --kind call_decided
  countersign ledger query --id r3e22a1   everything about one object
  countersign ledger query --since 2h --json | jq .kind")]
    Query(LedgerQueryArgs),
    /// Print new entries as they are written, until Ctrl-C
    #[command(before_help = "\
Examples:
  countersign ledger follow
  countersign ledger follow --agent coder --json
  countersign ledger follow --from 1    all existing entries first")]
    Follow(LedgerFollowArgs),
    /// Print entries as JSON lines that `ledger verify --file` can verify
    #[command(before_help = "\
Examples:
  countersign ledger export > export.jsonl
  countersign ledger export --from 1000 --to 1999 > part.jsonl
  countersign ledger verify --file export.jsonl")]
    Export(LedgerExportArgs),
    /// Rebuild the state from the ledger and compare it with the stored state
    #[command(
        before_help = "\
Examples:
  countersign ledger replay
  countersign ledger replay --json | jq '.differences[]'",
        after_help = "\
Exit codes: 0 if nothing differs, 1 if something does or the ledger cannot be read."
    )]
    Replay(LedgerReplayArgs),
    /// Erase sealed content: arguments, targets, command lines and texts
    #[command(
        before_help = "\
Examples:
  countersign ledger erase --call c3e22a1…32 digits          dry run
  countersign ledger erase --call c3e22a1…32 digits --yes    erase it permanently
  countersign ledger erase --session s1 --yes
  countersign ledger erase --before 90d --yes",
        after_help = "\
Without `--yes`, nothing is erased. The content of open calls stays. The entries stay, with who,
when and what was decided; the ledger still verifies, and it records the erasure."
    )]
    Erase(LedgerEraseArgs),
}

impl LedgerCommand {
    pub const EXAMPLES: &str = "\
Examples:
  countersign ledger verify
  countersign ledger query --last 20
  countersign ledger show 17
  countersign ledger follow
  countersign ledger export > export.jsonl
  countersign ledger replay
  countersign ledger erase --before 90d";
}

#[derive(Args)]
pub struct LedgerVerifyArgs {
    /// Verify an export instead of the record
    #[arg(long, value_name = "EXPORT", conflicts_with_all = ["data", "store"])]
    pub(crate) file: Option<PathBuf>,
    /// A hash that one of the entries must have: a head that you stored before
    #[arg(long, value_name = "HASH", value_parser = parse_hash)]
    pub(crate) contains: Option<Digest>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl LedgerVerifyArgs {
    /// Verifies the record, and prints the result for people.
    pub fn for_record(record: RecordOption) -> Self {
        Self { file: None, contains: None, record, json: false }
    }
}

#[derive(Args)]
pub struct LedgerShowArgs {
    /// The position of the entry, from 1
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seq: u64,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object with the bytes that were hashed
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct FilterArgs {
    /// Only entries of this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Only entries of this agent
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Option<Agent>,
    /// Only entries of this kind; can be repeated
    #[arg(long = "kind", value_name = "KIND", value_parser = parse_kind)]
    pub(crate) kinds: Vec<Kind>,
    /// Only entries about the object with this id, or this beginning or end of it; can be repeated
    #[arg(long = "id", value_name = "ID", value_parser = parse_id_beginning)]
    pub(crate) ids: Vec<String>,
}

#[derive(Args)]
pub struct LedgerQueryArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// From this time: a date, a time (2026-01-05T09:00:00Z) or a duration before now (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) since: Option<TimeArg>,
    /// Before this time
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) until: Option<TimeArg>,
    /// Only the last so many of them
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<usize>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct LedgerFollowArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Start at this entry [default: after the last one]
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: Option<u64>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct LedgerExportArgs {
    /// The first entry
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: u64,
    /// The last entry [default: the end of the ledger]
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Args)]
pub struct LedgerReplayArgs {
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub struct LedgerEraseArgs {
    /// The content of this call
    #[arg(long, value_name = "ID", value_parser = parse_call_id, conflicts_with_all = ["session", "before"])]
    pub(crate) call: Option<CallId>,
    /// The content of all calls of a session
    #[arg(long, value_name = "NAME", conflicts_with = "before")]
    #[arg(value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// The content of all calls before this time: a date, a time or a duration before now (90d)
    #[arg(long, value_name = "WHEN", value_parser = TimeArg::parse)]
    pub(crate) before: Option<TimeArg>,
    /// Erase instead of a dry run
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_call_id(text: &str) -> Result<CallId, String> {
    CallId::parse(text).ok_or_else(|| "an id of a call is `c` and 32 digits".to_owned())
}

fn parse_hash(text: &str) -> Result<Digest, String> {
    Digest::parse(text).ok_or_else(|| "a hash has 64 characters, 0 to 9 and a to f".to_owned())
}

fn parse_id_beginning(text: &str) -> Result<String, String> {
    match IdBeginning::try_from(text.to_owned()) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(ID_BEGINNING_HELP.to_owned()),
    }
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        match suggest::similar_word(text, words.iter().copied()) {
            Some(similar) => format!("did you mean `{similar}`?"),
            None => format!("the kinds are {}", words.join(", ")),
        }
    })
}
