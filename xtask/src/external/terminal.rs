//! A program at a terminal, which tmux shows and types into.

use super::running::PATIENCE;
use crate::clock::Stopwatch;
use crate::failure::Failure;
use crate::installed::ensure_package;
use crate::process::{can_run, capture, run_quietly};
use std::process::Command;
use std::time::Duration;

/// How long a program may take to act on a key.
const KEY_PATIENCE: Duration = Duration::from_secs(2);

pub struct Terminal {
    /// The name of a tmux server that has nothing else in it.
    server: String,
}

impl Terminal {
    /// Starts the program of a command with the command's words, variables and folder.
    pub fn start(command: &Command, columns: usize, rows: usize) -> Result<Self, Failure> {
        ensure_package("tmux", || can_run(Command::new("tmux").arg("-V")))?;
        let terminal = Self { server: format!("countersign-terminal-{}", std::process::id()) };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let mut tmux = terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows]);
        tmux.env_clear().env("TERM", "xterm-256color");
        tmux.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.get_current_dir().map(|folder| tmux.current_dir(folder));
        run_quietly(tmux.arg(command.get_program()).args(command.get_args()))?;
        Ok(terminal)
    }

    /// Types a line, and ends it when it is on the screen: what comes at once counts as pasted.
    pub fn type_line(&self, line: &str) -> Result<(), Failure> {
        self.type_text(line)?;
        self.press("Enter")
    }

    pub fn type_text(&self, text: &str) -> Result<(), Failure> {
        run_quietly(&mut self.tmux(&["send-keys", "-l", text]))?;
        self.wait_for(text)
    }

    pub fn press(&self, key: &str) -> Result<(), Failure> {
        run_quietly(&mut self.tmux(&["send-keys", key])).map(drop)
    }

    /// Presses a key until these words have left the screen. A question that has just appeared takes
    /// no key yet, so that nobody answers it by accident.
    pub fn press_until_gone(&self, key: &str, words: &str) -> Result<(), Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            self.press(key)?;
            let pressed = Stopwatch::start();
            while pressed.elapsed() < KEY_PATIENCE {
                if !self.capture_text()?.contains(words) {
                    return Ok(());
                }
            }
        }
        let screen = self.capture_text()?;
        Err(Failure::new(format!("`{key}` did not remove `{words}` from the screen:\n{screen}")))
    }

    /// Returns when these words are on the screen.
    pub fn wait_for(&self, words: &str) -> Result<(), Failure> {
        let since = Stopwatch::start();
        let mut screen = String::new();
        while since.elapsed() < PATIENCE {
            screen = self.capture_text()?;
            if screen.contains(words) {
                return Ok(());
            }
        }
        Err(Failure::new(format!("`{words}` did not appear on the screen:\n{screen}")))
    }

    /// Types a line at the bottom of the screen as a person does. What has just appeared takes no key
    /// yet, and then the rest of the line would not count: so it is erased and begun again until its
    /// first character is there.
    pub fn type_slowly(&self, text: &str) -> Result<(), Failure> {
        let mut typed = String::new();
        for c in text.chars() {
            typed.push(c);
            let key = c.to_string();
            // Blanks at the end of a line are not captured.
            let is_shown = |screen: &str| screen.trim_end().ends_with(typed.trim_end());
            match typed.len() {
                1 => self.press_until(&["C-u", &key], is_shown)?,
                _ => {
                    run_quietly(&mut self.tmux(&["send-keys", "-l", &key]))?;
                    self.wait_for(typed.trim_end())?;
                }
            }
        }
        Ok(())
    }

    /// Presses a key until these words are on the screen.
    pub fn press_until_shown(&self, key: &str, words: &str) -> Result<(), Failure> {
        self.press_until(&[key], |screen| screen.contains(words))
    }

    fn press_until(&self, keys: &[&str], is_shown: impl Fn(&str) -> bool) -> Result<(), Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            keys.iter().try_for_each(|key| self.press(key))?;
            let pressed = Stopwatch::start();
            while pressed.elapsed() < KEY_PATIENCE {
                if is_shown(&self.capture_text()?) {
                    return Ok(());
                }
            }
        }
        let screen = self.capture_text()?;
        Err(Failure::new(format!("{keys:?} did not show what they should:\n{screen}")))
    }

    /// Returns when the line that is typed no longer ends with these words.
    pub fn wait_until_answered(&self, words: &str) -> Result<(), Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            if !self.capture_text()?.trim_end().ends_with(words) {
                return Ok(());
            }
        }
        Err(Failure::new(format!("`{words}` was typed, and nothing happened")))
    }

    /// Returns when these words have left the screen.
    pub fn wait_until_gone(&self, words: &str) -> Result<(), Failure> {
        let since = Stopwatch::start();
        while since.elapsed() < PATIENCE {
            if !self.capture_text()?.contains(words) {
                return Ok(());
            }
        }
        Err(Failure::new(format!("`{words}` is still on the screen")))
    }

    /// Gives the window another size.
    pub fn resize(&self, columns: usize, rows: usize) -> Result<(), Failure> {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        run_quietly(&mut self.tmux(&["resize-window", "-x", &columns, "-y", &rows])).map(drop)
    }

    fn capture_text(&self) -> Result<String, Failure> {
        capture(&mut self.tmux(&["capture-pane", "-p"]))
    }

    /// What is on the screen, with its colours.
    pub fn capture_colors(&self) -> Result<String, Failure> {
        capture(&mut self.tmux(&["capture-pane", "-p", "-e"]))
    }

    fn tmux(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-f", "/dev/null", "-L", &self.server]).args(words);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended with its program.
        let _ended = run_quietly(&mut self.tmux(&["kill-server"]));
    }
}
