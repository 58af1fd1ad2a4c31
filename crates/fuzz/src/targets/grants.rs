//! A file of old grants: it is refused with a line number, or every grant in it can be recorded.

use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_core::encoding::json;
use countersign_core::model::grant::Coverage;
use countersign_core::model::imported::{EarlierSystem, ImportedGrant};
use countersign_import::{OldCoverage, OldGrant, read_permission_bridge};
use countersign_operations::import::check_importable;
use std::collections::BTreeSet;

pub(super) const TARGET: Target = Target {
    name: "grants",
    property: "old grants are refused with a line number, or can be recorded in the ledger",
    max_bytes: 4 << 10,
    words: &[
        "\"op\":\"revoke\"",
        "\"revoked_at\":\"2026-05-20T10:00:00Z\"",
        "this_session",
        "9999-12-31T23:59:59.999999999Z",
        "+23:59",
        "\"category\":null",
        "\r\n",
        "\u{feff}",
    ],
    seeds: || seeds::load_seeds(TARGET.name),
    check,
};

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let grants = match read_permission_bridge("g", bytes) {
        Ok(grants) => grants,
        Err(corrupt) => {
            let line = corrupt.place.strip_prefix("g:").and_then(|line| line.parse().ok());
            let lines = bytes.split(|byte| *byte == b'\n').count();
            if !line.is_some_and(|line: usize| (1..=lines).contains(&line)) {
                return Err(format!("`{}` is not one of {lines} lines", corrupt.place));
            }
            features.add_message("refused", &corrupt.message);
            features.add_size("at line", line.unwrap_or_default());
            return Ok(features);
        }
    };
    let keys: BTreeSet<&str> = grants.iter().map(|old| old.key.as_str()).collect();
    if keys.len() != grants.len() {
        return Err("two grants have the same key".to_owned());
    }
    features.add_size("grants", grants.len());
    grants.iter().try_for_each(|old| check_recordable(old, &mut features))?;
    let cut = [bytes, b"\n{"].concat();
    if read_permission_bridge("g", &cut).is_ok() {
        return Err("an incomplete last line was ignored".to_owned());
    }
    Ok(features)
}

/// Imports are recorded, so each needs a canonical form that reads back.
fn check_recordable(old: &OldGrant, features: &mut Features) -> Result<(), String> {
    let coverage = match &old.coverage {
        OldCoverage::Everything => Coverage::Everything,
        OldCoverage::Category(category) => Coverage::Category(category.clone()),
        OldCoverage::Nothing(why) => {
            features.add(why);
            return Ok(());
        }
        OldCoverage::Action(_) | OldCoverage::WorkflowStarts(_) => {
            return Err("this format cannot name actions".to_owned());
        }
    };
    match check_importable(None, &coverage) {
        Ok(risk) => features.add(risk.word()),
        Err(unfit) => features.add_message("unfit", &unfit.to_string()),
    }
    features.add_size("words", old.description.len());
    features.add_size("key", old.key.len());
    features.add_size("given", usize::try_from(old.given_at.micros()).unwrap_or_default());
    features.add((old.revoked_at.is_some(), old.description.is_empty()));
    let imported = ImportedGrant {
        origin: EarlierSystem::PermissionBridge,
        key: old.key.clone(),
        words: old.description.clone(),
        coverage,
        scope: old.scope,
        given_at: old.given_at,
        ends_at: old.ends_at,
    };
    let form = serde_json::to_value(&imported).map_err(|error| error.to_string())?;
    let text = json::canonical(&form).map_err(|error| error.to_string())?;
    match serde_json::from_str::<ImportedGrant>(&text) {
        Ok(back) if back == imported => Ok(()),
        other => Err(format!("`{text}` reads back as {other:?}")),
    }
}
