//! Scans a text once and splits it wherever a command could start.

use super::{LooseScan, TOO_DEEP, UNCLOSED, Word, WordKind, is_too_deep};
use std::iter::Peekable;
use std::str::Chars;

pub(super) struct Scanner<'a> {
    pub(super) chars: Peekable<Chars<'a>>,
    pub(super) found: LooseScan,
    /// Here-documents whose bodies start after this line.
    documents: Vec<HereDocument>,
}

struct HereDocument {
    delimiter: String,
    indented: bool,
}

/// The state of the command that is being scanned.
#[derive(Default)]
pub(super) struct CommandState {
    words: Vec<Word>,
    word: Option<Word>,
    /// Open groups; without one, a `)` ends a substitution.
    open_groups: usize,
    /// Open `case` statements, whose patterns end in `)`.
    open_cases: usize,
    /// The word contains a brace; a comma or dot after it makes it a brace expansion.
    braced: bool,
    /// The role of the next word.
    next_word: NextWord,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum NextWord {
    #[default]
    Argument,
    RedirectTarget,
    HereString,
    HereDelimiter {
        indented: bool,
    },
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { chars: text.chars().peekable(), found: LooseScan::default(), documents: Vec::new() }
    }

    /// Scans to the end, or to the `)` that ends the substitution at this depth.
    pub(super) fn scan_list(&mut self, depth: usize) {
        if is_too_deep(depth) {
            self.mark_incomplete(TOO_DEEP);
            return;
        }
        let mut state = CommandState::default();
        while let Some(c) = self.chars.next() {
            match c {
                ' ' | '\t' => self.end_word(&mut state),
                '\n' => {
                    self.end_command(&mut state);
                    self.read_documents();
                }
                ';' | '&' | '|' => self.end_command(&mut state),
                '(' => self.open_group(&mut state),
                ')' if state.open_groups > 0 || state.open_cases > 0 || depth == 0 => {
                    self.end_command(&mut state);
                    state.open_groups = state.open_groups.saturating_sub(1);
                }
                ')' => {
                    self.end_command(&mut state);
                    return;
                }
                '<' | '>' => self.scan_redirect(&mut state, c),
                '#' if state.word.is_none() => self.scan_comment(),
                c => self.scan_word_char(&mut state, c, depth),
            }
        }
        self.end_command(&mut state);
        if depth > 0 || !self.documents.is_empty() {
            self.mark_incomplete(UNCLOSED);
        }
    }

    fn open_group(&mut self, state: &mut CommandState) {
        self.end_command(state);
        state.open_groups += 1;
        if is_too_deep(state.open_groups) {
            self.mark_incomplete(TOO_DEEP);
        }
    }

    fn scan_word_char(&mut self, state: &mut CommandState, c: char, depth: usize) {
        if c == '\\' {
            return self.scan_escape(state);
        }
        let first = state.word.is_none();
        state.braced = c == '{' || (state.braced && !first);
        let braced = state.braced;
        let word = state.word.get_or_insert_default();
        match c {
            '\'' => self.scan_single_quotes(word),
            '"' => self.scan_double_quotes(word, depth),
            '$' => self.scan_dollar(word, depth),
            '`' => self.scan_backticks(word),
            '*' | '?' | '[' => word.push_expanded(c),
            '~' if first => word.push_expanded(c),
            ',' | '.' if braced => word.push_expanded(c),
            c => word.text.push(c),
        }
    }

    /// A line continuation is removed.
    fn scan_escape(&mut self, state: &mut CommandState) {
        match self.chars.next() {
            Some('\n') => state.word = state.word.take().filter(|word| *word != Word::default()),
            Some(c) => state.word.get_or_insert_default().text.push(c),
            None => self.mark_incomplete(UNCLOSED),
        }
    }

    fn scan_comment(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            // Without `#` it is not a comment again, which would nest one level deeper.
            if c != '#' {
                text.push(c);
            }
        }
        self.found.nested_texts.push(text);
    }

    fn scan_redirect(&mut self, state: &mut CommandState, c: char) {
        // In `2>` the number is not a word of the command.
        let is_number = |word: &Word| word.text.bytes().all(|b| b.is_ascii_digit());
        state.word = state.word.take().filter(|word| !is_number(word));
        self.end_word(state);
        let mut operator = String::from(c);
        while let Some(c) = self.chars.next_if(|c| matches!(c, '<' | '>' | '&' | '|' | '-')) {
            operator.push(c);
        }
        state.next_word = match operator.as_str() {
            here if here.starts_with("<<<") => NextWord::HereString,
            "<<" => NextWord::HereDelimiter { indented: false },
            "<<-" => NextWord::HereDelimiter { indented: true },
            _ => NextWord::RedirectTarget,
        };
    }

    pub(super) fn end_word(&mut self, state: &mut CommandState) {
        let Some(word) = state.word.take() else { return };
        match std::mem::take(&mut state.next_word) {
            NextWord::Argument => {
                match word.text.as_str() {
                    "case"
                        if state.words.last().is_none_or(|last| is_command_opener(&last.text)) =>
                    {
                        state.open_cases += 1;
                    }
                    "esac" => state.open_cases = state.open_cases.saturating_sub(1),
                    _ => {}
                }
                state.words.push(word);
            }
            NextWord::RedirectTarget => self.found.redirect_targets.push(word),
            NextWord::HereString => {
                self.found.nested_texts.push(word.text.clone());
                self.found.redirect_targets.push(word);
            }
            NextWord::HereDelimiter { indented } => {
                self.documents.push(HereDocument { delimiter: word.text, indented });
            }
        }
    }

    fn end_command(&mut self, state: &mut CommandState) {
        self.end_word(state);
        state.next_word = NextWord::Argument;
        if !state.words.is_empty() {
            self.found.commands.push(std::mem::take(&mut state.words));
        }
    }

    fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut body = String::new();
            let mut ended = false;
            while !ended && self.chars.peek().is_some() {
                let mut line = String::new();
                while let Some(c) = self.chars.next_if(|c| *c != '\n') {
                    line.push(c);
                }
                self.chars.next();
                let unindented =
                    if document.indented { line.trim_start_matches('\t') } else { &line };
                ended = unindented == document.delimiter;
                if !ended {
                    body.push_str(&line);
                    body.push('\n');
                }
            }
            self.found.nested_texts.push(body);
            if !ended {
                self.mark_incomplete(UNCLOSED);
            }
        }
    }

    pub(super) fn mark_incomplete(&mut self, why: &'static str) {
        self.found.incomplete.get_or_insert(why);
        if why == TOO_DEEP {
            self.chars = "".chars().peekable();
        }
    }
}

fn is_command_opener(word: &str) -> bool {
    super::COMMAND_OPENERS.contains(&word)
}

impl Word {
    pub(super) fn push_expanded(&mut self, c: char) {
        self.text.push(c);
        self.kind = WordKind::Dynamic;
    }
}
