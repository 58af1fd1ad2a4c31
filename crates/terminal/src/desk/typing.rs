//! Keys as they come: whether they count at all, and the line they make.

use super::{Act, Desk, Heard, Listening};
use crate::keys::Key;
use crate::limits;
use crate::line::{Line, Room, Spoilt};
use countersign_core::model::words::Presence;
use std::time::Duration;

impl Desk {
    /// Bytes that were found at this time, and not there when it was looked before.
    pub fn typed(&mut self, bytes: &[u8], since: Duration, at: Duration) {
        if self.heard == Heard::Nothing || bytes.is_empty() {
            return;
        }
        self.keyed(at);
        for key in self.keys.read(bytes, at) {
            if self.listens(since, at) {
                self.key(key, at);
            } else {
                self.dropped(key);
            }
            if self.over {
                return;
            }
        }
        self.listens(since, at);
        self.prompt();
    }

    /// Bytes that came before something was shown whole: they are read, and are nothing.
    pub fn missed(&mut self, bytes: &[u8], at: Duration) {
        if self.heard == Heard::Typed && !bytes.is_empty() {
            self.keyed(at);
            self.keys.read(bytes, at).into_iter().for_each(|key| self.dropped(key));
        }
    }

    /// A key that does not count.
    fn dropped(&mut self, key: Key) {
        match key {
            Key::Char(_) | Key::Broken => self.cut = true,
            Key::Enter | Key::EraseAll | Key::Interrupt => self.cut = false,
            Key::Erase
            | Key::End
            | Key::PasteBegins
            | Key::PasteEnds
            | Key::Focus
            | Key::Nothing => {}
        }
    }

    /// Whether a key counts that came between these times. One that may have come too early does
    /// not, and keeps the next ones waiting.
    fn listens(&mut self, since: Duration, at: Duration) -> bool {
        let Some(current) = &mut self.current else { return true };
        match current.listening {
            Listening::Now => true,
            Listening::NotYet => false,
            Listening::From(from) if since >= from => {
                current.listening = Listening::Now;
                true
            }
            Listening::From(_) => {
                current.listening = Listening::From(at + limits::GUARD);
                false
            }
        }
    }

    fn key(&mut self, key: Key, at: Duration) {
        match key {
            Key::Char(letter) => {
                if self.cut {
                    self.line.spoil(Spoilt::Cut);
                }
                // With what is there so far, and not with this letter twice.
                self.prompt();
                if self.line.push(letter, at) == Room::Left {
                    self.echo(letter);
                }
            }
            Key::Enter => self.entered(at),
            Key::Erase => {
                if let Some(letter) = self.line.erase(at) {
                    self.echo_erased(letter);
                }
            }
            Key::EraseAll => {
                self.cut = false;
                self.line = Line::default();
                self.away_from_prompt();
            }
            Key::End if !self.line.is_begun() => self.quit(),
            Key::Interrupt => self.interrupted(),
            Key::PasteBegins | Key::PasteEnds => self.line.spoil(Spoilt::Pasted),
            Key::Broken => self.line.spoil(Spoilt::Broken),
            Key::Focus => self.focused(at),
            Key::End | Key::Nothing => {}
        }
    }

    fn entered(&mut self, at: Duration) {
        self.prompt();
        self.out.push('\n');
        self.within = false;
        let line = self.line.end(at);
        self.cut = false;
        self.reply(&line);
        self.prompt();
    }

    /// Whoever has just looked here again has not read yet.
    fn focused(&mut self, at: Duration) {
        if self.line.is_begun() {
            self.line.spoil(Spoilt::Disturbed);
        } else if let Some(current) = &mut self.current {
            current.listening = Listening::From(at + limits::GUARD);
            self.away_from_prompt();
        }
    }

    /// Ctrl-C: first what is half typed goes, then this. Neither is an answer.
    pub fn interrupted(&mut self) {
        self.keys.reset();
        if self.line.is_begun() {
            self.drop_line();
            self.cut = false;
            self.said("nothing was answered");
            self.prompt();
        } else {
            self.quit();
        }
    }

    pub(super) fn drop_line(&mut self) {
        self.cut |= self.line.is_begun();
        self.line = Line::default();
        self.away_from_prompt();
    }

    /// Ends this. What waits stays open.
    pub fn quit(&mut self) {
        self.drop_line();
        match self.questions.len() {
            0 => {}
            1 => self.said("1 request stays open, unanswered"),
            many => self.said(&format!("{many} requests stay open, unanswered")),
        }
        self.acts.push(Act::Quit);
        self.over = true;
    }

    /// The terminal is given back for a while.
    pub fn suspend(&mut self) {
        self.drop_line();
        self.say_presence(Presence::Away);
    }

    /// It is ours again: what is asked is shown again.
    pub fn resume(&mut self, now: Duration) {
        self.keys.reset();
        self.keyed(now);
        self.show_current();
    }

    /// Time has passed. No key has come before the time when it was last looked.
    pub fn tick(&mut self, looked_at: Duration, now: Duration) {
        if self.heard == Heard::Nothing {
            return;
        }
        self.attend(now);
        if let Some(current) = &mut self.current
            && matches!(current.listening, Listening::From(from) if looked_at >= from)
        {
            current.listening = Listening::Now;
        }
        self.prompt();
    }

    /// When time is to be looked at again.
    pub fn next_at(&self) -> Option<Duration> {
        let listens = match self.current.as_ref().map(|current| current.listening) {
            Some(Listening::From(from)) => Some(from),
            Some(Listening::Now | Listening::NotYet) | None => None,
        };
        [listens, self.presence_ends()].into_iter().flatten().min()
    }
}
