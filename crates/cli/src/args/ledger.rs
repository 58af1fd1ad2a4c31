//! The command line of `countersign ledger`.

use super::HELP_TEMPLATE;
use crate::ledger::When;
use crate::limits;
use crate::record::RecordOption;
use clap::{Args, Subcommand};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::change::Kind;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::{Agent, SessionName};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum LedgerCommand {
    /// Check that no entry was altered, added or taken out
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger verify
  countersign ledger verify --contains 3f9a0c…64 characters
  countersign ledger verify --file export.jsonl

A ledger that was cut off at its end still verifies. Keep the head that this prints somewhere else,
and hand it back with `--contains` to know that the entries up to there are still the same.", after_help = "\
Exit codes: 0 where it is intact, 1 where it is not or cannot be read.")]
    Verify(LedgerVerifyArgs),
    /// Print one entry
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger show 17
  countersign ledger show 17 --json    the bytes as they were hashed")]
    Show(LedgerShowArgs),
    /// Print the entries that are about something
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger query --last 20
  countersign ledger query --session s1 --kind call_decided
  countersign ledger query --id 3e22a1    all that happened to it
  countersign ledger query --since 2h --json | jq .kind")]
    Query(LedgerQueryArgs),
    /// Print entries as they are written, until Ctrl-C
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger follow
  countersign ledger follow --agent coder --json
  countersign ledger follow --from 1    everything so far first")]
    Follow(LedgerFollowArgs),
    /// Print entries as JSON lines that can be verified elsewhere
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger export > export.jsonl
  countersign ledger export --from 1000 --to 1999 > part.jsonl
  countersign ledger verify --file export.jsonl")]
    Export(LedgerExportArgs),
    /// Build the state anew from the ledger, and compare
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger replay
  countersign ledger replay --json | jq '.differences[]'", after_help = "\
Exit codes: 0 where nothing differs, 1 where something does or the ledger cannot be read.")]
    Replay(LedgerReplayArgs),
    /// Erase what was kept apart from the ledger: arguments, targets, command lines, words
    #[command(help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign ledger erase --call op_019b8f…32 characters          what would go
  countersign ledger erase --call op_019b8f…32 characters --yes    for good
  countersign ledger erase --session s1 --yes
  countersign ledger erase --before 90d --yes", after_help = "\
Without --yes nothing is written. What is still open keeps its words. Entries stay, with what they say
about who, when and what was decided; the ledger verifies as before and tells what was erased.")]
    Erase(LedgerEraseArgs),
}

pub(super) const EXAMPLES: &str = "\
Examples:
  countersign ledger verify
  countersign ledger query --last 20
  countersign ledger show 17
  countersign ledger follow
  countersign ledger export > export.jsonl
  countersign ledger replay
  countersign ledger erase --before 90d";

#[derive(Args)]
pub(crate) struct LedgerVerifyArgs {
    /// Verify an export instead of the record
    #[arg(long, value_name = "EXPORT", conflicts_with_all = ["data", "store"])]
    pub(crate) file: Option<PathBuf>,
    /// A hash that an entry must have: a head that was noted down before
    #[arg(long, value_name = "HASH", value_parser = hash)]
    pub(crate) contains: Option<Digest>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct LedgerShowArgs {
    /// The entry's place, counted from 1
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) seq: u64,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object with the bytes as they were hashed
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct FilterArgs {
    /// Only what belongs to this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Only what belongs to this agent
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Option<Agent>,
    /// Only entries of this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND", value_parser = kind)]
    pub(crate) kinds: Vec<Kind>,
    /// Only what names this call, request, grant, run, gesture or proposal, by its id or an end of it;
    /// may be given several times
    #[arg(long = "id", value_name = "ID", value_parser = named)]
    pub(crate) ids: Vec<String>,
}

#[derive(Args)]
pub(crate) struct LedgerQueryArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Not before: a day, an instant (2026-01-05T09:00:00Z), or how long ago (2h, 30d)
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub(crate) since: Option<When>,
    /// Before this, which itself does not count
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub(crate) until: Option<When>,
    /// Of these only the last so many
    #[arg(long, value_name = "COUNT")]
    pub(crate) last: Option<usize>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct LedgerFollowArgs {
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
    /// Begin at this entry [default: after the last one]
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: Option<u64>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object per entry
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct LedgerExportArgs {
    /// The first entry
    #[arg(long, value_name = "SEQ", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) from: u64,
    /// The last entry [default: the last there is]
    #[arg(long, value_name = "SEQ", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) to: Option<u64>,
    #[command(flatten)]
    pub(crate) record: RecordOption,
}

#[derive(Args)]
pub(crate) struct LedgerReplayArgs {
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct LedgerEraseArgs {
    /// The words of this call
    #[arg(long, value_name = "ID", value_parser = call, conflicts_with_all = ["session", "before"])]
    pub(crate) call: Option<CallId>,
    /// The words of all calls of a session
    #[arg(long, value_name = "NAME", conflicts_with = "before")]
    #[arg(value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// The words of all that was decided before: a day, an instant, or how long ago (90d)
    #[arg(long, value_name = "WHEN", value_parser = When::parse)]
    pub(crate) before: Option<When>,
    /// Erase, instead of telling what would be erased
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn call(text: &str) -> Result<CallId, String> {
    CallId::parse(text).ok_or_else(|| "the id of a call is `op_` and 32 characters".to_owned())
}

fn hash(text: &str) -> Result<Digest, String> {
    Digest::parse(text).ok_or_else(|| "a hash has 64 characters, 0 to 9 and a to f".to_owned())
}

fn named(text: &str) -> Result<String, String> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    if text.len() >= limits::MIN_ID_CHARS && text.bytes().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err("give an id, or at least 4 characters of its beginning or its end".to_owned())
}

fn kind(text: &str) -> Result<Kind, String> {
    Kind::from_word(text).ok_or_else(|| {
        let words: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
        let distance = |word: &&str| strsim::damerau_levenshtein(word, text);
        match words.iter().min_by_key(|word| distance(word)).filter(|word| distance(word) <= 3) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it is one of {}", words.join(", ")),
        }
    })
}
