//! The scenarios: most with every program, some only with one at a terminal.

mod attended;
mod broken;
mod connected;
mod operator;

use super::agent::Agent;
use super::stage::Stage;
use crate::failure::Failure;

type Play = fn(&mut Stage<'_>) -> Result<(), Failure>;

pub struct Scenario {
    pub name: &'static str,
    pub agents: &'static [Agent],
    pub play: Play,
}

const fn with_all(name: &'static str, play: Play) -> Scenario {
    Scenario { name, agents: &Agent::ALL, play }
}

const fn at_terminal(name: &'static str, play: Play) -> Scenario {
    Scenario { name, agents: &[Agent::Claude], play }
}

pub const SCENARIOS: &[Scenario] = &[
    with_all("without our hooks every command runs", operator::run_without_hooks),
    with_all("an allowed command runs", operator::run_allowed_command),
    with_all("an allowed command asks outside of the workspace", operator::decline_outside),
    with_all("an edit waits and is made after the yes", operator::approve_edit),
    with_all("a declined edit is not made", operator::decline_edit),
    with_all("a declined command does not run, and the model reads the note", operator::decline),
    with_all("a command waits and runs after the yes", operator::approve),
    with_all(
        "a yes after the end of the program counts when its session goes on",
        operator::approve_later,
    ),
    with_all("a standing command typed in the prompt runs unasked", operator::grant_standing),
    with_all("after stop typed in the prompt no consent is used", operator::stop),
    with_all("the hook starts a daemon that is away", broken::start_daemon),
    with_all("a command does not run if the daemon dies while it waits", broken::kill_daemon),
    with_all("nothing runs without the hook's program", broken::remove_program),
    with_all("nothing runs if something else answers at the socket", broken::answer_garbage),
    with_all("a call of a wrapped server is asked about once", connected::ask_once),
    with_all("init connects the program, and uninstall restores its files", connected::install),
    at_terminal("yes in the program's own prompt runs the command", attended::approve_in_prompt),
    at_terminal(
        "no in the program's own prompt declines the question",
        attended::decline_in_prompt,
    ),
    at_terminal(
        "a note beside no in the program's own prompt is on record",
        attended::decline_with_note_in_prompt,
    ),
    at_terminal(
        "yes in the program's own prompt makes the edit, whatever the mode",
        attended::approve_edit_in_prompt,
    ),
    at_terminal(
        "a cleared conversation offers its standing command to the next",
        attended::clear_conversation,
    ),
    at_terminal("a yes elsewhere closes the program's own prompt", attended::approve_beside_prompt),
    at_terminal(
        "a no elsewhere closes the program's own prompt, with the note",
        attended::decline_beside_prompt,
    ),
];
