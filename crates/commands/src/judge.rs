//! Judges a command line: allow, ask or deny.
//!
//! The order of the checks matters, because no later check can override an earlier one: invalid
//! characters, attacks on Countersign itself, deny rules on every reachable command, allow rules on
//! plain commands. Everything else asks.

use crate::allow::AllowIndex;
use crate::chars::{CharacterCheck, check_text};
use crate::classes::{ClassIndex, ClassRule};
use crate::context::CommandContext;
use crate::covering::Covering;
use crate::dangers::{find_dangers, find_segment_dangers};
use crate::deny::{DenyIndex, DenySearch};
use crate::judge_segments::SegmentJudge;
use crate::line_paths::{LinePaths, PathCollector};
use crate::loose::{Incomplete, Word};
use crate::reachable_commands::{OperandCheck, Visitor};
use crate::rule::{CommandRule, RuleBody, RuleEffect, RuleEnd, RuleError};
use crate::run_files::{ReachedRunner, find_runners};
use crate::segment_judgement::SegmentJudgement;
use crate::self_protection::SelfProtection;
use crate::strict::{self, Redirection};
use crate::variables::explain_refused_variable;
use crate::working_folders::FolderSet;
use crate::{option_tables, reachable_commands, rule, subject};
use countersign_core::model::danger::Danger;

/// A set of rules, indexed for matching.
#[derive(Debug)]
pub struct RuleSet {
    rules: Vec<CommandRule>,
    allow: AllowIndex,
    classes: ClassIndex,
    deny: DenyIndex,
    variables: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandVerdict {
    /// May run without approval. Holds the index of the covering rule of each segment with one.
    Match {
        rules: Vec<usize>,
    },
    Ask {
        why: String,
    },
    Deny {
        why: String,
        cause: DenyCause,
    },
}

/// Why a command line is denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DenyCause {
    /// It contains characters that are not displayed faithfully, or it is too long.
    Characters,
    /// It names Countersign's own program, files or port, or sends keystrokes for the operator.
    TargetsCountersign,
    /// A deny rule matches; holds its index in the set.
    Rule(usize),
    /// It is longer or nested deeper than anybody reads, so the deny rules cannot be checked.
    Unreadable,
}

/// The verdict on a command line, with the judgement of each segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineJudgement {
    pub verdict: CommandVerdict,
    /// Empty if the strict parser refuses the line.
    pub segments: Vec<SegmentJudgement>,
    /// The paths of every command that the line could run, and of its redirections.
    pub paths: LinePaths,
    /// What the line would destroy, delete for others, or run from elsewhere.
    pub dangers: Vec<Danger>,
    /// The commands that the line could run and that execute what files of the project say.
    pub runners: Vec<ReachedRunner>,
}

/// An allow rule that covers less than it seems to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleWarning {
    pub rule: usize,
    pub why: &'static str,
}

impl RuleSet {
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        rule::parse_rules(text).map(Self::new)
    }

    pub fn new(rules: Vec<CommandRule>) -> Self {
        let (allow, deny) = (AllowIndex::new(&rules), DenyIndex::new(&rules));
        Self { allow, deny, rules, classes: ClassIndex::default(), variables: Vec::new() }
    }

    /// Adds rules that stand for actions.
    pub fn with_classes(mut self, classes: Vec<ClassRule>) -> Self {
        self.classes = ClassIndex::new(classes);
        self
    }

    /// Lets a line set these variables in front of a command. Names that can load code are left out.
    pub fn with_variables(mut self, names: &[String]) -> Self {
        let is_allowed = |name: &&String| explain_refused_variable(name).is_none();
        self.variables = names.iter().filter(is_allowed).cloned().collect();
        self
    }

    pub fn rules(&self) -> &[CommandRule] {
        &self.rules
    }

    /// Warnings about allow rules that cover less than they seem to.
    pub fn warnings(&self, context: &CommandContext) -> Vec<RuleWarning> {
        let warning = |(rule, found): (usize, &CommandRule)| {
            Some(RuleWarning { rule, why: find_warning(found, context)? })
        };
        self.rules.iter().enumerate().filter_map(warning).collect()
    }

    /// Judges one command line.
    pub fn judge(&self, text: &str, context: &CommandContext) -> LineJudgement {
        let character_check = check_text(text);
        if let CharacterCheck::Refused(why) = character_check {
            return LineJudgement::without_segments(deny(why, DenyCause::Characters));
        }
        let segments = self.judge_segments(text, context);
        // What is not shown faithfully has no class, either.
        let is_clean = character_check == CharacterCheck::Clean;
        let mut reported = segments.clone().ok().filter(|_| is_clean).unwrap_or_default();
        let (denial, (paths, runners)) = self.find_denial(text, context, character_check);
        let dangers = find_dangers(text, context);
        for segment in reported.iter_mut().filter(|_| !dangers.is_empty()) {
            segment.dangers =
                find_segment_dangers(&segment.segment.argv, &segment.folders, context);
        }
        let verdict = denial.unwrap_or_else(|| allow_or_ask(character_check, segments));
        LineJudgement { verdict, segments: reported, paths, dangers, runners }
    }

    fn judge_segments(
        &self,
        text: &str,
        context: &CommandContext,
    ) -> Result<Vec<SegmentJudgement>, String> {
        let segments = strict::parse_line(text)
            .map_err(|refusal| format!("{} (at byte {})", refusal.why, refusal.offset + 1))?;
        let judge = SegmentJudge {
            allow: &self.allow,
            rules: &self.rules,
            classes: &self.classes,
            variables: &self.variables,
            context,
        };
        Ok(judge.judge(segments))
    }

    /// Searches everything that the line could reach.
    fn find_denial(
        &self,
        text: &str,
        context: &CommandContext,
        character_check: CharacterCheck,
    ) -> (Option<CommandVerdict>, (LinePaths, Vec<ReachedRunner>)) {
        let mut visitor = CombinedVisitor {
            self_protection: SelfProtection::new(context),
            deny_search: DenySearch::new(&self.deny, &self.rules, context),
            path_collector: PathCollector::new(context),
            runners: Vec::new(),
        };
        let incomplete = reachable_commands::visit_reachable(text, context, &mut visitor);
        let CombinedVisitor { self_protection, deny_search, path_collector, runners } = visitor;
        let denial = match self_protection.finish(text) {
            Some(why) => Some(deny(why, DenyCause::TargetsCountersign)),
            None => self.find_rule_denial(deny_search.matched_rule, character_check, incomplete),
        };
        (denial, (path_collector.found, runners))
    }

    fn find_rule_denial(
        &self,
        matched: Option<usize>,
        character_check: CharacterCheck,
        incomplete: Option<Incomplete>,
    ) -> Option<CommandVerdict> {
        if self.deny.is_empty() {
            return None;
        }
        if let Some(index) = matched {
            return Some(deny("a deny rule matches", DenyCause::Rule(index)));
        }
        // A line that cannot be parsed asks; only one that is too long or too deep is denied.
        let beyond_limit = match (character_check, incomplete) {
            (CharacterCheck::Suspicious(why), _) | (_, Some(Incomplete::TooDeep(why))) => Some(why),
            (_, Some(Incomplete::Unreadable(_)) | None) => None,
        };
        beyond_limit.map(|why| {
            deny(&format!("{why}, so the deny rules cannot be checked"), DenyCause::Unreadable)
        })
    }
}

