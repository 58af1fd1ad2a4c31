//! Shims that cannot be followed: their managers choose a version by rules that Countersign does not
//! reproduce, or download what is missing.

use super::{ShimPlace, ShimReading, base_name};

/// By the name of the file behind all links: the manager, and what chooses the version.
const UNFOLLOWED: [(&str, &str, &str); 7] = [
    ("volta-shim", "volta", "`package.json` and its platform file choose the version"),
    ("proto-shim", "proto", "`.prototools` chooses the version"),
    ("aqua-proxy", "aqua", "`aqua.yaml` chooses the version"),
    ("bazelisk", "bazelisk", "`.bazelversion` chooses the version"),
    ("elan", "elan", "`lean-toolchain` chooses the version"),
    ("julialauncher", "juliaup", "its own settings choose the version"),
    ("tfenv", "tfenv", "`.terraform-version` chooses the version"),
];

pub(super) fn read_shim(place: &ShimPlace) -> Option<ShimReading> {
    let path = place.found.real.as_str();
    if path.contains("/corepack/dist/") {
        let why = "`package.json` chooses the version".to_owned();
        return Some(ShimReading::new("corepack", Err(why)));
    }
    let name = base_name(path);
    // `bazelisk-linux-amd64` is the name of a download.
    let is_named = |known: &str| name == known || name.starts_with(&format!("{known}-"));
    let (_, manager, why) = UNFOLLOWED.iter().find(|(known, ..)| is_named(known))?;
    let is_called_as_manager = place.found.called_name() == *manager && *manager != "bazelisk";
    (!is_called_as_manager).then(|| ShimReading::new(manager, Err((*why).to_owned())))
}
