//! A gate must not fall over: whatever breaks inside, the exit code is not 0.

use crate::exit::Exit;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

/// Runs the program; a panic anywhere in it is a failure.
pub(crate) fn guarded(program: impl FnOnce() -> Exit) -> Exit {
    set_hook(Box::new(confess));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or(Exit::Failure)
}

fn confess(info: &PanicHookInfo<'_>) {
    let _unheard = writeln!(
        std::io::stderr(),
        "error: countersign broke down; treat this as no\n  help: report this as a bug: {info}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(guarded(|| panic!("planted")), Exit::Failure);
        assert_eq!(guarded(|| Exit::Pending), Exit::Pending);
    }
}
