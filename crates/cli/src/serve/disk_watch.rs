//! Notices a disk that is almost full, and a record that cannot be written, while the daemon runs.

use countersign_console::{Page, RED, out};
use countersign_host::{Host, ProblemKind};
use countersign_setup::MIN_FREE_BYTES;
use std::path::PathBuf;

const MIB: u64 = 1 << 20;

pub(super) struct DiskWatch {
    folder: PathBuf,
    /// What was printed last, for each kind of problem.
    printed: [(ProblemKind, Option<String>); 2],
}

impl DiskWatch {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, printed: [(ProblemKind::Disk, None), (ProblemKind::Record, None)] }
    }

    /// Prints each problem once, and once that it is over.
    pub(super) fn check_host(&mut self, host: &Host) {
        host.report_problem(ProblemKind::Disk, self.find_problem());
        let health = host.health();
        for (kind, printed) in &mut self.printed {
            let found = health.problems.get(kind).map(|problem| problem.text.clone());
            // The amount of free space changes all the time.
            if found.is_some() == printed.is_some() {
                continue;
            }
            let mut page = Page::new();
            match &found {
                Some(text) => page.styled(RED, "problem").text(": ").text(text).end(),
                None => page.text(kind.word()).text(": works again").end(),
            };
            out::eprint(&page);
            *printed = found;
        }
    }

    fn find_problem(&self) -> Option<String> {
        let stats = rustix::fs::statvfs(&self.folder).ok()?;
        let free = stats.f_bavail.saturating_mul(stats.f_frsize);
        (free < MIN_FREE_BYTES).then(|| {
            let (shown, free) = (self.folder.display(), free / MIB);
            format!(
                "the disk of {shown} is almost full ({free} MiB free): free some space, because a \
                 call that cannot be recorded is not allowed"
            )
        })
    }
}
