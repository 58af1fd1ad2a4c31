//! Whole lists of a server, page by page.

use crate::call::tools::next_cursor;
use crate::era::{ClientHello, Era};
use crate::limits;
use crate::upstream::Upstream;
use crate::wire::json_text::set_member;

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
