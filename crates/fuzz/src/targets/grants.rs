//! A file of old grants: refused with the line, or read so that every grant can be written down.

use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_core::encoding::json;
use countersign_core::model::grant::Coverage;
use countersign_core::model::imported::{Imported, Origin};
use countersign_core::steps::import::fits;
use countersign_import::{Covers, Old, permission_bridge};
use std::collections::BTreeSet;

pub(super) const TARGET: Target = Target {
    name: "grants",
    what: "old grants are refused with the line, or can be written down in the ledger",
    longest: 4 << 10,
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
    seeds: || seeds::own(TARGET.name),
    hold,
};

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let grants = match permission_bridge("g", bytes) {
        Ok(grants) => grants,
        Err(corrupt) => {
            let line = corrupt.place.strip_prefix("g:").and_then(|line| line.parse().ok());
            let lines = bytes.split(|byte| *byte == b'\n').count();
            if !line.is_some_and(|line: usize| (1..=lines).contains(&line)) {
                return Err(format!("`{}` is no line of {lines}", corrupt.place));
            }
            traits.say("refused", &corrupt.what);
            traits.count("at line", line.unwrap_or_default());
            return Ok(traits);
        }
    };
    let keys: BTreeSet<&str> = grants.iter().map(|old| old.key.as_str()).collect();
    if keys.len() != grants.len() {
        return Err("a key stands for two grants".to_owned());
    }
    traits.count("grants", grants.len());
    grants.iter().try_for_each(|old| written(old, &mut traits))?;
    let cut = [bytes, b"\n{"].concat();
    if permission_bridge("g", &cut).is_ok() {
        return Err("half a line at its end was passed over".to_owned());
    }
    Ok(traits)
}

/// What comes in is recorded, so that it has to have a canonical form that reads back.
fn written(old: &Old, traits: &mut Traits) -> Result<(), String> {
    let coverage = match &old.covers {
        Covers::Everything => Coverage::Everything,
        Covers::Category(category) => Coverage::Category(category.clone()),
        Covers::Nothing(why) => {
            traits.note(why);
            return Ok(());
        }
        Covers::Action(_) | Covers::Starts(_) => return Err("it names no actions".to_owned()),
    };
    match fits(None, &coverage) {
        Ok(risk) => traits.note(risk.word()),
        Err(unfit) => traits.say("unfit", &unfit.to_string()),
    }
    traits.count("words", old.words.len());
    traits.count("key", old.key.len());
    traits.count("given", usize::try_from(old.given_at.micros()).unwrap_or_default());
    traits.note((old.revoked_at.is_some(), old.words.is_empty()));
    let imported = Imported {
        origin: Origin::PermissionBridge,
        key: old.key.clone(),
        words: old.words.clone(),
        coverage,
        scope: old.scope,
        given_at: old.given_at,
        ends_at: old.ends_at,
    };
    let form = serde_json::to_value(&imported).map_err(|error| error.to_string())?;
    let text = json::canonical(&form).map_err(|error| error.to_string())?;
    match serde_json::from_str::<Imported>(&text) {
        Ok(back) if back == imported => Ok(()),
        other => Err(format!("`{text}` reads back as {other:?}")),
    }
}
