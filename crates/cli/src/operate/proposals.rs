//! `proposals`: the changes that agents propose to themselves. An answer to its request approves one;
//! these commands list, show, apply, veto and undo them.

mod args;

pub(crate) use args::ProposalsArgs;

use super::add_fields;
use super::find::find_proposal;
use crate::limits::MAX_LISTED_PROPOSALS;
use crate::settings::Settings;
use args::{ProposalArgs, ProposalsCommand, ProposalsLsArgs};
use countersign_api::{
    PageSize, ProposalActionResponse, ProposalStatus, ProposalView, ProposalsQuery,
    ProposalsResponse,
};
use countersign_client::{ClientError, OperatorClient};
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, Page, screen, short_id};
use countersign_core::model::ids::ProposalId;

pub(crate) fn proposals(args: &ProposalsArgs, settings: &Settings) -> Result<Exit, Failure> {
    match &args.command {
        None => list(&args.ls, settings),
        Some(ProposalsCommand::Ls(args)) => list(args, settings),
        Some(ProposalsCommand::Show(args)) => show(args, settings),
        Some(ProposalsCommand::Apply(args)) => act(args, settings, OperatorClient::apply_proposal),
        Some(ProposalsCommand::Veto(args)) => act(args, settings, OperatorClient::veto_proposal),
        Some(ProposalsCommand::Undo(args)) => act(args, settings, OperatorClient::undo_proposal),
    }
}

fn list(args: &ProposalsLsArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let mut query = ProposalsQuery { before: None, limit: PageSize::default() };
    let mut proposals: Vec<ProposalView> = Vec::new();
    let next = loop {
        let page = client.list_proposals(&query)?;
        proposals.extend(page.proposals.into_iter().filter(|one| args.all || is_current(one)));
        match page.next {
            Some(next) if proposals.len() < MAX_LISTED_PROPOSALS => query.before = Some(next),
            next => break next,
        }
    };
    let response = ProposalsResponse { proposals, next };
    args.daemon.print(&response, || list_page(&response))
}

/// Whether an operator can still do something about it.
fn is_current(proposal: &ProposalView) -> bool {
    match proposal.state {
        ProposalStatus::Waiting
        | ProposalStatus::Approved
        | ProposalStatus::Autonomous
        | ProposalStatus::Applied => true,
        ProposalStatus::Declined
        | ProposalStatus::Expired
        | ProposalStatus::Vetoed
        | ProposalStatus::Undone => false,
    }
}

fn list_page(response: &ProposalsResponse) -> Page {
    if response.proposals.is_empty() {
        return Page::from_line("no agent proposes a change to itself");
    }
    let row = |proposal: &ProposalView| {
        vec![
            TableCell::styled(BOLD, short_id(&proposal.id.to_string())),
            TableCell::new(proposal.state.word()),
            TableCell::new(proposal.agent.as_str()),
            TableCell::new(proposal.action.as_str()),
            TableCell::new(describe_next(proposal)),
        ]
    };
    let rows: Vec<Vec<TableCell>> = response.proposals.iter().map(row).collect();
    let mut page = Page::new();
    table::draw(&mut page, &["ID", "STATE", "AGENT", "ACTION", "NEXT"], &rows);
    if response.next.is_some() {
        page.text("there are more; `--json` and the API list them in pages").end();
    }
    page
}

/// What can happen next, and when.
fn describe_next(proposal: &ProposalView) -> String {
    let cools = screen::display_time(proposal.cools_until.0);
    match (proposal.state, proposal.undo_until, &proposal.request) {
        (ProposalStatus::Waiting, _, Some(request)) => {
            format!("countersign approve {}", short_id(&request.to_string()))
        }
        (ProposalStatus::Waiting, _, None) => "waits for an answer".to_owned(),
        (ProposalStatus::Approved | ProposalStatus::Autonomous, ..) => {
            format!("can be applied from {cools} on")
        }
        (ProposalStatus::Applied, Some(end), _) => {
            format!("can be undone until {}", screen::display_time(end.0))
        }
        (ProposalStatus::Applied, None, _) => "the graph sets no time to undo it".to_owned(),
        (
            ProposalStatus::Declined
            | ProposalStatus::Expired
            | ProposalStatus::Vetoed
            | ProposalStatus::Undone,
            ..,
        ) => String::new(),
    }
}

fn show(args: &ProposalArgs, settings: &Settings) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let proposal = client.proposal(find_proposal(&client, &args.id)?)?;
    args.daemon.print(&proposal, || proposal_page(&proposal))
}

fn proposal_page(proposal: &ProposalView) -> Page {
    let mut page = Page::new();
    page.styled(BOLD, proposal.action.as_str()).end();
    let time = |at: countersign_api::Timestamp| at.to_string();
    let fields = [
        ("id", proposal.id.to_string()),
        ("state", proposal.state.word().to_owned()),
        ("agent", proposal.agent.to_string()),
        ("session", proposal.session.to_string()),
        ("risk", proposal.risk.to_string()),
        ("submitted", time(proposal.submitted_at)),
        ("earliest", time(proposal.cools_until)),
        ("applied", proposal.applied_at.map(time).unwrap_or_default()),
        ("undo by", proposal.undo_until.map(time).unwrap_or_default()),
        ("next", describe_next(proposal)),
    ];
    add_fields(&mut page, fields);
    if let Some(diff) = &proposal.diff {
        add_text(&mut page, "before", &diff.before);
        add_text(&mut page, "after", &diff.after);
    }
    add_text(&mut page, "undo plan", proposal.undo.as_deref().unwrap_or_default());
    page
}

/// Text of the agent, each line marked.
fn add_text(page: &mut Page, name: &str, text: &str) {
    page.text("  ").styled(BOLD, name).end();
    for line in text.lines() {
        page.text("  | ").text(line).end();
    }
}

fn act(
    args: &ProposalArgs,
    settings: &Settings,
    act: fn(&OperatorClient, ProposalId) -> Result<ProposalActionResponse, ClientError>,
) -> Result<Exit, Failure> {
    let client = args.daemon.operator(settings)?;
    let response = act(&client, find_proposal(&client, &args.id)?)?;
    args.daemon.print(&response, || {
        let id = response.proposal_id.to_string();
        Page::from_line(&format!("{} is {}", short_id(&id), response.state.word()))
    })
}
