//! The command lines of the daemon and of the commands that talk to it.

use super::{GraphOption, parse_confidence};
use crate::exit::Exit;
use crate::limits;
use crate::record::RecordOption;
use clap::Args;
use countersign_core::model::category::Category;
use countersign_core::model::ids::{CallId, RunId};
use countersign_core::model::names::{Action, Agent, SessionName, Tool, Workflow};
use std::path::PathBuf;

#[derive(Args)]
#[command(
    about = "Watch a demonstration with a scripted agent and the real daemon",
    before_help = "\
Examples:
  countersign demo           you answer the requests
  countersign demo --auto    the answers are scripted too

It uses a temporary folder, and no account, no model and no network. The agent reads, edits, and
tries to push and to pay; you are asked about what matters. At the end you see the reason for the
last request and the verified ledger."
)]
pub(crate) struct DemoArgs {
    /// Answer automatically
    #[arg(long)]
    pub(crate) auto: bool,
}

#[derive(Args)]
#[command(
    about = "Run the daemon",
    before_help = "\
Examples:
  countersign serve
  countersign serve --graph countersign.yaml --data ~/.countersign
  countersign serve --headless        no operator: deny instead of ask
  countersign serve --no-http         sockets only

Agents and the operator each have a socket in the daemon's folder and a port on this machine: 7778
for agents, with the tokens of `countersign agent add`; 7777 for the operator, with the token in
the folder."
)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Deny instead of ask, because there is no operator
    #[arg(long)]
    pub(crate) headless: bool,
    /// Start with an empty record although the one beside the credentials is missing
    #[arg(long)]
    pub(crate) new_record: bool,
    /// The agents' port, which must be free; 0 chooses a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) agent_port: Option<u16>,
    /// The operator's port, which must be free; 0 chooses a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) operator_port: Option<u16>,
    /// Open no ports, only the sockets
    #[arg(long, conflicts_with_all = ["agent_port", "operator_port"])]
    pub(crate) no_http: bool,
}

/// How to reach the daemon.
#[derive(Args)]
pub(crate) struct DaemonOption {
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<std::path::PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(about = "Show whether the daemon runs, and how much waits for you")]
#[command(
    before_help = "Examples:\n  countersign status\n  countersign status --json | jq .open_requests"
)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "List the requests that wait for you")]
#[command(before_help = "Examples:\n  countersign ls\n  countersign ls --json")]
pub(crate) struct LsArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Show one request")]
#[command(before_help = "Examples:\n  countersign show r7f2a1c\n  countersign show --full r7f2a1c")]
pub(crate) struct ShowArgs {
    /// The id of the request, or its beginning or end
    pub(crate) id: String,
    /// Print the whole call as it will run, instead of the card
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(
    about = "Revoke grants",
    before_help = "\
Examples:
  countersign revoke g3e22a1       one grant
  countersign revoke --workflow release
  countersign revoke --session s1
  countersign revoke --all"
)]
pub(crate) struct RevokeArgs {
    /// The id of the grant, or its beginning or end
    #[arg(required_unless_present_any = ["workflow", "session", "all"])]
    #[arg(conflicts_with_all = ["workflow", "session"])]
    pub(crate) grant: Option<String>,
    /// The class grant of a workflow, and its runs
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Workflow::parse(text))]
    pub(crate) workflow: Option<Workflow>,
    /// Only grants of this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// All grants
    #[arg(long, conflicts_with_all = ["grant", "workflow", "session"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(before_help = "\
Examples:
  countersign pause coder
  countersign pause --all       every agent, also one that comes later
  countersign resume coder
  countersign resume --all")]
pub(crate) struct PauseArgs {
    /// The agent
    #[arg(value_parser = |text: &str| Agent::parse(text), required_unless_present = "all")]
    pub(crate) agent: Option<Agent>,
    /// All agents
    #[arg(long, conflicts_with = "agent")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(
    about = "Show requests as they arrive, and answer them",
    before_help = "\
Examples:
  countersign watch
  countersign watch | tee cards.txt     only show them: piped input is never an answer
  countersign watch --json              open requests, then every event, one line each

At a terminal, answer the card with one word: once, 15m, session, project or decline; y, s, p and
n are short for once, session, project and decline. `s head` and `s actions` go further than `s`,
where the card offers that. `n: text` sends the agent a note. /help lists the rest.

Input from before a card was shown never answers it, Enter alone does nothing, and pasted text is
not an answer.

If the connection is lost, it reconnects and continues after the last event. With `--json`,
`connection_lost` and `connection_regained` are lines of their own."
)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Ask from a script; the exit code is the answer", after_help = Exit::help_table(), before_help = "\
Examples:
  countersign gate --session deploy --action servers.restart --target web1 && restart web1
  countersign gate --session deploy --tool Bash --args '{\"command\": \"git push\"}' --wait 300

Only exit code 0 is a yes. At a terminal, the card is shown on stderr and you can answer it there.
Otherwise, without an answer in time the exit code is 8 and the request stays open.

`gate` does not see how the call ends. Report it with the printed command (`--done` or `--failed`):
until then the call counts as running, and a yes for one call stays in use. `countersign run`
reports by itself.")]
pub(crate) struct GateArgs {
    /// The session that the call belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// The action; can be repeated
    #[arg(long = "action", value_parser = |text: &str| Action::parse(text))]
    #[arg(required_unless_present_any = ["tool", "done", "failed"])]
    pub(crate) actions: Vec<Action>,
    /// The tool
    #[arg(long, value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Option<Tool>,
    /// Its arguments, as a JSON object
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) args: String,
    /// The target; can be repeated
    #[arg(long = "target", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// The reason that the agent gives
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// What the agent will do if the answer is no
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) fallback: String,
    /// The folder that the command runs in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// How sure the agent is, from 0 to 1
    #[arg(long, value_name = "NUMBER", value_parser = parse_confidence, default_value = "0")]
    #[arg(hide_default_value = true)]
    pub(crate) confidence: f64,
    /// A category of the call; can be repeated
    #[arg(long = "category", value_name = "NAME", value_parser = |text: &str| Category::parse(text))]
    pub(crate) categories: Vec<Category>,
    /// An action that the call may trigger; can be repeated
    #[arg(long, value_name = "ACTION", value_parser = |text: &str| Action::parse(text))]
    pub(crate) declares: Vec<Action>,
    /// The run of a workflow that the call belongs to
    #[arg(long, value_name = "ID", value_parser = parse_run)]
    pub(crate) run: Option<RunId>,
    /// The project of the session: a folder that contains the current one; with an adapter's token,
    /// any name [default: the git repository around the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,
    /// Report that an allowed call was carried out, instead of asking
    #[arg(long, value_name = "OPERATION", value_parser = parse_call)]
    #[arg(conflicts_with_all = ["actions", "tool", "failed"])]
    pub(crate) done: Option<CallId>,
    /// Report that an allowed call failed, instead of asking
    #[arg(long, value_name = "OPERATION", value_parser = parse_call)]
    #[arg(conflicts_with_all = ["actions", "tool"])]
    pub(crate) failed: Option<CallId>,
    /// Seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_WAIT_SECONDS))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

fn parse_call(text: &str) -> Result<CallId, String> {
    CallId::parse(text).ok_or_else(|| "give the whole id that `gate` printed".to_owned())
}

fn parse_run(text: &str) -> Result<RunId, String> {
    RunId::parse(text).ok_or_else(|| "give the whole id of the run".to_owned())
}
