//! Panels: text that covers the card. While one is open, no key reaches the line.

use super::{Movement, Panel, PanelKind, PanelLine, ScrollState, TerminalKey};
use crate::prompt::Prompt;
use countersign_card::escape_for_display;

impl Prompt {
    pub(super) fn open_panel(&mut self, title: &str, lines: Vec<PanelLine>, kind: PanelKind) {
        let title = title.to_owned();
        self.discard_line();
        self.is_line_cut = false;
        if let Some(screen) = &mut self.screen {
            screen.panel = Some(Panel { title, lines, kind, scroll: ScrollState::default() });
        }
    }

    pub(super) fn close_panel(&mut self) {
        if let Some(screen) = &mut self.screen {
            screen.panel = None;
        }
        self.show_active();
    }

    pub(in crate::prompt) fn show_help(&mut self) {
        let lines = SCREEN_HELP.iter().map(|line| match line.strip_prefix("# ") {
            Some(heading) => PanelLine::Heading(heading.to_owned()),
            None => PanelLine::Text((*line).to_owned()),
        });
        self.open_panel("Keys", lines.collect(), PanelKind::Text);
    }

    pub(in crate::prompt) fn list_messages(&mut self) {
        let Some(screen) = &mut self.screen else { return };
        let messages = std::mem::take(&mut screen.messages);
        let lines: Vec<PanelLine> =
            messages.into_iter().map(|message| PanelLine::Text(message.text)).collect();
        match lines.is_empty() {
            true => self.write_line("there are no messages"),
            false => self.open_panel("Messages", lines, PanelKind::Text),
        }
    }

    /// Shows the whole request, as the agent sent it with a request.
    pub fn show_whole(&mut self, request: &str, lines: Vec<String>) {
        let lines = lines.iter().map(|line| PanelLine::Text(escape_for_display(line))).collect();
        let request = request.to_owned();
        self.open_panel("The whole call", lines, PanelKind::Whole { request, is_reported: false });
    }

    /// Shows what runs and what is allowed.
    pub fn show_overview(&mut self, lines: Vec<PanelLine>) {
        let lines = lines.into_iter().map(|line| match line {
            PanelLine::Heading(text) => PanelLine::Heading(escape_for_display(&text)),
            PanelLine::Text(text) => PanelLine::Text(escape_for_display(&text)),
        });
        self.open_panel("What runs, and what is allowed now", lines.collect(), PanelKind::Overview);
    }
}

pub(super) enum PanelStep {
    Scroll(Movement),
    Close,
    Nothing,
}

pub(super) fn panel_step(key: TerminalKey) -> PanelStep {
    match key {
        TerminalKey::Move(Movement::NextScreen)
        | TerminalKey::Escape
        | TerminalKey::Enter
        | TerminalKey::Interrupt
        | TerminalKey::EndOfInput
        | TerminalKey::Char('q') => PanelStep::Close,
        TerminalKey::Move(movement) => PanelStep::Scroll(movement),
        TerminalKey::Char(' ') => PanelStep::Scroll(Movement::PageDown),
        TerminalKey::Char('b') => PanelStep::Scroll(Movement::PageUp),
        TerminalKey::Char('j') => PanelStep::Scroll(Movement::Down),
        TerminalKey::Char('k') => PanelStep::Scroll(Movement::Up),
        _ => PanelStep::Nothing,
    }
}

const SCREEN_HELP: [&str; 31] = [
    "# Answer: type a word, then Enter",
    "y                 yes, as far as the card says",
    "once, 15m, s, p   yes: once, for 15 minutes, this session, this project",
    "task              yes, for this task",
    "s head, s!, …     yes, further or less far: e lists what the card offers",
    "n, n: words       no; the words go to the agent",
    "stop              no, and the permissions of its session end",
    "later             asks again after the others; it stays open",
    "P                 pauses the agent; /resume AGENT ends that",
    "u                 takes back what your last answer allowed, not what has run",
    "",
    "# Look: one key, where nothing is typed",
    "w                 why you are asked",
    "e                 what a yes covers, and other extents",
    "v                 the whole request, as the agent sent it",
    "Up, Down          another request",
    "PgUp, PgDn        the rest of a long card",
    "Tab               what is running, and what is allowed now",
    "Esc               back",
    "",
    "# More: type, then Enter",
    "/words            searches what waits",
    "/m                messages",
    "/grants           what is allowed; /revoke ID, /revoke all, /allowlist",
    "/pause AGENT      denies its calls until /resume AGENT",
    "/say SESSION WORDS   says it in another session",
    "/quit, Ctrl-C     ends this; what waits stays open",
    "",
    "# Never an answer",
    "Enter alone, pasted text, the mouse, and keys from before the card was shown",
    "or within 0.4 seconds after it was shown or has changed.",
];
