//! Programs that end processes, by their ids or names.

use super::prelude::*;

/// Signals by their name only: a second number with a dash is a process group, and `-1` is every
/// process.
const KILL: OptionTable = changer("kill", "", "")
    .single_dash()
    .long(
        "HUP INT QUIT KILL TERM USR1 USR2 STOP CONT SIGHUP SIGINT SIGQUIT SIGKILL SIGTERM \
           SIGUSR1 SIGUSR2",
    )
    .operands(ProcessIds)
    .no_head();

pub(super) const PROCESSES: &[OptionTable] = &[
    KILL,
    KILL.with_name("kill -9").long(""),
    KILL.with_name("kill -15").long(""),
    KILL.with_name("kill -2").long(""),
    reader_of_words("kill -0", "", "").operands(ProcessIds),
    reader_of_words("kill -l", "", ""),
    changer("pkill", "fxnoe0123456789", "")
        .long("full exact newest oldest")
        .operands(Names)
        .no_head(),
    changer("killall", "qvwe0123456789", "")
        .long("quiet verbose wait exact")
        .operands(Names)
        .no_head(),
];
