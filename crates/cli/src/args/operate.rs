//! The command line of the daemon and of whoever answers it.

use super::{GraphOption, HELP_TEMPLATE};
use crate::exit::Exit;
use crate::record::RecordOption;
use clap::Args;
use countersign_core::model::names::{Action, Agent, SessionName, Tool, Workflow};

#[derive(Args)]
#[command(about = "See it work: a scripted agent, the real daemon, and you", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign demo           you answer what the agent asks
  countersign demo --auto    it answers by itself

Everything happens in a temporary folder, without an account, a model or the network. The agent
reads, edits, tries to push and to pay; what matters waits for you. It ends with the reason for
the last question and the verified ledger.")]
pub(crate) struct DemoArgs {
    /// Answer by itself, for whoever only wants to watch
    #[arg(long)]
    pub(crate) auto: bool,
}

#[derive(Args)]
#[command(about = "Run the daemon: agents on one side, you on the other", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign serve
  countersign serve --graph countersign.yaml --data ~/.countersign
  countersign serve --headless        nobody is there to ask: what would ask is denied
  countersign serve --no-http         sockets alone

Each side has a socket in the daemon's folder, and a port on this machine: 7778 for agents, with the
tokens of `countersign agent add`, and 7777 for you, with the token that lies in the folder.")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) record: RecordOption,
    /// Deny what would have to be asked
    #[arg(long)]
    pub(crate) headless: bool,
    /// The agents' port, which then has to be free; 0 is any that is
    #[arg(long, value_name = "PORT")]
    pub(crate) agent_port: Option<u16>,
    /// The operator's port, which then has to be free; 0 is any that is
    #[arg(long, value_name = "PORT")]
    pub(crate) operator_port: Option<u16>,
    /// No ports: the sockets alone
    #[arg(long, conflicts_with_all = ["agent_port", "operator_port"])]
    pub(crate) no_http: bool,
}

/// Where the daemon is reached.
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
#[command(about = "Show whether the daemon runs, and what waits for you", help_template = HELP_TEMPLATE)]
#[command(
    before_help = "Examples:\n  countersign status\n  countersign status --json | jq .open_requests"
)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "List what waits for your answer", help_template = HELP_TEMPLATE)]
#[command(before_help = "Examples:\n  countersign ls\n  countersign ls --notices")]
pub(crate) struct LsArgs {
    /// List notices and alerts instead
    #[arg(long)]
    pub(crate) notices: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Show one request in full", help_template = HELP_TEMPLATE)]
#[command(before_help = "Examples:\n  countersign show 7f2a1c")]
pub(crate) struct ShowArgs {
    /// The request, by its id or the end of it
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Say yes to what was shown", help_template = HELP_TEMPLATE, visible_alias = "allow", before_help = "\
Examples:
  countersign approve 7f2a1c                        this exact call, once
  countersign approve 7f2a1c --for 15m
  countersign approve 7f2a1c --session --note 'only in tests'
  countersign approve 7f2a1c --confirm '42.00 USD'  where the card asks for it

The card is shown first, and the answer counts for exactly that: if the call changes meanwhile, it
counts for nothing.")]
pub(crate) struct ApproveArgs {
    /// The request, by its id or the end of it
    pub(crate) id: String,
    /// This exact call, once: what is meant where nothing is said
    #[arg(long, group = "choice")]
    pub(crate) once: bool,
    /// For the rest of this run
    #[arg(long, group = "choice")]
    pub(crate) task: bool,
    /// For a while: 15m
    #[arg(long = "for", value_name = "TIME", group = "choice", value_parser = ["15m"])]
    pub(crate) quarter: Option<String>,
    /// For this session
    #[arg(long, group = "choice")]
    pub(crate) session: bool,
    /// In this project
    #[arg(long, group = "choice")]
    pub(crate) project: bool,
    /// Words that go back to the agent
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// What the card asks to be typed, or `yes` as a second confirmation
    #[arg(long, value_name = "TEXT")]
    pub(crate) confirm: Option<String>,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Say no", help_template = HELP_TEMPLATE, visible_alias = "deny", before_help = "\
Examples:
  countersign decline 7f2a1c
  countersign decline 7f2a1c --note 'use the staging account'
  countersign decline 7f2a1c --stop")]
pub(crate) struct DeclineArgs {
    /// The request, by its id or the end of it
    pub(crate) id: String,
    /// Words that go back to the agent
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) note: String,
    /// Also end what the session was allowed
    #[arg(long)]
    pub(crate) stop: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Take grants back, at once", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign revoke 019b8f        one grant, by its id or the end of it
  countersign revoke --workflow release
  countersign revoke --session s1
  countersign revoke --all")]
pub(crate) struct RevokeArgs {
    /// The grant, by its id or the end of it
    #[arg(required_unless_present_any = ["workflow", "session", "all"])]
    #[arg(conflicts_with_all = ["workflow", "session"])]
    pub(crate) grant: Option<String>,
    /// A workflow's class grant, and every run under it
    #[arg(long, value_name = "NAME", value_parser = |text: &str| Workflow::parse(text))]
    pub(crate) workflow: Option<Workflow>,
    /// Only of this session
    #[arg(long, value_name = "NAME", value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// Everything that was granted
    #[arg(long, conflicts_with_all = ["grant", "workflow", "session"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(help_template = HELP_TEMPLATE)]
#[command(before_help = "Examples:\n  countersign pause coder\n  countersign resume coder")]
pub(crate) struct PauseArgs {
    /// The agent
    #[arg(value_parser = |text: &str| Agent::parse(text))]
    pub(crate) agent: Agent,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Show what comes as it comes, and answer it", help_template = HELP_TEMPLATE, before_help = "\
Examples:
  countersign watch
  countersign watch | tee cards.txt     shows only: nothing that is piped in is an answer
  countersign watch --json              what waits, then every event, one line each

At a terminal, the card that is shown is answered with a word: once, 15m, session, project, decline;
y, s, p and n do the same. `n: words` tells the agent why. /help lists the rest.

What was typed before a card was shown never answers it. Enter alone decides nothing, and what is
pasted is no answer.

If the daemon goes away, it is waited for, and what comes goes on behind what was shown last. With
`--json`, `connection_lost` and `connection_regained` are lines of their own.")]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}

#[derive(Args)]
#[command(about = "Ask from a script: the exit code is the answer", help_template = HELP_TEMPLATE, after_help = Exit::help_table(), before_help = "\
Examples:
  countersign gate --session deploy --action servers.restart --target web1 && restart web1
  countersign gate --session deploy --tool Bash --args '{\"command\": \"git push\"}' --wait 300

Only exit code 0 is a yes. At a terminal the card is shown on stderr and you can answer it there;
elsewhere, without an answer in time it is 8, and the question stays open.")]
pub(crate) struct GateArgs {
    /// The session that the call belongs to
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: SessionName,
    /// What would be done; may be given several times
    #[arg(long = "action", value_parser = |text: &str| Action::parse(text))]
    #[arg(required_unless_present = "tool")]
    pub(crate) actions: Vec<Action>,
    /// The tool that would be called
    #[arg(long, value_parser = |text: &str| Tool::parse(text))]
    pub(crate) tool: Option<Tool>,
    /// Its arguments, as JSON
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) args: String,
    /// What it would be done to
    #[arg(long = "target", value_name = "TARGET")]
    pub(crate) targets: Vec<String>,
    /// Why, in the agent's words
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub(crate) reason: String,
    /// How many seconds to wait for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=300))]
    pub(crate) wait: u64,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}
