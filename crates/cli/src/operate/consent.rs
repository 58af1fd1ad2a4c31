//! `consent`: what an agent lists of its own.

use crate::args::ConsentArgs;
use crate::entry_text::join_actions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ids::short_id;
use crate::page::{BOLD, Page};
use crate::settings::Settings;
use crate::table::{self, TableCell};
use countersign_api::{ConsentResponse, OwnGrantView, OwnOperationView, OwnRequestView};

pub(crate) fn consent(args: &ConsentArgs, settings: &Settings) -> Result<Exit, Failure> {
    let response = args.daemon.agent(settings, 0)?.list_consent(&args.session)?;
    args.daemon.print(&response, || consent_page(&response))
}

fn consent_page(response: &ConsentResponse) -> Page {
    let mut page = Page::new();
    let grants: Vec<_> = response.grants.iter().map(grant_row).collect();
    add_table(&mut page, "no grant is in force", &["GRANT", "COVERS", "SCOPE", "ENDS"], &grants);
    let requests: Vec<_> = response.requests.iter().map(request_row).collect();
    add_table(&mut page, "no request is open", &["REQUEST", "ABOUT", "RISK", "ENDS"], &requests);
    let calls: Vec<_> = response.operations.iter().map(operation_row).collect();
    add_table(&mut page, "no call waits or runs", &["OPERATION", "ACTIONS", "STATE"], &calls);
    if response.truncated {
        page.text("there is more than this list shows").end();
    }
    page
}

fn add_table(page: &mut Page, empty: &str, headings: &[&str], rows: &[Vec<TableCell>]) {
    if rows.is_empty() {
        page.text(empty).end();
    } else {
        table::draw(page, headings, rows);
    }
}

fn grant_row(grant: &OwnGrantView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&grant.grant_id.to_string())),
        TableCell::new(grant.covers.as_str()),
        TableCell::new(grant.scope.word()),
        TableCell::new(grant.ends_at.map(|end| end.to_string()).unwrap_or_default()),
    ]
}

fn request_row(request: &OwnRequestView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&request.request_id.to_string())),
        TableCell::new(request.kind.word()),
        TableCell::new(request.risk.word()),
        TableCell::new(request.ends_at.to_string()),
    ]
}

fn operation_row(operation: &OwnOperationView) -> Vec<TableCell> {
    vec![
        TableCell::styled(BOLD, short_id(&operation.operation_id.to_string())),
        TableCell::new(join_actions(&operation.actions)),
        TableCell::new(operation.state.to_string()),
    ]
}
