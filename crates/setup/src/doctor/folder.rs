//! Checks the data folder and the free space on its disk.

use super::DoctorReport;
use crate::limits;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const MIB: u64 = 1 << 20;

pub(super) fn check_folder(report: &mut DoctorReport, folder: &Path) {
    let shown = folder.display();
    let Ok(metadata) = std::fs::metadata(folder) else {
        let text = format!("{shown} does not exist");
        return report.add_warning("folder", text, "`countersign serve` creates it");
    };
    let user = rustix::process::geteuid().as_raw();
    if !metadata.is_dir() {
        return report.add_problem("folder", format!("{shown} is not a folder"), "move it away");
    }
    match (metadata.uid() == user, metadata.mode() & 0o077) {
        (true, 0) => report.add_ok("folder", format!("only you can read {shown}")),
        (true, _) => {
            let text = format!("other users can read {shown}");
            report.add_problem("folder", text, format!("chmod 700 {shown}"));
        }
        (false, _) => {
            let text = format!("{shown} belongs to user {}", metadata.uid());
            report.add_problem("folder", text, "run this as the user that runs the daemon");
        }
    }
    for name in ["countersign.db", "operator.token"] {
        check_private_file(report, &folder.join(name));
    }
    check_free_space(report, folder);
}

fn check_private_file(report: &mut DoctorReport, file: &Path) {
    let Ok(metadata) = std::fs::symlink_metadata(file) else { return };
    let shown = file.display();
    if metadata.is_symlink() {
        let text = format!("{shown} is a link");
        report.add_warning("files", text, "move the file itself into the folder");
    } else if metadata.mode() & 0o077 != 0 {
        let text = format!("other users can read {shown}");
        report.add_problem("files", text, format!("chmod 600 {shown}"));
    }
}

fn check_free_space(report: &mut DoctorReport, folder: &Path) {
    let Ok(stats) = rustix::fs::statvfs(folder) else {
        let text = "the free space is not known";
        return report.add_warning("disk", text, "look at it with `df`");
    };
    let free = stats.f_bavail.saturating_mul(stats.f_frsize);
    let text = format!("{} MiB are free", free / MIB);
    match free {
        free if free < limits::MIN_FREE_BYTES => {
            report.add_problem(
                "disk",
                text,
                "free some space: a call that cannot be recorded is not allowed",
            );
        }
        free if free < limits::LOW_FREE_BYTES => {
            report.add_warning("disk", text, "free some space")
        }
        _ => report.add_ok("disk", text),
    }
}
