//! Ids that are named by a part of them, as the daemon knows them.

use super::list;
use crate::failure::Failure;
use crate::ids::only;
use crate::limits;
use countersign_client::Client;
use serde_json::Value;

/// The whole id of what is meant.
pub(crate) fn meant_id(client: &Client, kind: &str, given: &str) -> Result<String, Failure> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    let fits = if given.len() >= limits::LEAST_OF_AN_ID && given.bytes().all(is_plain) {
        let found = client.get(&format!("/v1/ids?kind={kind}&part={given}"))?;
        list(&found, "ids").iter().filter_map(Value::as_str).map(str::to_owned).collect()
    } else {
        Vec::new()
    };
    let help = match kind {
        "grant" => "`countersign grants --all` lists them, each with the end of its id",
        "notice" => "`countersign ls --notices` lists them, each with the end of its id",
        "run" => "`countersign workflow audit` lists them, each with the end of its id",
        _ => "`countersign ls` lists what waits, each with the end of its id",
    };
    only(&fits, given, kind, help)
}

/// A value that stands in an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => encoded.push_str(&format!("%{other:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_holds_it_stays_one_value_of_an_address() {
        assert_eq!(encoded("s1"), "s1");
        assert_eq!(encoded("/w&x=1 ü"), "%2Fw%26x%3D1%20%C3%BC");
    }
}
