//! One pass over a text, splitting at everything that could begin a command.

use super::{Found, Kind, TOO_DEEP, UNCLOSED, Word, is_too_deep};
use std::iter::Peekable;
use std::str::Chars;

pub(super) struct Scanner<'a> {
    pub(super) chars: Peekable<Chars<'a>>,
    pub(super) found: Found,
    /// Here-documents whose bodies begin after this line.
    documents: Vec<Document>,
}

struct Document {
    end: String,
    indented: bool,
}

/// The command that is being read.
#[derive(Default)]
pub(super) struct Frame {
    words: Vec<Word>,
    word: Option<Word>,
    /// Groups that are open, so that a `)` is known to end a substitution.
    groups: usize,
    /// `case` that is open: its patterns end in `)`.
    cases: usize,
    /// The word has a brace in it: a comma or dots after it make it a list.
    braced: bool,
    /// What the next word is, if no word of the command.
    next: Next,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Word,
    Target,
    Text,
    Document {
        indented: bool,
    },
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { chars: text.chars().peekable(), found: Found::default(), documents: Vec::new() }
    }

    /// Reads to the end, or to the `)` that ends the substitution of this depth.
    pub(super) fn list(&mut self, depth: usize) {
        if is_too_deep(depth) {
            self.give_up(TOO_DEEP);
            return;
        }
        let mut frame = Frame::default();
        while let Some(c) = self.chars.next() {
            match c {
                ' ' | '\t' => self.end_word(&mut frame),
                '\n' => {
                    self.end_command(&mut frame);
                    self.read_documents();
                }
                ';' | '&' | '|' => self.end_command(&mut frame),
                '(' => self.open(&mut frame),
                ')' if frame.groups > 0 || frame.cases > 0 || depth == 0 => {
                    self.end_command(&mut frame);
                    frame.groups = frame.groups.saturating_sub(1);
                }
                ')' => {
                    self.end_command(&mut frame);
                    return;
                }
                '<' | '>' => self.redirect(&mut frame, c),
                '#' if frame.word.is_none() => self.comment(),
                c => self.in_word(&mut frame, c, depth),
            }
        }
        self.end_command(&mut frame);
        if depth > 0 || !self.documents.is_empty() {
            self.give_up(UNCLOSED);
        }
    }

    fn open(&mut self, frame: &mut Frame) {
        self.end_command(frame);
        frame.groups += 1;
        if is_too_deep(frame.groups) {
            self.give_up(TOO_DEEP);
        }
    }

    fn in_word(&mut self, frame: &mut Frame, c: char, depth: usize) {
        if c == '\\' {
            return self.escape(frame);
        }
        let first = frame.word.is_none();
        frame.braced = c == '{' || (frame.braced && !first);
        let braced = frame.braced;
        let word = frame.word.get_or_insert_default();
        match c {
            '\'' => self.single(word),
            '"' => self.double(word, depth),
            '$' => self.dollar(word, depth),
            '`' => self.backticks(word),
            '*' | '?' | '[' => word.expand(c),
            '~' if first => word.expand(c),
            ',' | '.' if braced => word.expand(c),
            c => word.text.push(c),
        }
    }

    /// A line that is continued leaves nothing behind.
    fn escape(&mut self, frame: &mut Frame) {
        match self.chars.next() {
            Some('\n') => frame.word = frame.word.take().filter(|word| *word != Word::default()),
            Some(c) => frame.word.get_or_insert_default().text.push(c),
            None => self.give_up(UNCLOSED),
        }
    }

    fn comment(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.chars.next_if(|c| *c != '\n') {
            // Not a comment again: every level would be one deeper.
            if c != '#' {
                text.push(c);
            }
        }
        self.found.texts.push(text);
    }

    fn redirect(&mut self, frame: &mut Frame, c: char) {
        // `2>` and `{fd}>`: the number is no word of the command.
        let is_number = |word: &Word| word.text.bytes().all(|b| b.is_ascii_digit());
        frame.word = frame.word.take().filter(|word| !is_number(word));
        self.end_word(frame);
        let mut operator = String::from(c);
        while let Some(c) = self.chars.next_if(|c| matches!(c, '<' | '>' | '&' | '|' | '-')) {
            operator.push(c);
        }
        frame.next = match operator.as_str() {
            here if here.starts_with("<<<") => Next::Text,
            "<<" => Next::Document { indented: false },
            "<<-" => Next::Document { indented: true },
            _ => Next::Target,
        };
    }

    pub(super) fn end_word(&mut self, frame: &mut Frame) {
        let Some(word) = frame.word.take() else { return };
        match std::mem::take(&mut frame.next) {
            Next::Word => {
                match word.text.as_str() {
                    "case" if frame.words.last().is_none_or(|last| begins(&last.text)) => {
                        frame.cases += 1;
                    }
                    "esac" => frame.cases = frame.cases.saturating_sub(1),
                    _ => {}
                }
                frame.words.push(word);
            }
            Next::Target => self.found.targets.push(word),
            Next::Text => {
                self.found.texts.push(word.text.clone());
                self.found.targets.push(word);
            }
            Next::Document { indented } => {
                self.documents.push(Document { end: word.text, indented });
            }
        }
    }

    fn end_command(&mut self, frame: &mut Frame) {
        self.end_word(frame);
        frame.next = Next::Word;
        if !frame.words.is_empty() {
            self.found.commands.push(std::mem::take(&mut frame.words));
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
                let bare = if document.indented { line.trim_start_matches('\t') } else { &line };
                ended = bare == document.end;
                if !ended {
                    body.push_str(&line);
                    body.push('\n');
                }
            }
            self.found.texts.push(body);
            if !ended {
                self.give_up(UNCLOSED);
            }
        }
    }

    pub(super) fn give_up(&mut self, why: &'static str) {
        self.found.incomplete.get_or_insert(why);
        if why == TOO_DEEP {
            self.chars = "".chars().peekable();
        }
    }
}

/// Words after which a command begins.
fn begins(word: &str) -> bool {
    super::OPENERS.contains(&word)
}

impl Word {
    pub(super) fn expand(&mut self, c: char) {
        self.text.push(c);
        self.kind = Kind::Dynamic;
    }
}
