//! Redacts what reaches the record by other ways than a call: questions, answers, plans, grants and
//! the agents' own records.
//!
//! A command is redacted word by word, as in a call. So a grant that names a command with a secret
//! covers exactly the calls with that secret, and contains none.

use super::Marker;
use crate::encoding::digest::Key;
use crate::model::grant::Coverage;
use crate::model::imported::Imported;
use crate::model::plan::PlanDraft;
use crate::model::recorded::Recorded;
use crate::model::request::{Ahead, Answer};

impl Ahead {
    pub fn redact(&mut self, key: Option<&Key>) {
        let marker = Marker { key };
        [&mut self.text, &mut self.reason, &mut self.fallback]
            .into_iter()
            .for_each(|text| marker.redact_text(text));
    }
}

impl Recorded {
    pub fn redact(&mut self, key: Option<&Key>) {
        Marker { key }.redact_text(&mut self.text);
    }
}

impl Answer {
    /// The note, as it goes to the agent and into the record.
    pub(crate) fn redacted_note(&self, key: Option<&Key>) -> String {
        let mut note = self.note.clone();
        Marker { key }.redact_text(&mut note);
        note
    }
}

impl PlanDraft {
    pub(crate) fn redact(&mut self, key: Option<&Key>) {
        self.commands.iter_mut().for_each(|argv| Marker { key }.redact_argv(argv));
    }
}

impl Imported {
    pub(crate) fn redact(&mut self, key: Option<&Key>) {
        Marker { key }.redact_text(&mut self.words);
    }
}

impl Coverage {
    /// Redacts the command that the operator named. Other coverages contain no texts, or come from
    /// a call that was redacted already.
    pub fn redact(&mut self, key: Option<&Key>) {
        match self {
            Self::Command { argv, .. } => Marker { key }.redact_argv(argv),
            Self::Step { .. }
            | Self::Digest { .. }
            | Self::Head { .. }
            | Self::Action(_)
            | Self::Category(_)
            | Self::Run { .. }
            | Self::Class { .. }
            | Self::Everything
            | Self::Program(_) => {}
        }
    }
}

/// The words of a command as a grant contains them.
pub fn redacted_argv(argv: &[String], key: Option<&Key>) -> Vec<String> {
    let mut argv = argv.to_vec();
    Marker { key }.redact_argv(&mut argv);
    argv
}
