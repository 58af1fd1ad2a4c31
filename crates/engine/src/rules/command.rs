//! The command line of a call, held against the graph's rules and looked up on the disk.
//!
//! Every line is judged, whether or not the graph has rules: what nobody could have read, and what
//! reaches for our own files, is denied by itself.
//!
//! See docs/decisions/0010-command-rules-in-the-graph.md.

use super::places::{find_line_places, find_programs};
use crate::active_rules::ActiveRules;
use crate::{Engine, EngineError, Store};
use countersign_commands::{
    CommandContext, CommandVerdict, DenyCause, LineJudgement, ProgramFile, ReachedRunner, RuleSet,
    SegmentJudgement,
};
use countersign_core::model::call::Call;
use countersign_core::model::command::is_open_argument;
use countersign_core::model::command::{Command, render_argv};
use countersign_core::model::narrowed::NarrowedCall;
use countersign_core::model::place::{Findings, PinnedProgram};
use countersign_core::model::rule_results::CommandRuleResult;
use countersign_observe::CommandLookup;

/// What the rules and the disk say about a command line.
#[derive(Default)]
pub(super) struct JudgedLine {
    pub(super) ruling: Option<CommandRuleResult>,
    pub(super) findings: Vec<Findings>,
    pub(super) programs: Vec<PinnedProgram>,
    /// The commands that execute what files of the project say.
    pub(super) runners: Vec<ReachedRunner>,
    pub(super) narrowed: Option<NarrowedCall>,
}

/// A command of a line that no rule and no class covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncoveredCommand {
    /// Empty if the line could not be split into commands.
    pub program: String,
    pub why: String,
}

impl UncoveredCommand {
    fn find(segment: &SegmentJudgement) -> Option<Self> {
        let is_decided = segment.class.is_some() || segment.leads_to.is_some();
        let why = segment.covering.as_ref().err().filter(|_| !is_decided)?;
        let program = segment.argv.get(segment.inner_start).cloned().unwrap_or_default();
        Some(Self { program, why: why.clone() })
    }
}

impl<S: Store> Engine<S> {
    pub(super) fn judge_command(
        &self,
        rules: &ActiveRules,
        call: &Call,
        command: &Command,
    ) -> JudgedLine {
        let lookup = self
            .command_lookup(call.workspace(), command.cwd())
            .with_scratch(&call.folders.scratch)
            .with_patterns(&rules.patterns);
        let places = lookup.context();
        let line = command.to_string();
        if self.touches_protected(&line, &places) {
            let why = "it leads to our own files".to_owned();
            return JudgedLine {
                ruling: Some(CommandRuleResult::Protected { why }),
                ..JudgedLine::default()
            };
        }
        let mut judged = rules.commands.judge(&line, &places);
        let narrowed = self.narrow_line((rules, call), &line, &mut judged, &places);
        JudgedLine {
            narrowed,
            runners: std::mem::take(&mut judged.runners),
            findings: find_line_places(&rules.graph, &judged),
            programs: find_programs(&judged),
            ruling: to_ruling(&rules.commands, judged),
        }
    }

    /// Why no call with this command would go ahead, whatever was granted.
    pub(crate) fn why_command_is_denied(
        &self,
        rules: &ActiveRules,
        argv: &[String],
        cwd: Option<&str>,
    ) -> Option<String> {
        let filled = argv.iter().map(|word| match is_open_argument(word) {
            true => "x".to_owned(),
            false => word.clone(),
        });
        let line = render_argv(&filled.collect::<Vec<_>>());
        let lookup = self.command_lookup(None, cwd);
        let places = lookup.context();
        if self.touches_protected(&line, &places) {
            return Some("it leads to our own files".to_owned());
        }
        match to_ruling(&rules.commands, rules.commands.judge(&line, &places))? {
            CommandRuleResult::Denied { why } | CommandRuleResult::Protected { why } => Some(why),
            CommandRuleResult::Allowed { .. } => None,
        }
    }

    /// Why the rules and classes of the graph do not cover a command line: one sentence for each of its
    /// commands that has none, or one for a line that cannot be read. Empty if they cover it.
    pub fn explain_uncovered(
        &self,
        line: &str,
        workspace: Option<&str>,
        cwd: Option<&str>,
    ) -> Result<Vec<UncoveredCommand>, EngineError> {
        let Some(rules) = self.rules_in(workspace)? else { return Ok(Vec::new()) };
        let lookup = self.command_lookup(workspace, cwd).with_patterns(&rules.patterns);
        let judged = rules.commands.judge(line, &lookup.context());
        let uncovered: Vec<UncoveredCommand> =
            judged.segments.iter().filter_map(UncoveredCommand::find).collect();
        match judged.verdict {
            CommandVerdict::Ask { why } if uncovered.is_empty() && judged.segments.is_empty() => {
                Ok(vec![UncoveredCommand { program: String::new(), why }])
            }
            CommandVerdict::Ask { .. }
            | CommandVerdict::Match { .. }
            | CommandVerdict::Deny { .. } => Ok(uncovered),
        }
    }

    pub(super) fn command_lookup(
        &self,
        workspace: Option<&str>,
        cwd: Option<&str>,
    ) -> CommandLookup<'_> {
        let files = self.file_system.as_ref();
        let lookup = CommandLookup::new(files, (workspace, cwd), self.home.as_deref());
        lookup.with_own_files(&self.protected)
    }

    /// Whether a word of the line leads to our own files, by whatever links.
    fn touches_protected(&self, line: &str, places: &CommandContext) -> bool {
        if self.protected.is_empty() {
            return false;
        }
        // Our files are named by whole paths: from an unknown folder no name alone is one of them.
        let places = CommandContext { cwd: places.cwd.or(Some("/")), ..*places };
        let verdict = self.protected_rules.judge(line, &places).verdict;
        matches!(verdict, CommandVerdict::Deny { cause: DenyCause::Rule(_), .. })
    }
}

/// A verdict, as the decision takes it. What has no rule is decided as its action.
fn to_ruling(rules: &RuleSet, judged: LineJudgement) -> Option<CommandRuleResult> {
    let text = |at: &usize| rules.rules().get(*at).map_or(String::new(), |rule| rule.text.clone());
    match judged.verdict {
        CommandVerdict::Ask { .. } => None,
        CommandVerdict::Match { rules } => {
            let file = |started| match started {
                ProgramFile::Protected { path } => Some(path),
                ProgramFile::Unknown
                | ProgramFile::Replaceable { .. }
                | ProgramFile::Absent { .. }
                | ProgramFile::NotFound { .. } => None,
            };
            let started = judged.segments.into_iter().map(|judgement| judgement.program_file);
            let rules = rules.iter().map(text).collect();
            Some(CommandRuleResult::Allowed { rules, programs: started.filter_map(file).collect() })
        }
        CommandVerdict::Deny { cause: DenyCause::Rule(at), .. } => {
            Some(CommandRuleResult::Denied { why: text(&at) })
        }
        CommandVerdict::Deny { why, cause: DenyCause::TargetsCountersign } => {
            Some(CommandRuleResult::Protected { why })
        }
        CommandVerdict::Deny { why, cause: DenyCause::Characters | DenyCause::Unreadable } => {
            Some(CommandRuleResult::Denied { why })
        }
    }
}
