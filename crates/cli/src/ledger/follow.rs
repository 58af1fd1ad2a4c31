//! `ledger follow`: entries as they are written.

use super::Seen;
use super::entries::pages;
use super::filter::Filter;
use super::query::Form;
use crate::args::LedgerFollowArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{Interrupt, Waited};
use crate::settings::Settings;
use countersign_core::ledger::about::Whose;
use countersign_engine::StoreReader;
use std::time::Duration;

/// How often the ledger is looked at: soon enough to watch, seldom enough to cost nothing.
pub(crate) const EVERY: Duration = Duration::from_millis(500);

pub(super) fn follow(args: &LedgerFollowArgs, settings: &Settings) -> Result<Exit, Failure> {
    let record = args.record.to_read(settings)?;
    let filter = Filter::new(&args.filters, None, None);
    let form = if args.json { Form::Json } else { Form::Lines };
    let mut interrupt = Interrupt::listen()?;
    let print = |seen: &Seen| if filter.takes(seen) { form.print(seen) } else { Ok(()) };
    watch(&*record, args.from, print, || interrupt.wait(EVERY))?;
    Ok(Exit::Allowed)
}

/// Reads all there is, hands over what comes from `from` on, and looks again after every wait.
fn watch(
    record: &dyn StoreReader,
    from: Option<u64>,
    mut print: impl FnMut(&Seen) -> Result<(), Failure>,
    mut wait: impl FnMut() -> Waited,
) -> Result<(), Failure> {
    let mut whose = Whose::default();
    let mut next = pages(record, 1..=u64::MAX, |entry| {
        let seen = Seen::of(entry, &mut whose)?;
        if from.is_some_and(|from| from <= seen.entry.seq) { print(&seen) } else { Ok(()) }
    })?;
    while wait() == Waited::InVain {
        next = pages(record, next..=u64::MAX, |entry| {
            let seen = Seen::of(entry, &mut whose)?;
            if from.is_none_or(|from| from <= seen.entry.seq) { print(&seen) } else { Ok(()) }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::ledger::Head;
    use countersign_core::model::change::Change;
    use countersign_core::model::names::Agent;
    use countersign_core::model::time::Time;
    use countersign_core::state::State;
    use countersign_engine::{Memory, ObjectKind, ReadScope, Store, StoreError};

    /// A store in memory, looked at.
    struct Looked<'a>(&'a Memory);

    impl StoreReader for Looked<'_> {
        fn read_entries(
            &self,
            from: u64,
            most: usize,
        ) -> Result<Vec<countersign_core::ledger::Entry>, StoreError> {
            self.0.read_entries(from, most)
        }

        fn head(&self) -> Result<Head, StoreError> {
            self.0.head()
        }

        fn find_ids(
            &self,
            sought: ObjectKind,
            part: &str,
            most: usize,
        ) -> Result<Vec<String>, StoreError> {
            self.0.find_ids(sought, part, most)
        }

        fn snapshot(&self) -> Result<(State, Head), StoreError> {
            Ok((State::empty(), Head::empty()))
        }
    }

    fn paused(store: &Memory) {
        let agent = Agent::parse("agent-1").unwrap();
        let changes = vec![Change::AgentPaused { agent }];
        store.commit(&ReadScope::globals(), Time::from_micros(0), changes).unwrap();
    }

    /// The entries that were printed: two are there before, one comes during each of two waits.
    fn printed(from: Option<u64>) -> Vec<u64> {
        let store = Memory::empty();
        paused(&store);
        paused(&store);
        let (mut waits, mut seen) = (0, Vec::new());
        let print = |one: &Seen| {
            seen.push(one.entry.seq);
            Ok(())
        };
        watch(&Looked(&store), from, print, || {
            waits += 1;
            paused(&store);
            if waits == 3 { Waited::Interrupted } else { Waited::InVain }
        })
        .unwrap();
        seen
    }

    #[test]
    fn what_comes_while_it_waits_is_printed_until_it_is_interrupted() {
        assert_eq!(printed(None), [3, 4]);
    }

    #[test]
    fn it_can_begin_with_what_is_there() {
        assert_eq!(printed(Some(2)), [2, 3, 4]);
        assert_eq!(printed(Some(4)), [4]);
    }
}
