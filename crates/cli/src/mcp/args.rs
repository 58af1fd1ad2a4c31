//! The command line of `countersign mcp`.

use crate::daemon_option::DaemonOption;
use clap::{Args, Subcommand, ValueEnum};
use countersign_core::model::names::SessionName;
use countersign_gateway::ServerName;
use countersign_setup::GraphOption;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum McpCommand {
    /// Put one MCP server behind the gate: this is what a client's configuration starts
    #[command(before_help = WRAP_EXAMPLES)]
    Wrap(McpWrapArgs),
    /// Offer all added servers, and the consent tools, to a client on stdio
    #[command(before_help = SERVE_EXAMPLES)]
    Serve(McpServeArgs),
    /// Add a server for `mcp serve` and for the HTTP endpoint
    #[command(before_help = ADD_EXAMPLES)]
    Add(McpAddArgs),
    /// List the added servers
    #[command(before_help = "Examples:\n  countersign mcp ls\n  countersign mcp ls --json")]
    Ls(McpLsArgs),
    /// Remove an added server
    #[command(before_help = "Examples:\n  countersign mcp rm files")]
    Rm(McpRmArgs),
    /// Start an added server, and show for each tool what would be asked and why
    #[command(before_help = "Examples:\n  countersign mcp test files")]
    Test(McpTestArgs),
}

impl McpCommand {
    pub(crate) const EXAMPLES: &str = "\
Examples:
  countersign mcp wrap -- npx -y @modelcontextprotocol/server-memory
  countersign mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  countersign mcp serve";
}

const WRAP_EXAMPLES: &str = "\
Examples:
  countersign mcp wrap -- npx -y @modelcontextprotocol/server-memory
  countersign mcp wrap --name tracker -- uvx mcp-server-tracker

In the configuration of a client, put `countersign mcp wrap --` in front of the server's command.
The first start asks once whether the server may run; afterwards every call of its tools is decided
by the graph. The server is started by the daemon, which is started if it is not running. Where the
daemon is another user, the server runs here, as your own user, and each start asks.";

const SERVE_EXAMPLES: &str = "\
Examples:
  countersign mcp serve
  countersign mcp serve --session review

A tool has the name of its server in front: `files__read_file`.";

const ADD_EXAMPLES: &str = "\
Examples:
  countersign mcp add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  countersign mcp add issues --url https://issues.example/mcp --header 'Authorization: Bearer TOKEN'
  countersign mcp add mail --env MAIL_TOKEN=abc -- mail-server

The server is written to the settings file. Adding a server allows none of its tools.

At a terminal, the server is then started once, its tools are listed with what would be asked, and
you can choose rules for them, which are written to your graph. `--rules` chooses without a question:
  none       writes nothing; the default without a terminal
  read-only  tools that say they only read run without asking
  all        the same, and each other tool gets an action of its own, which asks
What a tool says about itself is a claim of its server.";

#[derive(Args)]
pub(crate) struct McpWrapArgs {
    /// The server's name, a part of its tools' names in the graph [default: from the command]
    #[arg(long, value_parser = |text: &str| ServerName::parse(text))]
    pub(crate) name: Option<ServerName>,
    /// The session that the calls belong to [default: one for each folder]
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The server's program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Args)]
pub(crate) struct McpServeArgs {
    /// The session that the calls belong to [default: one for each folder]
    #[arg(long, value_parser = |text: &str| SessionName::parse(text))]
    pub(crate) session: Option<SessionName>,
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct McpAddArgs {
    /// The server's name, a part of its tools' names
    #[arg(value_parser = |text: &str| ServerName::parse(text))]
    pub(crate) name: ServerName,
    /// The address of a server on HTTP
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "command",
        required_unless_present = "command"
    )]
    pub(crate) url: Option<String>,
    /// A header of every request to it; can be repeated
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    pub(crate) headers: Vec<String>,
    /// A variable of the server's environment; can be repeated
    #[arg(long = "env", value_name = "NAME=VALUE", requires = "command")]
    pub(crate) environment: Vec<String>,
    /// Let the server write to Countersign's own folders too
    #[arg(long, requires = "command")]
    pub(crate) unconfined: bool,
    /// The rules to write for the server's tools [default: asks at a terminal, else none]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) rules: Option<OfferedRules>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The server's program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

/// Which tools of a new server get rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OfferedRules {
    None,
    ReadOnly,
    All,
}

#[derive(Args)]
pub(crate) struct McpLsArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct McpRmArgs {
    #[arg(value_parser = |text: &str| ServerName::parse(text))]
    pub(crate) name: ServerName,
}

#[derive(Args)]
pub(crate) struct McpTestArgs {
    #[arg(value_parser = |text: &str| ServerName::parse(text))]
    pub(crate) name: ServerName,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonOption,
}
