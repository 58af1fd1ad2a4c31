//! The bare log that a durable store is held against: appended bytes, and a sync.

use super::runs::{BenchResult, Context};
use crate::failure::Failure;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

pub struct Log {
    file: File,
}

impl Log {
    pub fn in_folder(folder: &Path) -> BenchResult<Self> {
        Ok(Self { file: File::create(folder.join("log")).context("a log")? })
    }

    pub fn append(&mut self, bytes: &[u8]) -> BenchResult<()> {
        self.file.write_all(bytes).and_then(|()| self.file.sync_data()).context("appending")
    }
}

/// Where one caller sends its records, and hears that they are on the disk.
pub struct AppendCaller {
    records: Sender<(Vec<u8>, Sender<()>)>,
    answer: Sender<()>,
    answers: Receiver<()>,
}

impl AppendCaller {
    pub fn append(&self, bytes: &[u8]) -> BenchResult<()> {
        self.begin(bytes)?;
        self.end()
    }

    pub fn begin(&self, bytes: &[u8]) -> BenchResult<()> {
        let sent = self.records.send((bytes.to_vec(), self.answer.clone()));
        sent.map_err(|_| Failure::new("the log has ended"))
    }

    /// Waits until it is on the disk.
    pub fn end(&self) -> BenchResult<()> {
        self.answers.recv().map_err(|_| Failure::new("the log has ended"))
    }
}

/// One thread that writes what has come meanwhile and syncs once for all of it.
pub fn group(folder: &Path, callers: usize) -> BenchResult<Vec<AppendCaller>> {
    let mut file = File::create(folder.join("group")).context("a log")?;
    let (records, waiting) = channel::<(Vec<u8>, Sender<()>)>();
    std::thread::spawn(move || {
        while let Ok((mut bytes, first)) = waiting.recv() {
            let mut answers = vec![first];
            while let Ok((more, answer)) = waiting.try_recv() {
                bytes.extend_from_slice(&more);
                answers.push(answer);
            }
            // Without an answer the callers end with a failure.
            if file.write_all(&bytes).and_then(|()| file.sync_data()).is_err() {
                return;
            }
            for answer in answers {
                // Who does not wait any more has ended.
                let _heard = answer.send(());
            }
        }
    });
    Ok((0..callers)
        .map(|_| {
            let (answer, answers) = channel();
            AppendCaller { records: records.clone(), answer, answers }
        })
        .collect())
}
