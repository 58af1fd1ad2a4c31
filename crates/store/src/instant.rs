//! Reads the instant of a ledger entry from its first bytes, without parsing the rest.

use countersign_core::model::time::Time;
use countersign_ledger::Entry;

/// Before every other instant.
pub(crate) const NEVER: Time = Time::from_micros(i64::MIN);

/// The latest instant of these entries.
pub(crate) fn latest_instant<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> Time {
    entries.into_iter().filter_map(parse_instant).max().unwrap_or(NEVER)
}

/// The canonical form of an entry starts with its instant.
fn parse_instant(entry: &Entry) -> Option<Time> {
    let rest = entry.bytes.strip_prefix("{\"at\":")?;
    let (digits, _) = rest.split_once(',')?;
    digits.parse().ok().map(Time::from_micros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::change::Change;
    use countersign_core::model::words::Presence;
    use countersign_ledger::Head;
    use countersign_ledger::sealed::Salt;

    #[test]
    fn the_instant_of_an_entry_is_read_from_its_first_bytes() {
        let change = Change::PresenceChanged { presence: Presence::Idle };
        let at = |micros| {
            let (head, at) = (Head::empty(), Time::from_micros(micros));
            Entry::new(head, at, &change, Salt([0; 16])).unwrap()
        };
        let entries = [at(7), at(1_767_603_600_000_000), at(-3)];
        assert_eq!(latest_instant(&entries).micros(), 1_767_603_600_000_000);
        assert_eq!(latest_instant(&[]), NEVER);
    }
}
