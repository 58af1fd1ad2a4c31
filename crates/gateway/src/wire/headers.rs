//! Headers of a modern request: they must say the same as the body, because others route by them.

use super::era::META_VERSION;
use super::json_text::{decode_string, find};
use super::message::Message;
use axum::http::HeaderMap;

/// The member of the params that names what a request is about.
pub(crate) fn named_object(method: &str) -> Option<&'static str> {
    match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    }
}

/// Refuses a header that is missing or differs from the body.
pub(crate) fn check_headers(headers: &HeaderMap, message: &Message) -> Result<(), String> {
    let text = |path: &[&str]| find(message.params(), path).and_then(decode_string);
    compare(headers, "mcp-protocol-version", text(&["_meta", META_VERSION]).as_deref())?;
    compare(headers, "mcp-method", Some(message.method()))?;
    if let Some(member) = named_object(message.method()) {
        compare(headers, "mcp-name", text(&[member]).as_deref())?;
    }
    Ok(())
}

fn compare(headers: &HeaderMap, name: &str, body: Option<&str>) -> Result<(), String> {
    let mut values = headers.get_all(name).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok().and_then(decode_header),
        _ => None,
    };
    match (value, body) {
        (Some(value), Some(body)) if value == body => Ok(()),
        (Some(_), _) => Err(format!("the header `{name}` differs from the body")),
        (None, _) => Err(format!("the header `{name}` is missing or occurs twice")),
    }
}

/// A value that is not plain text is written as `=?base64?…?=`.
pub(crate) fn decode_header(value: &str) -> Option<String> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|v| v.strip_suffix("?=")) else {
        return Some(value.trim().to_owned());
    };
    String::from_utf8(decode_base64(encoded)?).ok()
}

/// A text for a header, encoded if it is not plain.
pub(crate) fn encode_header(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && text.trim() == text
        && !text.starts_with("=?base64?");
    if is_plain {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", encode_base64(text.as_bytes()))
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let bits = (byte(0) << 16) | (byte(1) << 8) | byte(2);
        for at in 0..4 {
            let index = usize::try_from((bits >> (18 - 6 * at)) & 63).unwrap_or(0);
            let is_padding = at > chunk.len();
            let letter = ALPHABET.get(index).copied().unwrap_or(b'=');
            text.push(char::from(if is_padding { b'=' } else { letter }));
        }
    }
    text
}

/// Strict: a text that others would read differently, or not at all, is refused.
fn decode_base64(padded: &str) -> Option<Vec<u8>> {
    let text = padded.trim_end_matches('=');
    let padding = padded.len() - text.len();
    if !padded.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == letter)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    let has_rest = bits & ((1 << count) - 1) != 0;
    (!has_rest).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(values: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn headers_say_what_the_body_says() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let message = Message::parse(text.to_owned()).unwrap();
        let name = encode_header("é");
        let right = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", &name),
        ];
        assert_eq!(check_headers(&headers(&right), &message), Ok(()));
        for at in 0..3 {
            let mut wrong = right;
            wrong[at].1 = "other";
            assert!(check_headers(&headers(&wrong), &message).is_err());
            let twice = [right.as_slice(), &[right[at]]].concat();
            assert!(check_headers(&headers(&twice), &message).is_err());
            let without: Vec<_> = right.iter().copied().filter(|h| h.0 != right[at].0).collect();
            assert!(check_headers(&headers(&without), &message).is_err());
        }
    }

    #[test]
    fn base64_of_any_length_reads_back() {
        for text in ["", "é", "éa", "éab", "日本語"] {
            assert_eq!(decode_base64(&encode_base64(text.as_bytes())).unwrap(), text.as_bytes());
        }
        assert_eq!(encode_base64(b"Man"), "TWFu");
        assert_eq!(encode_base64(b"Ma"), "TWE=");
        for wrong in ["SGVsbG8", "SGVsbG8==", "SGVsbG9=", "SGVs====", "SG=s", "SGVs!A=="] {
            assert_eq!(decode_base64(wrong), None, "{wrong}");
        }
        assert_eq!(decode_header("plain"), Some("plain".to_owned()));
        assert_eq!(
            encode_header("=?base64?x"),
            format!("=?base64?{}?=", encode_base64(b"=?base64?x"))
        );
    }
}
