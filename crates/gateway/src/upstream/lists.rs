//! Lists of a server: read page by page, and heard of when they change.

use super::connection::{Upstream, reserve_id};
use super::tools::next_cursor;
use crate::limits;
use crate::wire::{ClientHello, Era, encode_string, set_member};

/// The results of a list method, one per page. What a server does not list is empty.
pub(crate) async fn read_pages(
    upstream: &Upstream,
    client: &ClientHello,
    method: &str,
) -> Vec<String> {
    let mut pages: Vec<String> = Vec::new();
    upstream.ensure_initialized().await;
    while pages.len() < limits::MAX_LIST_PAGES {
        let cursor = match pages.last() {
            None => None,
            Some(last) => match next_cursor(last) {
                None => break,
                Some(cursor) => Some(cursor.to_owned()),
            },
        };
        let mut params = match upstream.era() {
            Era::Modern => client.add_meta("{}", None),
            Era::Legacy => "{}".to_owned(),
        };
        if let Some(cursor) = cursor {
            params = set_member(&params, "cursor", &cursor);
        }
        let answer = upstream.ask(method, &params, limits::START_TIMEOUT).await;
        match answer.as_ref().ok().and_then(|message| message.result()) {
            Some(result) => pages.push(result.to_owned()),
            None => break,
        }
    }
    pages
}

/// Listens to the lists of a modern server. A legacy one tells without being asked.
pub(super) async fn listen_to_lists(upstream: &Upstream, client: &ClientHello) {
    let lists = ["tools", "prompts", "resources"];
    let changing = |list: &&&str| upstream.hello().has_capability(&[**list, "listChanged"]);
    let members: Vec<String> =
        lists.iter().filter(changing).map(|list| format!("\"{list}ListChanged\":true")).collect();
    if upstream.era() == Era::Legacy || members.is_empty() {
        return;
    }
    let params = format!("{{\"notifications\":{{{}}}}}", members.join(","));
    let params = client.add_meta(&params, None);
    // Nobody waits for its end.
    let _listening = upstream.send_request(reserve_id(), "subscriptions/listen", &params).await;
}

/// Asks one server for news of one resource.
pub(crate) async fn subscribe_resource(upstream: &Upstream, client: &ClientHello, uri: &str) {
    let uri = encode_string(uri);
    match upstream.era() {
        Era::Legacy => {
            let params = format!("{{\"uri\":{uri}}}");
            let _refused =
                upstream.ask("resources/subscribe", &params, limits::PROBE_TIMEOUT).await;
        }
        Era::Modern => {
            let params = format!("{{\"notifications\":{{\"resourceSubscriptions\":[{uri}]}}}}");
            let params = client.add_meta(&params, None);
            // Nobody waits for its end.
            let _listening =
                upstream.send_request(reserve_id(), "subscriptions/listen", &params).await;
        }
    }
}