/// Checks self-protection and deny rules and collects paths and runners, in one pass.
struct CombinedVisitor<'a> {
    self_protection: SelfProtection<'a>,
    deny_search: DenySearch<'a>,
    path_collector: PathCollector<'a>,
    runners: Vec<ReachedRunner>,
}

impl Visitor for CombinedVisitor<'_> {
    fn visit_loose_word(&mut self, word: &Word, folders: &FolderSet) {
        self.self_protection.visit_loose_word(word, folders);
        self.deny_search.visit_loose_word(word, folders);
    }

    fn visit_redirect_target(&mut self, word: &Word, folders: &FolderSet) {
        self.self_protection.visit_redirect_target(word, folders);
        self.deny_search.visit_redirect_target(word, folders);
        self.path_collector.visit_redirect_target(word, folders);
    }

    fn visit_command(
        &mut self,
        words: &[Word],
        folders: &FolderSet,
        outer: OperandCheck,
    ) -> OperandCheck {
        self.self_protection.visit_command(words, folders, outer);
        self.path_collector.visit_command(words, folders, outer);
        self.runners.extend(find_runners(words, folders));
        self.deny_search.visit_command(words, folders, outer)
    }
}

impl LineJudgement {
    fn without_segments(verdict: CommandVerdict) -> Self {
        let (paths, dangers) = (LinePaths::default(), Vec::new());
        Self { verdict, segments: Vec::new(), paths, dangers, runners: Vec::new() }
    }
}

fn deny(why: &str, cause: DenyCause) -> CommandVerdict {
    CommandVerdict::Deny { why: why.to_owned(), cause }
}

fn allow_or_ask(
    character_check: CharacterCheck,
    segments: Result<Vec<SegmentJudgement>, String>,
) -> CommandVerdict {
    let ask = |why: &str| CommandVerdict::Ask { why: why.to_owned() };
    let segments = match (character_check, segments) {
        (
            CharacterCheck::Suspicious(why)
            | CharacterCheck::Unmatched(why)
            | CharacterCheck::Refused(why),
            _,
        ) => return ask(why),
        (CharacterCheck::Clean, Err(why)) => return ask(&why),
        (CharacterCheck::Clean, Ok(segments)) if segments.is_empty() => {
            return ask("there is no command");
        }
        (CharacterCheck::Clean, Ok(segments)) => segments,
    };
    let mut rules = Vec::new();
    for judgement in &segments {
        match &judgement.covering {
            Ok(Covering::Rule(index)) => rules.push(*index),
            Ok(Covering::FolderChange) => {}
            Err(why) => {
                let program = judgement.segment.argv.first().map_or("", String::as_str);
                return ask(&format!("`{program}` is not covered: {why}"));
            }
        }
    }
    let redirects = |judgement: &&SegmentJudgement| {
        let redirections = &judgement.segment.redirections;
        redirections.iter().any(|one| matches!(one, Redirection::File(_)))
    };
    let mut writing = segments.iter().filter(redirects);
    if let Some(path) = writing.find_map(|judgement| judgement.edited.first()) {
        return ask(&format!("it writes `{path}`"));
    }
    match rules.is_empty() {
        true => ask("no rule matches it"),
        false => CommandVerdict::Match { rules },
    }
}

fn find_warning(rule: &CommandRule, context: &CommandContext) -> Option<&'static str> {
    let (RuleEffect::Allow, RuleBody::Command { end, .. }) = (rule.effect, &rule.body) else {
        return None;
    };
    if let Some(why) = subject::explain_unusable_rule(rule, context) {
        return Some(why);
    }
    let words = rule.literal_words()?;
    if *end == RuleEnd::Open && option_tables::find_table(&words).is_none() {
        return Some("its program has no option table, so `*` covers nothing");
    }
    words.iter().any(|word| word.contains('*')).then_some(
        "a `*` inside a word is literal; only a separate final `*` matches further words",
    )
}
