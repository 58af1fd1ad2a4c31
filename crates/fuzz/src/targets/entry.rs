//! An entry from outside, as an export holds it: refused, or verified without a stumble.

use crate::seeds;
use crate::target::{Held, Target, Traits};
use countersign_core::encoding::digest::Digest;
use countersign_core::ledger::about::about;
use countersign_core::ledger::{Entry, Head, Verifier};
use countersign_core::state::State;

pub(super) const TARGET: Target = Target {
    name: "entry",
    what: "an entry is refused, or verified and carried out; no other bytes pass for it",
    longest: 4 << 10,
    words: &["\"kind\":\"", "\"body\":{", "\"sealed\":\"", "\"seq\":1}", "\"prev\":\"", "null"],
    seeds: || seeds::own(TARGET.name),
    hold,
};

fn hold(bytes: &[u8]) -> Held {
    let mut traits = Traits::default();
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(traits) };
    let text = text.trim_end_matches('\n');
    let hash = Digest::of_bytes("countersign/entry/v1", text.as_bytes());
    let entry = match Entry::read(text.to_owned(), hash) {
        Ok(entry) => entry,
        Err(why) => {
            traits.say("refused", &why);
            return Ok(traits);
        }
    };
    traits.note(entry.kind.word());
    let head = Head { next: entry.seq, hash: entry.prev };
    match Verifier::from(head).entry(&entry) {
        Ok(()) => {}
        Err(error) => traits.say("verified", &error.to_string()),
    }
    match entry.change() {
        Ok((at, change)) => {
            if change.kind() != entry.kind {
                return Err(format!("a {} says that it is a {}", change.kind(), entry.kind));
            }
            traits.count("ids", about(&change).ids.len());
            State::empty().apply(at, &change);
        }
        Err(error) => traits.say("read", &error.to_string()),
    }
    let altered = Entry { hash: Digest::zero(), ..entry };
    if Verifier::from(head).entry(&altered).is_ok() {
        return Err("bytes that do not give its hash pass".to_owned());
    }
    Ok(traits)
}
