//! Desk, terminal and daemon together, one step at a time.
//!
//! What is there to read is read before anything new is shown, and what came while it was being
//! written is thrown away: so no key is taken for an answer to what was not there yet.

use crate::clock::Clock;
use crate::desk::{Act, Desk, News, Told, What};
use crate::device::{Console, Reading};
use crate::reply::Command;
use countersign_core::model::delivery::Evidence;
use countersign_core::model::words::Presence;
use std::io;
use std::time::Duration;

pub use crate::desk::Outcome;

/// What can be asked of the daemon.
pub trait Operator {
    fn answer(&mut self, told: &Told) -> Outcome;
    /// Lines that a command brings.
    fn command(&mut self, command: &Command) -> Vec<String>;
    fn presence(&mut self, presence: Presence);
    fn delivered(&mut self, what: &What, evidence: Evidence);
    /// A card that may have changed, or that it is no longer open.
    fn fetch(&mut self, request: &str) -> Option<News>;
}

pub struct Seat<C, O, T> {
    desk: Desk,
    console: C,
    operator: O,
    clock: T,
    /// When it was last looked what was typed: everything before that is known.
    looked_at: Duration,
}

impl<C: Console, O: Operator, T: Clock> Seat<C, O, T> {
    pub fn take(mut desk: Desk, console: C, operator: O, clock: T) -> io::Result<Self> {
        desk.begin(clock.now());
        let looked_at = clock.now();
        let mut seat = Self { desk, console, operator, clock, looked_at };
        seat.settle()?;
        Ok(seat)
    }

    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    pub fn console(&self) -> &C {
        &self.console
    }

    pub fn operator(&mut self) -> &mut O {
        &mut self.operator
    }

    /// Takes what was typed.
    pub fn read(&mut self) -> io::Result<()> {
        let (bytes, since, reading) = self.look()?;
        self.desk.typed(&bytes, since, self.clock.now());
        if reading == Reading::Ended && !self.desk.is_over() {
            self.desk.quit();
        }
        self.settle()
    }

    /// What was typed since the last look, and when that was.
    fn look(&mut self) -> io::Result<(Vec<u8>, Duration, Reading)> {
        let now = self.clock.now();
        let mut bytes = Vec::new();
        let reading = self.console.waiting(&mut bytes)?;
        Ok((bytes, std::mem::replace(&mut self.looked_at, now), reading))
    }

    /// Shows what has come.
    pub fn came(&mut self, news: News) -> io::Result<()> {
        self.read()?;
        if self.desk.is_over() {
            return Ok(());
        }
        self.desk.came(news, self.clock.now());
        self.settle()
    }

    /// How long nothing has to be looked at, if nothing comes.
    pub fn wait(&self) -> Option<Duration> {
        Some(self.desk.next_at()?.saturating_sub(self.clock.now()))
    }

    /// Time has passed.
    pub fn tick(&mut self) -> io::Result<()> {
        self.desk.tick(self.looked_at, self.clock.now());
        self.settle()
    }

    pub fn interrupted(&mut self) -> io::Result<()> {
        self.desk.interrupted();
        self.settle()
    }

    pub fn quit(&mut self) -> io::Result<()> {
        if !self.desk.is_over() {
            self.desk.quit();
        }
        self.settle()
    }

    /// Gives the terminal back, lets something else have it, and takes it again.
    pub fn suspend(&mut self, meanwhile: impl FnOnce()) -> io::Result<()> {
        self.desk.suspend();
        self.settle()?;
        self.console.leave()?;
        meanwhile();
        self.console.enter()?;
        self.desk.resume(self.clock.now());
        self.settle()
    }

    /// Writes what is to be written and does what is to be done, until nothing is left. Only then
    /// a question counts as shown, since doing may have taken its time.
    fn settle(&mut self) -> io::Result<()> {
        loop {
            let text = self.desk.take_text();
            if !text.is_empty() {
                self.console.write(&text)?;
            }
            let acts = self.desk.take_acts();
            if acts.is_empty() {
                break;
            }
            for act in acts {
                self.act(act);
            }
        }
        if self.desk.shows() {
            let (bytes, ..) = self.look()?;
            let now = self.clock.now();
            self.desk.missed(&bytes, now);
            self.desk.shown(now);
        }
        Ok(())
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Answer(told) => {
                let outcome = self.operator.answer(&told);
                self.desk.settled(&told.request, outcome);
            }
            Act::Command(command) => {
                let lines = self.operator.command(&command);
                self.desk.answered(&lines);
            }
            Act::Presence(presence) => self.operator.presence(presence),
            Act::Delivered { what, evidence } => self.operator.delivered(&what, evidence),
            Act::Fetch(request) => {
                if let Some(news) = self.operator.fetch(&request) {
                    self.desk.came(news, self.clock.now());
                }
            }
            Act::Quit => {}
        }
    }
}
