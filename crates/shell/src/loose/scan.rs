//! Scans a text once and splits it wherever a command could start.

use super::{
    Incomplete, InputExpansion, InputText, LooseCommand, LooseItem, LooseJoin, LooseScan, Subshell,
    TOO_DEEP, UNCLOSED, Variables, Word, WordKind, is_too_deep,
};
use std::iter::Peekable;
use std::str::Chars;

/// Where the dollar sign stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DollarPlace {
    Bare,
    /// In double quotes or a here-document, where a single quote is literal.
    Quoted,
}

pub(super) struct Scanner<'a> {
    pub(super) chars: Peekable<Chars<'a>>,
    pub(super) found: LooseScan,
    /// Here-documents whose bodies start after this line.
    documents: Vec<HereDocument>,
}

struct HereDocument {
    delimiter: String,
    indented: bool,
    expansion: InputExpansion,
}

/// The state of the command that is being scanned.
#[derive(Default)]
pub(super) struct CommandState {
    words: Vec<Word>,
    redirect_targets: Vec<Word>,
    word: Option<Word>,
    /// The word contains a quote or a backslash.
    quoted: bool,
    /// A subshell ended, and no word followed it.
    after_group: bool,
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
    pub(super) fn new(text: &'a str, variables: Variables) -> Self {
        let found = LooseScan { variables, ..LooseScan::default() };
        Self { chars: text.chars().peekable(), found, documents: Vec::new() }
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
                    self.end_command(&mut state, LooseJoin::Then);
                    self.read_documents();
                }
                ';' => self.end_command(&mut state, LooseJoin::Then),
                '&' | '|' => {
                    let doubled = self.chars.next_if_eq(&c).is_some();
                    let join = match (c, doubled) {
                        ('&', true) => LooseJoin::And,
                        ('&', false) => LooseJoin::Background,
                        (_, true) => LooseJoin::Or,
                        (_, false) => LooseJoin::Pipe,
                    };
                    self.end_command(&mut state, join);
                }
                '(' => self.open_group(&mut state),
                ')' if state.open_groups > 0 || state.open_cases > 0 || depth == 0 => {
                    self.end_command(&mut state, LooseJoin::Then);
                    self.close_groups(&mut state, 1);
                }
                ')' => {
                    self.end_command(&mut state, LooseJoin::Then);
                    self.close_groups(&mut state, usize::MAX);
                    return;
                }
                '<' | '>' => self.scan_redirect(&mut state, c),
                '#' if state.word.is_none() => self.scan_comment(),
                c => self.scan_word_char(&mut state, c, depth),
            }
        }
        self.end_command(&mut state, LooseJoin::Then);
        self.close_groups(&mut state, usize::MAX);
        if depth > 0 || !self.documents.is_empty() {
            self.mark_incomplete(UNCLOSED);
        }
    }

    fn close_groups(&mut self, state: &mut CommandState, max: usize) {
        let closed = state.open_groups.min(max);
        state.open_groups -= closed;
        state.after_group = closed > 0;
        self.found.items.extend((0..closed).map(|_| LooseItem::Leave));
    }

    fn open_group(&mut self, state: &mut CommandState) {
        // In a function's head and a process substitution, nothing ended here.
        self.end_command(state, LooseJoin::Background);
        self.found.items.push(LooseItem::Enter(Subshell::Group));
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
        state.quoted |= matches!(c, '\'' | '"');
        state.braced = c == '{' || (state.braced && !first);
        let braced = state.braced;
        let word = state.word.get_or_insert_default();
        match c {
            '\'' => self.scan_single_quotes(word),
            '"' => self.scan_double_quotes(word, depth),
            '$' => self.scan_dollar(word, depth, DollarPlace::Bare),
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
            Some(c) => {
                state.quoted = true;
                state.word.get_or_insert_default().text.push(c);
            }
            None => self.mark_incomplete(UNCLOSED),
        }
    }

    fn scan_comment(&mut self) {
        while self.chars.next_if(|c| *c != '\n').is_some() {}
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
        let quoted = std::mem::take(&mut state.quoted);
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
                if word.text.contains('=') {
                    self.found.variables.add_assignment(&word);
                }
                state.words.push(word);
            }
            NextWord::RedirectTarget => state.redirect_targets.push(word),
            // Its substitutions were found with the word.
            NextWord::HereString => self
                .found
                .inputs
                .push(InputText { text: word.text, expansion: InputExpansion::None }),
            NextWord::HereDelimiter { indented } => {
                let expansion = match quoted {
                    true => InputExpansion::None,
                    false => InputExpansion::Substitutions,
                };
                self.documents.push(HereDocument { delimiter: word.text, indented, expansion });
            }
        }
    }

    fn end_command(&mut self, state: &mut CommandState, join: LooseJoin) {
        self.end_word(state);
        state.next_word = NextWord::Argument;
        let after_group = std::mem::take(&mut state.after_group);
        let words = std::mem::take(&mut state.words);
        self.found.variables.add_command(&words);
        let redirect_targets = std::mem::take(&mut state.redirect_targets);
        if !words.is_empty() || !redirect_targets.is_empty() || after_group {
            self.found.items.push(LooseItem::Command(LooseCommand {
                words,
                redirect_targets,
                join,
            }));
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
            if ended {
                let expansion = document.expansion;
                self.found.inputs.push(InputText { text: body, expansion });
            } else {
                // Another shell may find its end, and run what follows.
                self.found.nested_texts.push(body);
                self.mark_incomplete(UNCLOSED);
            }
        }
    }

    pub(super) fn mark_incomplete(&mut self, why: Incomplete) {
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
