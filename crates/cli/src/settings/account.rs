//! What a hook knows without its environment: the options of its command line, and its user's home.
//!
//! See docs/decisions/0093-a-hook-takes-nothing-from-its-environment.md.

use std::path::{Path, PathBuf};

const ACCOUNTS: &str = "/etc/passwd";

/// What the installed command of a hook names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HookOptions {
    /// The daemon's folder; the usual one of this user if it is missing.
    pub(crate) data: Option<PathBuf>,
    pub(crate) settings: Option<PathBuf>,
}

/// The home of our user in the system's list. A user that only a directory service knows has none here.
pub(super) fn find_account_home() -> Option<PathBuf> {
    let accounts = std::fs::read(Path::new(ACCOUNTS)).ok()?;
    find_home(&String::from_utf8_lossy(&accounts), rustix::process::geteuid().as_raw())
}

fn find_home(accounts: &str, user: u32) -> Option<PathBuf> {
    let home = accounts.lines().find_map(|line| {
        let columns: Vec<&str> = line.split(':').collect();
        let is_user = columns.get(2)?.parse() == Ok(user);
        is_user.then(|| columns.get(5).map(PathBuf::from)).flatten()
    });
    home.filter(|home| home.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_found_by_the_number_of_its_user() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nbroken\nana:x:1000:1000::/home/ana:/bin/sh\n";
        assert_eq!(find_home(accounts, 1000), Some(PathBuf::from("/home/ana")));
        assert_eq!(find_home(accounts, 0), Some(PathBuf::from("/root")));
        assert_eq!(find_home(accounts, 7), None);
        assert_eq!(find_home("a:x:7:7::relative:/bin/sh", 7), None);
    }
}
