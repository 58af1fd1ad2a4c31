//! One JSON-RPC message.

use super::json_text::{Members, WireError, check, encode_string, read_items, replace_range};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageKind {
    Request,
    Notification,
    Response,
}

/// A checked message. Its text is what arrived.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    text: String,
    kind: MessageKind,
    method: String,
    id: Range<usize>,
    params: Range<usize>,
    result: Option<Range<usize>>,
    error: Option<Range<usize>>,
}

impl Message {
    pub(crate) fn parse(text: String) -> Result<Self, WireError> {
        check(&text)?;
        let wrong = WireError::Message;
        let members = Members::read(&text).ok_or(wrong("it is not an object"))?;
        if members.get("jsonrpc") != Some("\"2.0\"") {
            return Err(wrong("`jsonrpc` is not \"2.0\""));
        }
        let id = members.range("id");
        if id.clone().and_then(|id| text.get(id)).is_some_and(|id| !is_id(id)) {
            return Err(wrong("`id` is neither a string nor an integer"));
        }
        let method = match members.get("method") {
            None => None,
            Some(_) => Some(members.get_string("method").ok_or(wrong("`method` is not a string"))?),
        };
        let (result, error) = (members.range("result"), members.range("error"));
        let params = members.range("params");
        let kind = match (&method, &id, result.is_some(), error.is_some()) {
            (Some(_), Some(_), false, false) => MessageKind::Request,
            (Some(_), None, false, false) => MessageKind::Notification,
            (None, Some(_), true, false) | (None, Some(_), false, true) => MessageKind::Response,
            // A peer that could not read a request answers without its id.
            (None, None, false, true) => MessageKind::Response,
            _ => return Err(wrong("it is neither a request, a notification nor a response")),
        };
        let has_params = params.clone().and_then(|params| text.get(params));
        if kind != MessageKind::Response
            && has_params.is_some_and(|params| !params.starts_with('{'))
        {
            return Err(wrong("`params` is not an object"));
        }
        let (method, id) = (method.unwrap_or_default(), id.unwrap_or(0..0));
        let params = params.unwrap_or(0..0);
        Ok(Self { text, kind, method, id, params, result, error })
    }

    /// The messages of a line: one, or those of a batch.
    pub(crate) fn parse_batch(line: String) -> Result<Vec<Self>, WireError> {
        if !line.trim_start().starts_with('[') {
            return Self::parse(line).map(|message| vec![message]);
        }
        check(&line)?;
        let items = read_items(&line).unwrap_or_default();
        if items.is_empty() {
            return Err(WireError::Message("the batch is empty"));
        }
        items.into_iter().map(|item| Self::parse(item.to_owned())).collect()
    }

    pub(crate) const fn kind(&self) -> MessageKind {
        self.kind
    }

    pub(crate) fn method(&self) -> &str {
        &self.method
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The text of the id; empty if there is none.
    pub(crate) fn id(&self) -> &str {
        self.text.get(self.id.clone()).unwrap_or_default()
    }

    pub(crate) fn params(&self) -> &str {
        match self.text.get(self.params.clone()) {
            None | Some("") => "{}",
            Some(params) => params,
        }
    }

    pub(crate) fn result(&self) -> Option<&str> {
        self.text.get(self.result.clone()?)
    }

    pub(crate) fn error(&self) -> Option<&str> {
        self.text.get(self.error.clone()?)
    }

    /// The code of an error response.
    pub(crate) fn error_code(&self) -> Option<i64> {
        Members::read(self.error()?)?.get("code")?.parse().ok()
    }

    /// The same message with another id.
    pub(crate) fn with_id(&self, id: &str) -> String {
        replace_range(&self.text, self.id.clone(), id)
    }

    /// The same message with another id and other params.
    pub(crate) fn with_id_and_params(&self, id: &str, params: &str) -> String {
        let members = [
            ("jsonrpc", "\"2.0\""),
            ("id", id),
            ("method", &encode_string(&self.method)),
            ("params", params),
        ];
        self.rewrite(&members)
    }

    /// The same response with another id and another result.
    pub(crate) fn with_id_and_result(&self, id: &str, result: &str) -> String {
        self.rewrite(&[("jsonrpc", "\"2.0\""), ("id", id), ("result", result)])
    }

    /// The same notification with other params.
    pub(crate) fn with_params(&self, params: &str) -> String {
        let method = encode_string(&self.method);
        self.rewrite(&[("jsonrpc", "\"2.0\""), ("method", &method), ("params", params)])
    }

    /// These members, then the others of the message as they are.
    fn rewrite(&self, members: &[(&str, &str)]) -> String {
        let pair = |name: &str, value: &str| format!("{}:{value}", encode_string(name));
        let mut pairs: Vec<String> =
            members.iter().map(|(name, value)| pair(name, value)).collect();
        if let Some(own) = Members::read(&self.text) {
            let others = own.names().filter(|name| members.iter().all(|(known, _)| known != name));
            pairs.extend(others.filter_map(|name| Some(pair(name, own.get(name)?))));
        }
        format!("{{{}}}", pairs.join(","))
    }
}

/// The ids that a text names which may be no message: it can have a key twice, or be nested too
/// deeply. Nothing else of such a text is used.
pub(crate) fn find_ids(text: &str) -> Vec<&str> {
    let Some(members) = Members::read(text) else { return Vec::new() };
    members.get_all("id").filter(|id| is_id(id)).collect()
}

/// A string, or a number as JSON-RPC allows it. Null means that the peer did not know the id.
fn is_id(text: &str) -> bool {
    text.starts_with('"') || text.parse::<f64>().is_ok() || text == "null"
}

pub(crate) fn request(id: &str, method: &str, params: &str) -> String {
    let method = encode_string(method);
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method},\"params\":{params}}}")
}

pub(crate) fn notification(method: &str, params: &str) -> String {
    let method = encode_string(method);
    format!("{{\"jsonrpc\":\"2.0\",\"method\":{method},\"params\":{params}}}")
}

pub(crate) fn response(id: &str, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

/// A response with an error object.
pub(crate) fn error_response(id: &str, error: &str) -> String {
    let id = if id.is_empty() { "null" } else { id };
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}

/// An error object.
pub(crate) fn error_object(code: i64, message: &str) -> String {
    format!("{{\"code\":{code},\"message\":{}}}", encode_string(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_apart_by_its_members() {
        let kind = |text: &str| Message::parse(text.to_owned()).map(|message| message.kind()).ok();
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#), Some(MessageKind::Request));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"a"}"#), Some(MessageKind::Notification));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#), Some(MessageKind::Response));
        assert_eq!(
            kind(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#),
            Some(MessageKind::Response)
        );
        for text in [
            r#"{"id":1,"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":2}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"a","result":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            "1",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_survives_a_new_id_and_new_params() {
        let text = r#"{"jsonrpc":"2.0","x":[1.0],"id":7,"method":"a","params":{"n":1.10}}"#;
        let message = Message::parse(text.to_owned()).unwrap();
        assert_eq!(message.with_id("\"q\""), text.replace('7', "\"q\""));
        let rewritten = Message::parse(message.with_id_and_params("8", "{}")).unwrap();
        assert_eq!((rewritten.id(), rewritten.params()), ("8", "{}"));
        assert!(rewritten.text().contains(r#""x":[1.0]"#));
    }

    #[test]
    fn a_batch_is_taken_apart() {
        let batch = r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"method":"b"}]"#;
        assert_eq!(Message::parse_batch(batch.to_owned()).unwrap().len(), 2);
        assert!(Message::parse_batch("[]".to_owned()).is_err());
    }
}
