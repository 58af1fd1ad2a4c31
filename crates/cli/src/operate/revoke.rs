//! `revoke`: ends grants.

use super::find::find_grant;
use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use clap::Args;
use countersign_api::{RevokeRequest, RevokeResponse, RevokedGrant};
use countersign_client::OperatorClient;
use countersign_console::{Exit, Failure, Page};
use countersign_core::model::names::{SessionName, Workflow};

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

pub(crate) fn revoke(args: &RevokeArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let grant = args.grant.as_ref().map(|given| find_grant(&client, given)).transpose()?;
    let request = RevokeRequest {
        session: args.session.clone(),
        grant,
        workflow: args.workflow.clone(),
        all: args.all,
    };
    send_revocation(&client, &request, &args.daemon)
}

pub(super) fn send_revocation(
    client: &OperatorClient,
    request: &RevokeRequest,
    daemon: &DaemonOption,
) -> Result<Exit, Failure> {
    let response = client.revoke(request)?;
    daemon.print(&response, || page_of_lines(&describe_revocation(&response)))
}

fn page_of_lines(lines: &[String]) -> Page {
    let mut page = Page::new();
    for line in lines {
        page.text(line).end();
    }
    page
}

/// One line, and one for each grant if there are several or a workflow is concerned.
pub(crate) fn describe_revocation(response: &RevokeResponse) -> Vec<String> {
    let count = match response.revoked.len() {
        0 => return vec!["there was no such grant in force".to_owned()],
        1 => "1 grant was revoked".to_owned(),
        count => format!("{count} grants were revoked"),
    };
    let is_plain =
        response.grants.len() == 1 && response.grants.iter().all(|grant| grant.workflow.is_none());
    let named = response.grants.iter().filter(|_| !is_plain).map(describe_revoked);
    std::iter::once(count).chain(named).collect()
}

fn describe_revoked(grant: &RevokedGrant) -> String {
    let what = match (&grant.workflow, &grant.run) {
        (Some(workflow), Some(run)) => format!("run {run} of the workflow {workflow}"),
        (Some(workflow), None) => format!("class grant of the workflow {workflow}"),
        (None, Some(run)) => format!("run {run}"),
        (None, None) => grant.covers.clone(),
    };
    format!("- {what}, in session {}", grant.session)
}
