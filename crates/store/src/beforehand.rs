//! What of a commit is written down by whoever makes it, before its turn has come: those who make
//! them are many, and the writer is one.

use crate::StoreError;
use crate::globals::bodies;
use countersign_core::ledger::Body;
use countersign_core::model::call::Call;
use countersign_core::model::change::{Attempt, Change};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Beforehand {
    /// What the entries will say.
    pub bodies: Vec<Body>,
    pub calls: Texts,
}

/// Calls as their rows have them.
#[derive(Debug)]
pub(crate) struct Texts(Vec<(Arc<Call>, String)>);

impl Beforehand {
    pub fn of(changes: &[Change]) -> Result<Self, StoreError> {
        Ok(Self { bodies: bodies(changes)?, calls: Texts::of(changes)? })
    }
}

impl Texts {
    fn of(changes: &[Change]) -> Result<Self, StoreError> {
        Self::of_calls(changes.iter().filter_map(|change| match change {
            Change::CallDecided { attempt: Attempt::First(call), .. } => Some(call),
            _ => None,
        }))
    }

    pub fn of_calls<'a>(
        calls: impl IntoIterator<Item = &'a Arc<Call>>,
    ) -> Result<Self, StoreError> {
        let texts = calls.into_iter().map(|call| {
            let text = serde_json::to_string(&**call).map_err(|e| StoreError::unwritable(&e))?;
            Ok::<_, StoreError>((Arc::clone(call), text))
        });
        texts.collect::<Result<_, _>>().map(Self)
    }

    /// The text of this call, which is the very one that was written down.
    pub fn get(&self, call: &Arc<Call>) -> Option<&str> {
        let found = self.0.iter().find(|(written, _)| Arc::ptr_eq(written, call));
        found.map(|(_, text)| text.as_str())
    }
}
