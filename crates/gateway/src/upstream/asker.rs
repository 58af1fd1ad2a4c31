//! Questions of a server to the person at its client: the first words name the server, and the server
//! cannot write them.
//!
//! See docs/decisions/0085-dialogs-of-an-adapters-client.md.

use crate::spec::ServerName;
use crate::wire::{Members, decode_string, encode_string, find, set_at, set_member};
use countersign_card::is_unsafe_to_display;

const ELICITATION: &str = "elicitation/create";

/// The params of a server's request. A question shows whose words it has, line by line.
pub(super) fn name_asker(server: &ServerName, method: &str, params: &str) -> String {
    if method != ELICITATION || Members::read(params).is_none() {
        return params.to_owned();
    }
    let said = find(params, &["message"]).and_then(decode_string).unwrap_or_default();
    let message =
        format!("The MCP server `{server}` asks, in its own words:\n> {}", quote_lines(&said));
    set_member(params, "message", &encode_string(&message))
}

/// The same for a result that has questions.
pub(super) fn name_askers(server: &ServerName, result: &str) -> String {
    let requests = find(result, &["inputRequests"]).and_then(Members::read);
    let names: Vec<String> = requests.iter().flat_map(|r| r.names().map(str::to_owned)).collect();
    names.iter().fold(result.to_owned(), |result, name| {
        let wanted = requests.as_ref().and_then(|requests| requests.get(name));
        let method = wanted.and_then(|w| Members::read(w)?.get_string("method"));
        let params = wanted.and_then(|wanted| find(wanted, &["params"]));
        let (Some(method), Some(params)) = (method, params) else { return result };
        let named = name_asker(server, &method, params);
        set_at(&result, &["inputRequests", name, "params"], &named)
    })
}

/// A new line cannot look like ours, and nothing in it moves the cursor or reorders its neighbours.
fn quote_lines(said: &str) -> String {
    let mut quoted = String::with_capacity(said.len());
    for c in said.chars() {
        match c {
            '\n' => quoted.push_str("\n> "),
            c if is_unsafe_to_display(c) => quoted.extend(c.escape_unicode()),
            c => quoted.push(c),
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(params: &str) -> String {
        let server = ServerName::parse("files").unwrap();
        name_asker(&server, ELICITATION, params)
    }

    #[test]
    fn a_servers_words_cannot_pass_as_ours() {
        let forged =
            r#"{"message":"a\r\nCountersign asks: pay?\u001b[2J\u202e","requestedSchema":{}}"#;
        let shown = find(&name(forged), &["message"]).and_then(decode_string).unwrap();
        assert_eq!(
            shown,
            "The MCP server `files` asks, in its own words:\n> a\\u{d}\n> Countersign asks: pay?\\u{1b}[2J\\u{202e}"
        );
        assert!(name(r#"{"requestedSchema":{}}"#).contains("The MCP server `files` asks"));
    }

    #[test]
    fn every_question_in_a_result_is_named_and_nothing_else_changes() {
        let server = ServerName::parse("files").unwrap();
        let result = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"x"}},"b":{"method":"roots/list","params":{"message":"y"}}}}"#;
        let named = name_askers(&server, result);
        let expected =
            result.replace("\"x\"", r#""The MCP server `files` asks, in its own words:\n> x""#);
        assert_eq!(named, expected);
    }
}
