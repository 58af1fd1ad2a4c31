//! Says under which id a call waits that a script leaves behind.

use crate::daemon_option::DaemonOption;
use crate::settings::Settings;
use countersign_api::{CheckResponse, CheckStatus};
use countersign_console::{BOLD, Page, out, short_id, short_ids};
use countersign_core::model::ids::CallId;

/// Prints the id of the request, or of the call where the operator's plane cannot be reached.
pub(crate) fn report_pending(response: &CheckResponse, daemon: &DaemonOption, settings: &Settings) {
    let (CheckStatus::Pending, Some(call)) = (response.status, response.operation_id) else {
        return;
    };
    let call_id = call.to_string();
    let mut page = Page::new();
    match find_open_request(call, daemon, settings) {
        Some(request) => {
            page.text("it waits as ").styled(BOLD, &request);
            page.text(&format!(" (call {}): ", short_id(&call_id)));
            page.text(&format!("`countersign approve {request}` allows it once")).end();
        }
        None => {
            page.text("it waits as call ").styled(BOLD, short_id(&call_id));
            page.text("; `countersign ls` lists its request").end();
        }
    }
    out::eprint(&page);
}

/// The short id of the open request about a call.
fn find_open_request(call: CallId, daemon: &DaemonOption, settings: &Settings) -> Option<String> {
    let client = daemon.operator(settings).ok()?;
    let (mut ids, mut found) = (Vec::new(), None);
    client
        .visit_requests(|view| {
            if view.card.calls.contains(&call) {
                found = Some(ids.len());
            }
            ids.push(view.card.request.to_string());
        })
        .ok()?;
    short_ids(&ids).into_iter().nth(found?)
}
