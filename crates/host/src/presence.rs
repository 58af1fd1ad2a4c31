//! Whether the operator is present, over all surfaces together.
//!
//! A surface's report counts as long as it follows the event stream.
//!
//! See docs/decisions/0028-presence-per-surface.md.

use crate::HostEngine;
use countersign_core::model::names::SurfaceName;
use countersign_core::model::words::Presence;
use countersign_engine::EngineError;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub(crate) struct SurfacePresence {
    surfaces: Mutex<BTreeMap<SurfaceName, SurfaceReport>>,
    /// Held while a report is recorded, so that the last report is recorded last.
    recording: Mutex<()>,
}

struct SurfaceReport {
    /// How many event streams the surface has open.
    streams: usize,
    presence: Presence,
}

type Reports = BTreeMap<SurfaceName, SurfaceReport>;

impl SurfacePresence {
    pub(crate) fn join(&self, surface: &SurfaceName) -> Result<(), EngineError> {
        let new = SurfaceReport { streams: 0, presence: Presence::Unknown };
        self.lock()?.entry(surface.clone()).or_insert(new).streams += 1;
        Ok(())
    }

    /// Returns the overall presence; none if this surface follows no event stream.
    pub(crate) fn report(
        &self,
        engine: &HostEngine,
        surface: &SurfaceName,
        presence: Presence,
    ) -> Result<Option<Presence>, EngineError> {
        let _recording = self.recording.lock().map_err(|_| EngineError::Damaged)?;
        let overall = {
            let mut surfaces = self.lock()?;
            let Some(report) = surfaces.get_mut(surface) else { return Ok(None) };
            report.presence = presence;
            overall_presence(&surfaces)
        };
        engine.set_presence(overall)?;
        Ok(Some(overall))
    }

    pub(crate) fn leave(
        &self,
        engine: &HostEngine,
        surface: &SurfaceName,
    ) -> Result<(), EngineError> {
        let _recording = self.recording.lock().map_err(|_| EngineError::Damaged)?;
        let overall = {
            let mut surfaces = self.lock()?;
            if let Some(report) = surfaces.get_mut(surface) {
                report.streams = report.streams.saturating_sub(1);
            }
            surfaces.retain(|_, report| report.streams > 0);
            overall_presence(&surfaces)
        };
        engine.set_presence(overall)
    }

    fn lock(&self) -> Result<MutexGuard<'_, Reports>, EngineError> {
        self.surfaces.lock().map_err(|_| EngineError::Damaged)
    }
}

/// Somebody who is active at one surface is present, whatever the others report.
fn overall_presence(surfaces: &Reports) -> Presence {
    let is_reported = |presence| surfaces.values().any(|report| report.presence == presence);
    let by_strength = [Presence::Active, Presence::Idle, Presence::Away];
    by_strength.into_iter().find(|presence| is_reported(*presence)).unwrap_or(Presence::Unknown)
}
