//! Turns a panic anywhere in the program into exit code 1: a gate that breaks must not say yes.

use countersign_console::Exit;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};

pub(crate) fn catch_panics(program: impl FnOnce() -> Exit) -> Exit {
    set_hook(Box::new(report_panic));
    catch_unwind(AssertUnwindSafe(program)).unwrap_or(Exit::Failure)
}

fn report_panic(info: &PanicHookInfo<'_>) {
    let _ignored = writeln!(
        std::io::stderr(),
        "error: countersign crashed; treat this as no\n  help: report this as a bug: {info}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        assert_eq!(catch_panics(|| panic!("planted")), Exit::Failure);
        assert_eq!(catch_panics(|| Exit::Pending), Exit::Pending);
    }
}
