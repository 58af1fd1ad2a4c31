//! The texts of files that decide what lines execute, in memory only: a card shows what changed.
//!
//! See docs/decisions/0119-write-then-run.md.

use crate::limits::{SEEN_TEXT_BYTES, SEEN_TEXTS};
use countersign_core::model::run_file::RunFileContent;
use countersign_observe::ReadRunFile;
use std::collections::VecDeque;
use std::sync::Mutex;

/// The texts of files that were seen, by their hashes.
#[derive(Default)]
pub(crate) struct SeenTexts(Mutex<VecDeque<(String, String)>>);

impl SeenTexts {
    pub(crate) fn keep(&self, read: &ReadRunFile) {
        let (RunFileContent::Hash(hash), Some(text)) = (&read.file.content, &read.text) else {
            return;
        };
        let Ok(mut kept) = self.0.lock() else { return };
        kept.retain(|(known, _)| known != hash);
        kept.push_back((hash.clone(), text.clone()));
        let bytes =
            |kept: &VecDeque<(String, String)>| kept.iter().map(|one| one.1.len()).sum::<usize>();
        while kept.len() > SEEN_TEXTS || bytes(&kept) > SEEN_TEXT_BYTES {
            kept.pop_front();
        }
    }

    pub(crate) fn find(&self, content: Option<&RunFileContent>) -> Option<String> {
        let Some(RunFileContent::Hash(hash)) = content else { return None };
        let kept = self.0.lock().ok()?;
        kept.iter().find(|(known, _)| known == hash).map(|(_, text)| text.clone())
    }
}
