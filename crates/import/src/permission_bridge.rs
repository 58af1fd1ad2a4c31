//! PermissionBridge (seed 002): persistent grants, one JSON object per line, to which lines were
//! only added.

use crate::instant::instant;
use crate::{Corrupt, Covers, Old, limits};
use countersign_core::encoding::json;
use countersign_core::model::category::Category;
use countersign_core::model::grant::Scope;
use countersign_core::model::time::Time;
use serde_json::{Map, Value};

const HELP: &str = "nothing was read after it; mend or remove the line, then try again";
const GRANT: &[&str] =
    &["v", "op", "grant_id", "action", "category", "scope", "reasoning", "granted_at"];
const REVOKE: &[&str] = &["v", "op", "grant_id", "revoked_at"];

/// Reads a file of grants. Its name is for the places of what is wrong.
pub fn permission_bridge(name: &str, bytes: &[u8]) -> Result<Vec<Old>, Corrupt> {
    let mut grants: Vec<Old> = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let place = format!("{name}:{number}");
        let wrong = |what: String| Corrupt::at(&place, what, HELP);
        read(&place, line, &mut grants).map_err(wrong)?;
        if grants.len() > limits::GRANTS {
            return Err(wrong(format!("there are more than {} grants", limits::GRANTS)));
        }
    }
    Ok(grants)
}

fn read(place: &str, line: &[u8], grants: &mut Vec<Old>) -> Result<(), String> {
    let value = json::parse(line).map_err(|error| format!("this is no JSON: {error}"))?;
    let row = value.as_object().ok_or("this is no JSON object")?;
    if row.get("v") != Some(&Value::from(1)) {
        return Err("`v` is not 1, and no other version is known".to_owned());
    }
    let key = text(row, "grant_id", limits::KEY_BYTES)?;
    if key.is_empty() {
        return Err("`grant_id` is empty".to_owned());
    }
    let known = grants.iter_mut().find(|grant| grant.key == key);
    match (row.get("op").and_then(Value::as_str), known) {
        (Some("grant"), None) => grants.push(granted(place, key, row)?),
        (Some("grant"), Some(known)) => {
            return Err(format!("the grant `{key}` stands at {} already", known.place));
        }
        (Some("revoke"), Some(known)) => {
            only(row, REVOKE)?;
            // The first one counts: it was dead from then on.
            let at = time(row, "revoked_at")?;
            known.revoked_at = known.revoked_at.or(Some(at));
        }
        (Some("revoke"), None) => {
            return Err(format!("it revokes `{key}`, which is not granted before it"));
        }
        (_, _) => return Err("`op` is neither `grant` nor `revoke`".to_owned()),
    }
    Ok(())
}

fn granted(place: &str, key: String, row: &Map<String, Value>) -> Result<Old, String> {
    only(row, GRANT)?;
    let category = match row.get("category") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => {
            Some(Category::parse(name).map_err(|error| format!("`category`: {error}"))?)
        }
        Some(_) => return Err("`category` is no text".to_owned()),
    };
    let covers = match text(row, "scope", limits::KEY_BYTES)?.as_str() {
        "persistent" => category.map_or(Covers::Everything, Covers::Category),
        "this_call" | "this_session" => Covers::Nothing("it ended with its session"),
        other => return Err(format!("`scope` is `{other}`, which is no scope")),
    };
    let (action, reasoning) =
        (text(row, "action", limits::WORDS_BYTES)?, text(row, "reasoning", limits::WORDS_BYTES)?);
    let words = if reasoning.is_empty() { action } else { format!("{action} ({reasoning})") };
    let given_at = time(row, "granted_at")?;
    let (place, scope) = (place.to_owned(), Scope::Project);
    Ok(Old { place, key, words, covers, scope, given_at, ends_at: None, revoked_at: None })
}

/// A key that is not known could have narrowed the grant.
fn only(row: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match row.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` is not known, and might change what it means")),
        None => Ok(()),
    }
}

fn text(row: &Map<String, Value>, key: &str, most: usize) -> Result<String, String> {
    let text = row.get(key).and_then(Value::as_str).ok_or(format!("`{key}` is no text"))?;
    if text.len() > most {
        return Err(format!("`{key}` is longer than {most} bytes"));
    }
    Ok(text.to_owned())
}

fn time(row: &Map<String, Value>, key: &str) -> Result<Time, String> {
    let text = text(row, key, limits::KEY_BYTES)?;
    instant(&text).ok_or(format!("`{key}` is `{text}`, which is no instant with an offset"))
}
