//! The verdict on a command line, in the order in which nothing can talk around it: characters,
//! our own names, deny rules on everything reachable, allow rules on what is plain, and ask.

use crate::allow::Allowances;
use crate::chars::{Intake, intake};
use crate::deny::{Denials, Hunt};
use crate::loose::Word;
use crate::places::{Places, Started};
use crate::protect::Guard;
use crate::reach::Visitor;
use crate::rule::{Body, Effect, End, Rule, RuleError};
use crate::strict::{self, Segment};
use crate::subject::{self, unkept};
use crate::{git, reach, rule, tools};

/// A set of rules, ready to be held against commands.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    allow: Allowances,
    deny: Denials,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// May run without asking: one rule for each segment, by its place in the set.
    Match {
        rules: Vec<usize>,
    },
    Ask {
        why: String,
    },
    Deny {
        why: String,
        cause: Cause,
    },
}

/// What a command line is denied for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It holds what nobody could have read, or is too long to be read.
    Characters,
    /// It names us, or types for the operator.
    Ourselves,
    /// A deny rule, by its place in the set.
    Rule(usize),
    /// It could not be read to its end, and there are deny rules to keep.
    Unread,
}

/// A verdict, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub verdict: Verdict,
    /// Nothing where the line is not plain.
    pub segments: Vec<Judgement>,
}

/// One simple command, and the rule that covers it or why none does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub segment: Segment,
    /// The file that would be started.
    pub started: Started,
    pub covered: Result<usize, String>,
}

/// A simple command as it should be executed: not its text, but its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exec {
    /// The file to start, where somebody looked; the name in `argv` is what it is called by.
    pub file: Option<String>,
    /// The words of the command; for git with what keeps a repository's configuration from
    /// running other programs.
    pub argv: Vec<String>,
}

impl Judgement {
    /// How to execute this command so that what was judged is what runs.
    pub fn exec(&self) -> Exec {
        let file = match &self.started {
            Started::Kept { path } | Started::Replaceable { path, .. } => Some(path.clone()),
            Started::Unknown | Started::Nothing { .. } => None,
        };
        let argv = &self.segment.argv;
        Exec { file, argv: git::neutral(argv).unwrap_or_else(|| argv.clone()) }
    }
}

/// An allow rule that covers less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub rule: usize,
    pub why: &'static str,
}

impl Rules {
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        rule::rules(text).map(Self::new)
    }

    pub fn new(rules: Vec<Rule>) -> Self {
        Self { allow: Allowances::new(&rules), deny: Denials::new(&rules), rules }
    }

    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// What a person should know about these rules before relying on them.
    pub fn warnings(&self, places: &Places) -> Vec<Warning> {
        let warning =
            |(rule, found): (usize, &Rule)| Some(Warning { rule, why: warned(found, places)? });
        self.rules.iter().enumerate().filter_map(warning).collect()
    }

    /// Judges one command line.
    pub fn judge(&self, text: &str, places: &Places) -> Judged {
        let characters = intake(text);
        if let Intake::Refused(why) = characters {
            return Judged::whole(deny(why, Cause::Characters));
        }
        let segments = self.segments(text, places);
        let listed = segments.clone().unwrap_or_default();
        let verdict = match self.refused(text, places, characters) {
            Some(verdict) => verdict,
            None => allowed(characters, segments),
        };
        Judged { verdict, segments: listed }
    }

    fn segments(&self, text: &str, places: &Places) -> Result<Vec<Judgement>, String> {
        let segments = strict::read(text)
            .map_err(|refusal| format!("{} (at byte {})", refusal.why, refusal.at + 1))?;
        let judged = |segment: Segment| {
            let covered = self.allow.covering(&self.rules, &segment.argv, places);
            let program = segment.argv.first().map(String::as_str).unwrap_or_default();
            let started = places.disk.program(program);
            let covered = covered.and_then(|at| match unkept(program, &started, places) {
                Some(why) => Err(why),
                None => Ok(at),
            });
            Judgement { segment, started, covered }
        };
        Ok(segments.into_iter().map(judged).collect())
    }

    fn refused(&self, text: &str, places: &Places, characters: Intake) -> Option<Verdict> {
        let hunt = Hunt::new(&self.deny, &self.rules, places);
        let mut both = Both { guard: Guard::default(), hunt };
        let lost = reach::everything(text, &mut both);
        if let Some(why) = both.guard.conclude(text) {
            return Some(deny(why, Cause::Ourselves));
        }
        if self.deny.is_empty() {
            return None;
        }
        if let Some(at) = both.hunt.hit {
            return Some(deny("a deny rule holds", Cause::Rule(at)));
        }
        let doubt = match characters {
            Intake::Doubtful(why) => Some(why),
            Intake::Fine | Intake::Refused(_) => lost,
        };
        doubt.map(|why| deny(&format!("{why}, and there are deny rules to keep"), Cause::Unread))
    }
}

/// One search for our own names and for deny rules.
struct Both<'a> {
    guard: Guard,
    hunt: Hunt<'a>,
}

impl Visitor for Both<'_> {
    fn words(&mut self, words: &[Word]) {
        self.guard.words(words);
        self.hunt.words(words);
    }

    fn target(&mut self, word: &Word) {
        self.guard.target(word);
        self.hunt.target(word);
    }

    fn command(&mut self, words: &[Word]) {
        self.guard.command(words);
        self.hunt.command(words);
    }
}

impl Judged {
    const fn whole(verdict: Verdict) -> Self {
        Self { verdict, segments: Vec::new() }
    }
}

fn deny(why: &str, cause: Cause) -> Verdict {
    Verdict::Deny { why: why.to_owned(), cause }
}

fn allowed(characters: Intake, segments: Result<Vec<Judgement>, String>) -> Verdict {
    let ask = |why: &str| Verdict::Ask { why: why.to_owned() };
    let segments = match (characters, segments) {
        (Intake::Doubtful(why) | Intake::Refused(why), _) => return ask(why),
        (Intake::Fine, Err(why)) => return ask(&why),
        (Intake::Fine, Ok(segments)) if segments.is_empty() => return ask("there is no command"),
        (Intake::Fine, Ok(segments)) => segments,
    };
    let rules: Result<Vec<usize>, String> = segments
        .into_iter()
        .map(|judged| {
            let program = judged.segment.argv.first().cloned().unwrap_or_default();
            judged.covered.map_err(|why| format!("`{program}` is not covered: {why}"))
        })
        .collect();
    match rules {
        Ok(rules) => Verdict::Match { rules },
        Err(why) => Verdict::Ask { why },
    }
}

fn warned(rule: &Rule, places: &Places) -> Option<&'static str> {
    let (Effect::Allow, Body::Command { end, .. }) = (rule.effect, &rule.body) else { return None };
    if let Some(why) = subject::unfit(rule, places) {
        return Some(why);
    }
    let words = rule.words()?;
    if *end == End::Open && tools::of(&words).is_none() {
        return Some("its tool has no table of options, so that `*` covers nothing");
    }
    words
        .iter()
        .any(|word| word.contains('*'))
        .then_some("a `*` inside a word stands for itself; only a final `*` alone is open")
}
