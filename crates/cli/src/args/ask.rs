//! The command line of `countersign ask` and `countersign consent`.

use super::DaemonOption;
use super::hook::parse_program;
use crate::exit::Exit;
use crate::limits;
use clap::Args;
use countersign_api::AskedScope;
use countersign_core::model::category::Category;
use countersign_core::model::ids::RequestId;
use countersign_core::model::names::SessionName;
use countersign_harness::Program;

#[derive(Args)]
#[command(about = "Ask for permission ahead of a call; the exit code is the answer", after_help = Exit::help_table(), before_help = "\
Examples:
  countersign ask --session deploy --category filesystem_write --reasoning 'the schema changed' \\
    'Overwrite docs/api.md' --wait 300
  countersign ask --session deploy --id r7f2a…        read the answer later
  countersign ask --session deploy --withdraw r7f2a…  take the question back

Only exit code 0 is a yes: a grant is in force. At a terminal, the card is shown on stderr and you
can answer it there. Otherwise, without an answer in time the exit code is 8 and the request stays
open.

A yes to a critical category is recorded and gives no grant, so its exit code is 8: the call itself
still asks.")]
pub(crate) struct AskArgs {
    /// The session that the question belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// What you want to do, as you would explain it to a colleague
    #[arg(value_name = "ACTION", required_unless_present_any = ["id", "withdraw"])]
    pub(crate) action: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    #[arg(required_unless_present_any = ["id", "withdraw"])]
    pub(crate) reasoning: String,
    /// What you will do if the answer is no
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) fallback: String,
    /// How long it should last: this_call, this_session or persistent
    #[arg(long, value_name = "SCOPE", value_parser = parse_scope, default_value = "this_call")]
    pub(crate) scope: AskedScope,
    /// The category of the calls to come; without it, any call up to moderate risk
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Category::parse(text))]
    pub(crate) category: Option<Category>,
    /// The project of the session: a folder that contains the current one
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Read the answer to an earlier question, instead of asking
    #[arg(long, value_name = "REQUEST", value_parser = parse_request)]
    #[arg(conflicts_with_all = ["action", "withdraw"])]
    pub(crate) id: Option<RequestId>,
    /// Take an open question back, instead of asking
    #[arg(long, value_name = "REQUEST", value_parser = parse_request, conflicts_with = "action")]
    pub(crate) withdraw: Option<RequestId>,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(
    about = "List an agent's own grants, open requests and unfinished calls",
    before_help = "\
Examples:
  countersign consent --session deploy
  countersign consent --session deploy --json | jq .grants
  countersign consent --program claude           the latest session of Claude Code
  countersign consent --program claude --line    one line, for the program's status line

It uses the agents' socket, and shows only what belongs to this agent and session. `countersign
grants` is the operator's list of everything. With `--line` the session may come from the JSON object
that the program writes to the input."
)]
pub(crate) struct ConsentArgs {
    /// The session
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    #[arg(required_unless_present = "program")]
    pub(crate) session: Option<SessionName>,
    /// The coding agent whose hook made the session: claude or codex
    #[arg(long, value_name = "NAME", value_parser = parse_program)]
    pub(crate) program: Option<Program>,
    /// One line instead of the list
    #[arg(long, requires = "program")]
    pub(crate) line: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_scope(text: &str) -> Result<AskedScope, String> {
    let found = AskedScope::ALL.into_iter().find(|scope| scope.word() == text);
    found.ok_or_else(|| "write this_call, this_session or persistent".to_owned())
}

fn parse_request(text: &str) -> Result<RequestId, String> {
    RequestId::parse(text).ok_or_else(|| "give the whole id that `ask` printed".to_owned())
}
