//! PermissionBridge: an append-only file of persistent grants, one JSON object per line.

use crate::instant::parse_instant;
use crate::{ImportError, OldCoverage, OldGrant, limits};
use countersign_core::encoding::json;
use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::time::Time;
use serde_json::{Map, Value};

const INVALID_LINE_HELP: &str = "nothing was imported; fix or remove the line, then try again";
const GRANT_KEYS: &[&str] =
    &["v", "op", "grant_id", "action", "category", "scope", "reasoning", "granted_at"];
const REVOKE_KEYS: &[&str] = &["v", "op", "grant_id", "revoked_at"];

/// Reads a file of grants. The name is used in the positions of errors.
pub fn read_permission_bridge(name: &str, bytes: &[u8]) -> Result<Vec<OldGrant>, ImportError> {
    let mut grants: Vec<OldGrant> = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let place = format!("{name}:{number}");
        let invalid = |message: String| ImportError::new(&place, message, INVALID_LINE_HELP);
        read_line(&place, line, &mut grants).map_err(invalid)?;
        if grants.len() > limits::MAX_GRANTS {
            return Err(invalid(format!("there are more than {} grants", limits::MAX_GRANTS)));
        }
    }
    Ok(grants)
}

fn read_line(place: &str, line: &[u8], grants: &mut Vec<OldGrant>) -> Result<(), String> {
    let value = json::parse(line).map_err(|error| format!("the line is not JSON: {error}"))?;
    let row = value.as_object().ok_or("the line is not a JSON object")?;
    if row.get("v") != Some(&Value::from(1)) {
        return Err("`v` is not 1, the only supported version".to_owned());
    }
    let key = read_text(row, "grant_id", limits::MAX_KEY_BYTES)?;
    if key.is_empty() {
        return Err("`grant_id` is empty".to_owned());
    }
    let known = grants.iter_mut().find(|grant| grant.key == key);
    match (row.get("op").and_then(Value::as_str), known) {
        (Some("grant"), None) => grants.push(parse_grant(place, key, row)?),
        (Some("grant"), Some(known)) => {
            return Err(format!("the grant `{key}` already exists at {}", known.place));
        }
        (Some("revoke"), Some(known)) => {
            check_keys(row, REVOKE_KEYS)?;
            // The first revocation counts: it ended the grant.
            let at = read_time(row, "revoked_at")?;
            known.revoked_at = known.revoked_at.or(Some(at));
        }
        (Some("revoke"), None) => {
            return Err(format!("it revokes `{key}`, which no earlier line grants"));
        }
        (_, _) => return Err("`op` is neither `grant` nor `revoke`".to_owned()),
    }
    Ok(())
}

fn parse_grant(place: &str, key: String, row: &Map<String, Value>) -> Result<OldGrant, String> {
    check_keys(row, GRANT_KEYS)?;
    let category = match row.get("category") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => {
            Some(Category::parse(name).map_err(|error| format!("`category`: {error}"))?)
        }
        Some(_) => return Err("`category` is not text".to_owned()),
    };
    let coverage = match read_text(row, "scope", limits::MAX_KEY_BYTES)?.as_str() {
        "persistent" => category.map_or(OldCoverage::Everything, OldCoverage::Category),
        "this_call" | "this_session" => OldCoverage::Nothing("it ended with its session"),
        other => return Err(format!("`scope` is `{other}`, which is not a valid scope")),
    };
    let (action, reasoning) = (
        read_text(row, "action", limits::MAX_DESCRIPTION_BYTES)?,
        read_text(row, "reasoning", limits::MAX_DESCRIPTION_BYTES)?,
    );
    let description = if reasoning.is_empty() { action } else { format!("{action} ({reasoning})") };
    let given_at = read_time(row, "granted_at")?;
    let (place, scope) = (place.to_owned(), Scope::Project);
    Ok(OldGrant {
        place,
        key,
        description,
        coverage,
        scope,
        given_at,
        ends_at: None,
        revoked_at: None,
    })
}

/// Refuses unknown keys: they could narrow the grant.
fn check_keys(row: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match row.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            Err(format!("the key `{key}` is unknown and could change the meaning of the grant"))
        }
        None => Ok(()),
    }
}

fn read_text(row: &Map<String, Value>, key: &str, max_bytes: usize) -> Result<String, String> {
    let text = row.get(key).and_then(Value::as_str).ok_or(format!("`{key}` is not text"))?;
    if text.len() > max_bytes {
        return Err(format!("`{key}` is longer than {max_bytes} bytes"));
    }
    Ok(text.to_owned())
}

fn read_time(row: &Map<String, Value>, key: &str) -> Result<Time, String> {
    let text = read_text(row, key, limits::MAX_KEY_BYTES)?;
    parse_instant(&text)
        .ok_or(format!("`{key}` is `{text}`, which is not a time with a UTC offset"))
}
