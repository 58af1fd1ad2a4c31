//! A ledger entry of an export: it is refused, or verified and applied without a panic.

use crate::seeds;
use crate::target::{Features, Target, TargetResult};
use countersign_core::encoding::digest::Digest;
use countersign_core::state::State;
use countersign_ledger::subject::entry_subject;
use countersign_ledger::{Entry, Head, Verifier};

pub(super) const TARGET: Target = Target {
    name: "entry",
    property: "an entry is refused, or verified and applied; its hash matches no other bytes",
    max_bytes: 4 << 10,
    words: &["\"kind\":\"", "\"body\":{", "\"sealed\":\"", "\"seq\":1}", "\"prev\":\"", "null"],
    seeds: || seeds::load_seeds(TARGET.name),
    check,
};

fn check(bytes: &[u8]) -> TargetResult {
    let mut features = Features::default();
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(features) };
    let text = text.trim_end_matches('\n');
    let hash = Digest::hash_bytes("countersign/entry/v1", text.as_bytes());
    let entry = match Entry::read(text.to_owned(), hash) {
        Ok(entry) => entry,
        Err(why) => {
            features.add_message("refused", &why);
            return Ok(features);
        }
    };
    features.add(entry.kind.word());
    let head = Head { next: entry.seq, hash: entry.prev };
    match Verifier::from(head).entry(&entry) {
        Ok(()) => {}
        Err(error) => features.add_message("verified", &error.to_string()),
    }
    match entry.change() {
        Ok((at, change)) => {
            if change.kind() != entry.kind {
                return Err(format!(
                    "the body is a {}, but the entry says {}",
                    change.kind(),
                    entry.kind
                ));
            }
            features.add_size("ids", entry_subject(&change).ids.len());
            State::empty().apply(at, &change);
        }
        Err(error) => features.add_message("read", &error.to_string()),
    }
    let altered = Entry { hash: Digest::zero(), ..entry };
    if Verifier::from(head).entry(&altered).is_ok() {
        return Err("an entry with a wrong hash is accepted".to_owned());
    }
    Ok(features)
}
