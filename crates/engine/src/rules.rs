//! What policies and command rules say about a call: asked between reading it and deciding it.

use crate::{Engine, Store};
use countersign_core::call::Call;
use countersign_core::facts::Facts;
use countersign_core::ruled::{NOTHING, Ruled};

impl<S: Store> Engine<S> {
    /// Asked again at every attempt: a link may point elsewhere by then.
    pub(crate) fn ruled(&self, _facts: &Facts, _call: &Call) -> Ruled {
        NOTHING.clone()
    }
}
