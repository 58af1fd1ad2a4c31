//! The command line of `countersign serve`.

use clap::Args;
use countersign_report::RecordOption;
use countersign_setup::GraphOption;

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
