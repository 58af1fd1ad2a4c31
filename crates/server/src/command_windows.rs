//! When the commands of a program's sessions ran, to tell the program's own hooks from those that a
//! command runs.
//!
//! A command of an agent is a child of its program, as a hook is. What it starts, or becomes by
//! `exec`, began while the command ran. A hook of the program begins when the program has an event.
//! So a process below the program that began while a command of the session ran may be the agent's.
//! Times are the kernel's, in milliseconds since the machine started, sleep included.
//!
//! See docs/decisions/0087-who-speaks-through-a-hook.md.

use crate::limits;
use countersign_api::ProgramProcesses;
use countersign_core::model::ids::CallId;
use countersign_core::model::names::SessionKey;
use rustix::time::{ClockId, clock_gettime};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct CommandWindows(Mutex<BTreeMap<SessionKey, VecDeque<CommandWindow>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CommandWindow {
    call: CallId,
    state: WindowState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WindowState {
    /// Asked about; it does not run before the answer.
    Waiting,
    /// It may run since then.
    Running {
        from: u64,
    },
    Ended {
        from: u64,
        to: u64,
    },
}

/// Whether the hook that reports an event, or a process beside it, began with a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookSurroundings {
    /// No process of a command is known to live.
    Quiet,
    /// A command may be running, or left a process behind.
    Busy,
    /// The hook itself began with a command that has ended since.
    OfCommand,
}

impl CommandWindows {
    /// A command that may run from now on.
    pub fn start(&self, session: &SessionKey, call: CallId, now: u64) {
        self.add(session, CommandWindow { call, state: WindowState::Running { from: now } });
    }

    /// A command that waits for an answer, and starts when it is tried again.
    pub fn wait(&self, session: &SessionKey, call: CallId) {
        self.add(session, CommandWindow { call, state: WindowState::Waiting });
    }

    /// A call was allowed after it had waited.
    pub fn start_waiting(&self, session: &SessionKey, call: CallId, now: u64) {
        self.change(session, call, |state| match state {
            WindowState::Waiting => WindowState::Running { from: now },
            other => other,
        });
    }

    pub fn end(&self, session: &SessionKey, call: CallId, now: u64) {
        self.change(session, call, |state| match state {
            WindowState::Running { from } => WindowState::Ended { from, to: now },
            other => other,
        });
    }

    pub fn judge(&self, session: &SessionKey, processes: &ProgramProcesses) -> HookSurroundings {
        let windows = self.lock();
        let windows: Vec<_> = windows.get(session).into_iter().flatten().collect();
        let hook = processes.hook.number();
        if windows.iter().any(|window| window.is_ended() && window.contains(hook)) {
            return HookSurroundings::OfCommand;
        }
        let others = processes.others.as_slice().iter().map(|started| started.number());
        let mut all = others.chain([hook]);
        match all.any(|started| windows.iter().any(|window| window.contains(started))) {
            true => HookSurroundings::Busy,
            false => HookSurroundings::Quiet,
        }
    }

    /// The oldest two become one if there are too many: it covers both, and what lies between.
    fn add(&self, session: &SessionKey, window: CommandWindow) {
        let mut sessions = self.lock();
        let is_full = sessions.len() >= limits::MAX_COMMAND_SESSIONS;
        if is_full && !sessions.contains_key(session) {
            sessions.pop_first();
        }
        let windows = sessions.entry(session.clone()).or_default();
        windows.retain(|known| known.call != window.call);
        windows.push_back(window);
        if windows.len() > limits::MAX_COMMAND_WINDOWS
            && let (Some(first), Some(second)) = (windows.pop_front(), windows.pop_front())
        {
            windows.push_front(first.merge(second));
        }
    }

    fn change(
        &self,
        session: &SessionKey,
        call: CallId,
        change: impl FnOnce(WindowState) -> WindowState,
    ) {
        let mut sessions = self.lock();
        let windows = sessions.get_mut(session).into_iter().flatten();
        if let Some(window) = windows.rev().find(|window| window.call == call) {
            window.state = change(window.state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionKey, VecDeque<CommandWindow>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CommandWindow {
    const fn is_ended(&self) -> bool {
        matches!(self.state, WindowState::Ended { .. })
    }

    /// From when to when its processes can have begun. Without a report of its end, a command that a
    /// program has given up counts as long as programs let commands run.
    const fn span(&self) -> Option<(u64, u64)> {
        match self.state {
            WindowState::Waiting => None,
            WindowState::Running { from } => Some((from, from + limits::MAX_COMMAND_MILLIS)),
            WindowState::Ended { from, to } => Some((from, to)),
        }
    }

    /// The kernel rounds the start of a process down to a tick. What certainly began before the end was
    /// reported counts; what may have begun after it does not.
    fn contains(&self, started: u64) -> bool {
        let tick = limits::PROCESS_TICK_MILLIS;
        self.span().is_some_and(|(from, to)| started + 2 * tick >= from && started + tick <= to)
    }

    fn merge(self, later: Self) -> Self {
        let state = match (self.span(), later.span()) {
            (Some((from, _)), Some((_, to))) => WindowState::Ended { from, to },
            (Some(_), None) => self.state,
            (None, _) => later.state,
        };
        Self { call: later.call, state }
    }
}

/// The kernel's clock of process starts.
pub(crate) fn read_boot_millis() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let (seconds, nanos) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds * 1_000 + nanos / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::model::names::{Agent, SessionName};

    const TICK: u64 = limits::PROCESS_TICK_MILLIS;

    fn session(name: &str) -> SessionKey {
        let agent = Agent::parse("claude").unwrap();
        SessionKey::new(&agent, &SessionName::parse(name).unwrap())
    }

    fn call(number: usize) -> CallId {
        CallId::parse(&format!("c00100501{number:04}d6286387001800000000")).unwrap()
    }

    fn judge(windows: &CommandWindows, hook: u64, others: &[u64]) -> HookSurroundings {
        let others: Vec<_> = others.iter().map(|at| (*at).try_into().unwrap()).collect();
        let others = others.try_into().unwrap();
        windows.judge(&session("a"), &ProgramProcesses { hook: hook.try_into().unwrap(), others })
    }

    #[test]
    fn a_hook_is_the_commands_if_it_began_while_that_ran() {
        let windows = CommandWindows::default();
        windows.start(&session("a"), call(1), 10_000);
        assert_eq!(judge(&windows, 15_000, &[]), HookSurroundings::Busy, "it may still run");
        windows.end(&session("a"), call(1), 20_000);
        assert_eq!(judge(&windows, 15_000, &[]), HookSurroundings::OfCommand);
        assert_eq!(judge(&windows, 30_000, &[]), HookSurroundings::Quiet);
        assert_eq!(judge(&windows, 30_000, &[15_000]), HookSurroundings::Busy, "a job lives");
        assert_eq!(judge(&windows, 30_000, &[9_000]), HookSurroundings::Quiet, "an older server");
        assert_eq!(judge(&windows, 20_000, &[10_000 - TICK]), HookSurroundings::Busy);
        assert_eq!(judge(&windows, 20_001 - TICK, &[]), HookSurroundings::Quiet);
        windows.start(&session("b"), call(2), 29_000);
        assert_eq!(judge(&windows, 30_000, &[]), HookSurroundings::Quiet, "of another session");
    }

    #[test]
    fn what_waits_does_not_run_and_what_is_given_up_ends() {
        let windows = CommandWindows::default();
        windows.wait(&session("a"), call(1));
        assert_eq!(judge(&windows, 15_000, &[]), HookSurroundings::Quiet);
        windows.start_waiting(&session("a"), call(1), 20_000);
        assert_eq!(judge(&windows, 25_000, &[]), HookSurroundings::Busy);
        let later = 20_000 + limits::MAX_COMMAND_MILLIS + 2 * TICK;
        assert_eq!(judge(&windows, later, &[]), HookSurroundings::Quiet);
        assert_eq!(judge(&windows, later, &[25_000]), HookSurroundings::Busy);
    }

    #[test]
    fn many_commands_are_remembered_as_one() {
        let windows = CommandWindows::default();
        let count = 3 * limits::MAX_COMMAND_WINDOWS;
        for number in 1..=count {
            let at = 10_000 * number as u64;
            windows.start(&session("a"), call(number), at);
            windows.end(&session("a"), call(number), at + 100);
        }
        assert_eq!(windows.lock()[&session("a")].len(), limits::MAX_COMMAND_WINDOWS);
        assert_eq!(judge(&windows, 10_050, &[]), HookSurroundings::OfCommand);
        let last = 10_000 * count as u64;
        assert_eq!(judge(&windows, last + 50, &[]), HookSurroundings::OfCommand);
        assert_eq!(judge(&windows, last - 5_000, &[]), HookSurroundings::Quiet);
    }
}
