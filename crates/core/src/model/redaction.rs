//! Which fields of calls, questions, answers, plans, grants and records can hold a secret.
//!
//! They are redacted before a call is decided, so that decision, card, grant and ledger all contain
//! the same text. A command is redacted word by word, so a grant that names a command with a secret
//! covers exactly the calls with that secret, and contains none. The crate `redact` finds the
//! secrets; here is what tells two of them apart, in one store only.
//!
//! See docs/decisions/0095-a-card-hides-only-literal-values.md.

use crate::encoding::digest::{Digest, Key};
use crate::model::call::{Call, Definition};
use crate::model::command::Command;
use crate::model::grant::Coverage;
use crate::model::graph::Graph;
use crate::model::imported::ImportedGrant;
use crate::model::plan::PlanDraft;
use crate::model::recorded::Recorded;
use crate::model::request::{Answer, AskAhead};
use crate::model::run_file::RunFile;
use countersign_redact::{HiddenForm, Mark, Redactor, find_marks, holds_mark};
use std::collections::BTreeSet;

const LABEL: &str = "countersign/redacted/v1";
const TAG_DIGITS: usize = 16;

fn redactor(key: Option<&Key>) -> Redactor<impl Fn(&str) -> String> {
    Redactor::new(move |secret: &str| make_tag(secret, key))
}

fn make_tag(secret: &str, key: Option<&Key>) -> String {
    let digest = Digest::hash_bytes(LABEL, secret.as_bytes()).keyed(key);
    digest.to_string().chars().take(TAG_DIGITS).collect()
}

impl Call {
    /// Replaces secrets in what is shown and stored. The digest stays that of the original call. An
    /// IBAN that the operator listed as a contact stays where it is the recipient: the decision
    /// compares it with the list, and the operator wrote it down.
    pub fn redact(&mut self, key: Option<&Key>, graph: Option<&Graph>) {
        self.redact_with(&redactor(key), graph);
    }

    /// Hides for the card of an open question only what is literal and has the form of a secret.
    pub fn redact_for_card(&mut self, key: Option<&Key>, graph: Option<&Graph>) {
        self.redact_with(&Redactor::for_card(|secret: &str| make_tag(secret, key)), graph);
    }

    fn redact_with(&mut self, redactor: &Redactor<impl Fn(&str) -> String>, graph: Option<&Graph>) {
        redactor.redact_value(&mut self.args);
        let is_contact = |text: &str| graph.is_some_and(|graph| graph.is_contact(text));
        self.target
            .iter_mut()
            .chain(&mut self.recipients)
            .filter(|text| !is_contact(text))
            .for_each(|text| redactor.redact_text(text));
        match &mut self.command {
            Some(Command::Plain { argv, .. }) => redactor.redact_argv(argv),
            Some(Command::NotPlain { text, .. }) => redactor.redact_text(text),
            None => {}
        }
        redactor.redact_text(&mut self.claims.reason);
        redactor.redact_text(&mut self.claims.fallback);
        if let Definition::Changed(change) = &mut self.observed.definition {
            redactor.redact_text(&mut change.before);
            redactor.redact_text(&mut change.after);
        }
    }

    /// Whether the stored call is complete enough to be executed: nothing was redacted or erased.
    pub fn is_whole(&self) -> bool {
        !self.args.is_null() && !self.is_redacted()
    }

    /// Whether something in the call was replaced by a mark.
    pub fn is_redacted(&self) -> bool {
        holds_mark(&self.args.to_string()) || self.words_that_run().any(|text| holds_mark(text))
    }

    /// What is hidden in the call, each value once.
    pub fn list_marks(&self) -> BTreeSet<Mark> {
        let args = self.args.to_string();
        let definition = match &self.observed.definition {
            Definition::Changed(change) => vec![&change.before, &change.after],
            _ => Vec::new(),
        };
        let texts = self.words_that_run().chain(definition).map(String::as_str);
        texts.chain([args.as_str()]).flat_map(find_marks).collect()
    }

    /// Whether a mark could stand for more than one literal word.
    pub fn hides_syntax(&self) -> bool {
        self.list_marks().iter().any(|mark| mark.form == HiddenForm::Active)
    }

    fn words_that_run(&self) -> impl Iterator<Item = &String> {
        let words = match &self.command {
            Some(Command::Plain { argv, .. }) => argv.as_slice(),
            Some(Command::NotPlain { text, .. }) => std::slice::from_ref(text),
            None => &[],
        };
        self.target.iter().chain(&self.recipients).chain(words)
    }
}

impl AskAhead {
    pub fn redact(&mut self, key: Option<&Key>) {
        let redactor = redactor(key);
        [&mut self.text, &mut self.reason, &mut self.fallback]
            .into_iter()
            .for_each(|text| redactor.redact_text(text));
    }
}

impl RunFile {
    /// Replaces secrets in what the card shows of the file.
    pub fn redact(&mut self, key: Option<&Key>) {
        redactor(key).redact_text(&mut self.difference);
    }
}

impl Recorded {
    pub fn redact(&mut self, key: Option<&Key>) {
        redactor(key).redact_text(&mut self.text);
    }
}

impl Answer {
    /// The note, as it goes to the agent and into the record.
    pub(crate) fn redacted_note(&self, key: Option<&Key>) -> String {
        let mut note = self.note.clone();
        redactor(key).redact_text(&mut note);
        note
    }
}

impl PlanDraft {
    pub fn redact(&mut self, key: Option<&Key>) {
        self.commands.iter_mut().for_each(|argv| redactor(key).redact_argv(argv));
    }
}

impl ImportedGrant {
    pub fn redact(&mut self, key: Option<&Key>) {
        redactor(key).redact_text(&mut self.words);
    }
}

impl Coverage {
    /// Redacts the command that the operator named. Other coverages contain no texts, or come from
    /// a call that was redacted already.
    pub fn redact(&mut self, key: Option<&Key>) {
        match self {
            Self::Command { argv, .. } => redactor(key).redact_argv(argv),
            Self::Step { .. }
            | Self::Digest { .. }
            | Self::Head { .. }
            | Self::Action(_)
            | Self::Category(_)
            | Self::Run { .. }
            | Self::Class { .. }
            | Self::Everything
            | Self::Program(_) => {}
        }
    }
}

/// The words of a command as a grant contains them.
pub(crate) fn redacted_argv(argv: &[String], key: Option<&Key>) -> Vec<String> {
    let mut argv = argv.to_vec();
    redactor(key).redact_argv(&mut argv);
    argv
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_secret_has_the_same_mark_in_one_store_only() {
        let (one, other) = (Key::from_bytes([1; 32]), Key::from_bytes([2; 32]));
        let mark = |key, secret: &str| {
            redacted_argv(&["--password".to_owned(), secret.to_owned()], Some(key))
        };
        assert_eq!(mark(&one, "a"), mark(&one, "a"));
        assert_ne!(mark(&one, "a"), mark(&one, "b"));
        assert_ne!(mark(&one, "a"), mark(&other, "a"));
    }
}
