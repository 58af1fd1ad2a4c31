//! Looks for a no that the user gives in the program's own prompt, while the permission hook waits.
//!
//! See docs/decisions/0096-a-no-in-the-programs-prompt.md.

use super::daemon::HookDaemon;
use crate::limits;
use countersign_api::{ProgramDeclineRequest, Text};
use countersign_core::model::names::SessionName;
use countersign_harness::{HookEvent, find_rejections};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The transcript of a session, from where it ended when the prompt was shown.
pub(super) struct RejectionWatch<'h> {
    daemon: &'h HookDaemon,
    session: &'h SessionName,
    transcript: PathBuf,
    read_to: u64,
}

impl<'h> RejectionWatch<'h> {
    pub(super) fn start(daemon: &'h HookDaemon, event: &'h HookEvent) -> Option<Self> {
        let transcript = PathBuf::from(event.transcript.as_deref()?);
        let read_to = fs::metadata(&transcript).map_or(0, |found| found.len());
        Some(Self { daemon, session: &event.session, transcript, read_to })
    }

    /// Reports what the user has rejected since the last time; false if that is nothing. The daemon
    /// knows which of the calls is ours.
    pub(super) fn report_new(&mut self) -> bool {
        let rejections = find_rejections(&self.read_new_lines().unwrap_or_default());
        for rejection in &rejections {
            let (Ok(id), Ok(note)) =
                (Text::try_from(rejection.id.clone()), Text::try_from(rejection.note.clone()))
            else {
                continue;
            };
            let request = ProgramDeclineRequest { session: self.session.clone(), id, note };
            // Of a call that was not asked about here, the daemon knows nothing.
            let _unknown = self.daemon.send(|agent| agent.report_program_decline(&request));
        }
        !rejections.is_empty()
    }

    fn read_new_lines(&mut self) -> std::io::Result<String> {
        let found = fs::metadata(&self.transcript)?;
        if !found.is_file() || found.len() <= self.read_to {
            return Ok(String::new());
        }
        let mut file = File::open(&self.transcript)?;
        file.seek(SeekFrom::Start(self.read_to))?;
        let mut bytes = Vec::new();
        file.take(limits::TRANSCRIPT_PART).read_to_end(&mut bytes)?;
        // The rest of a line that is being written is read with the next part.
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let is_long_line = end == 0 && bytes.len() as u64 == limits::TRANSCRIPT_PART;
        bytes.truncate(if is_long_line { bytes.len() } else { end });
        self.read_to += bytes.len() as u64;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
