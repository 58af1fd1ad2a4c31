//! The scenarios, each with both programs.

mod broken;
mod connected;
mod operator;

use super::stage::Stage;
use crate::failure::Failure;

pub struct Scenario {
    pub name: &'static str,
    pub play: fn(&mut Stage<'_>) -> Result<(), Failure>,
}

pub const SCENARIOS: &[Scenario] = &[
    Scenario { name: "without our hooks every command runs", play: operator::run_without_hooks },
    Scenario { name: "an allowed command runs", play: operator::run_allowed_command },
    Scenario {
        name: "an allowed command asks outside of the workspace",
        play: operator::decline_outside,
    },
    Scenario { name: "an edit waits and is made after the yes", play: operator::approve_edit },
    Scenario { name: "a declined edit is not made", play: operator::decline_edit },
    Scenario {
        name: "a declined command does not run, and the model reads the note",
        play: operator::decline,
    },
    Scenario { name: "a command waits and runs after the yes", play: operator::approve },
    Scenario {
        name: "a standing command typed in the prompt runs unasked",
        play: operator::grant_standing,
    },
    Scenario { name: "after stop typed in the prompt no consent is used", play: operator::stop },
    Scenario { name: "the hook starts a daemon that is away", play: broken::start_daemon },
    Scenario {
        name: "a command does not run if the daemon dies while it waits",
        play: broken::kill_daemon,
    },
    Scenario { name: "nothing runs without the hook's program", play: broken::remove_program },
    Scenario {
        name: "nothing runs if something else answers at the socket",
        play: broken::answer_garbage,
    },
    Scenario { name: "a call of a wrapped server is asked about once", play: connected::ask_once },
    Scenario {
        name: "init connects the program, and uninstall restores its files",
        play: connected::install,
    },
];
