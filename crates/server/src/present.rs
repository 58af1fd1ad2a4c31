//! Whether somebody is there, of all surfaces together. Each has a word of its own, which counts
//! as long as it looks at what comes, and ends with that.

use crate::TheEngine;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Presence;
use countersign_engine::EngineError;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub(crate) struct Present {
    surfaces: Mutex<BTreeMap<SurfaceName, Word>>,
    /// One after the other, so that what was said last is what is recorded last.
    turn: Mutex<()>,
}

struct Word {
    /// How often it looks at what comes.
    streams: usize,
    presence: Presence,
}

type Surfaces<'a> = MutexGuard<'a, BTreeMap<SurfaceName, Word>>;

impl Present {
    /// A surface begins to look at what comes. It has said nothing yet.
    pub(crate) fn arrives(&self, surface: &SurfaceName) -> Result<(), EngineError> {
        let mut surfaces = self.surfaces()?;
        let word = Word { streams: 0, presence: Presence::Unknown };
        surfaces.entry(surface.clone()).or_insert(word).streams += 1;
        Ok(())
    }

    /// What holds from now on; none if this surface does not look at what comes.
    pub(crate) fn says(
        &self,
        engine: &TheEngine,
        surface: &SurfaceName,
        presence: Presence,
    ) -> Result<Option<Presence>, EngineError> {
        let _turn = self.turn.lock().map_err(|_| EngineError::Damaged)?;
        let together = {
            let mut surfaces = self.surfaces()?;
            let Some(word) = surfaces.get_mut(surface) else { return Ok(None) };
            word.presence = presence;
            together(&surfaces)
        };
        engine.presence(together)?;
        Ok(Some(together))
    }

    /// With its last look a surface's word is over.
    pub(crate) fn leaves(
        &self,
        engine: &TheEngine,
        surface: &SurfaceName,
    ) -> Result<(), EngineError> {
        let _turn = self.turn.lock().map_err(|_| EngineError::Damaged)?;
        let together = {
            let mut surfaces = self.surfaces()?;
            if let Some(word) = surfaces.get_mut(surface) {
                word.streams = word.streams.saturating_sub(1);
            }
            surfaces.retain(|_, word| word.streams > 0);
            together(&surfaces)
        };
        engine.presence(together)
    }

    fn surfaces(&self) -> Result<Surfaces<'_>, EngineError> {
        self.surfaces.lock().map_err(|_| EngineError::Damaged)
    }
}

/// Somebody who types at one of them is there, whatever the others say.
fn together(surfaces: &BTreeMap<SurfaceName, Word>) -> Presence {
    let says = |presence| surfaces.values().any(|word| word.presence == presence);
    let nearest = [Presence::Active, Presence::Idle, Presence::Away];
    nearest.into_iter().find(|presence| says(*presence)).unwrap_or(Presence::Unknown)
}
