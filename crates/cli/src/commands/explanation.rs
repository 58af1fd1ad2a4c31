//! The judgement of a command line, for people and for programs.

use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use countersign_commands::{
    CommandContext, CommandVerdict, Covering, DenyCause, LineJudgement, ProgramFile, ResolvedPath,
    RuleSet, RuleWarning, SegmentJudgement,
};
use countersign_core::model::command::rendered;
use serde_json::{Value, json};

pub(super) struct CommandExplanation<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) judgement: &'a LineJudgement,
    /// Resolves names and paths on this machine.
    pub(super) machine: &'a CommandContext<'a>,
}

impl CommandExplanation<'_> {
    pub(super) fn draw(&self) -> Page {
        let mut page = Page::new();
        let style = match self.judgement.verdict {
            CommandVerdict::Match { .. } => GREEN.bold(),
            CommandVerdict::Ask { .. } => YELLOW.bold(),
            CommandVerdict::Deny { .. } => RED.bold(),
        };
        page.styled(style, self.judgement.verdict.word());
        if let Some(why) = self.describe_verdict() {
            page.text(": ").text(&why);
        }
        page.end();
        for (number, judgement) in (1..).zip(&self.judgement.segments) {
            self.draw_segment(&mut page, number, judgement);
        }
        for warning in self.rules.warnings(self.machine) {
            page.styled(YELLOW, "warning").text(": ").text(&self.describe_warning(&warning)).end();
        }
        page
    }

    fn draw_segment(&self, page: &mut Page, number: usize, judgement: &SegmentJudgement) {
        let segment = &judgement.segment;
        page.styled(BOLD, &format!("{number}. ")).text(&segment.to_string()).end();
        page.text("   argv  ").text(&json!(judgement.argv).to_string()).end();
        match &judgement.covering {
            Ok(Covering::Rule(at)) => {
                page.text("   rule  ").styled(GREEN, self.rule_text(*at)).end()
            }
            Ok(Covering::FolderChange) => {
                page.text("   rule  ").styled(GREEN, "a folder inside the workspace").end();
                return;
            }
            Err(why) => page.text("   none  ").text(why).end(),
        };
        if judgement.folders.as_slice() != self.machine.cwd.as_slice() {
            page.text("   from  ").text(&judgement.folders.join(" or ")).end();
        }
        for path in &judgement.edited {
            page.text("   edit  ").text(path).end();
        }
        let (file, note) = self.program_file(judgement);
        page.text("   file  ").text(&file.unwrap_or_else(|| "not found".to_owned()));
        page.styled(DIM, note).end();
        for (word, real) in self.real_paths(judgement) {
            page.text("   path  ").text(&word).styled(DIM, " is ").text(&real).end();
        }
        let executed = judgement.invocation().argv;
        if executed != judgement.argv {
            let labels = std::iter::once("   exec  ").chain(std::iter::repeat("         "));
            for (label, line) in labels.zip(wrap_words(&executed)) {
                page.text(label).styled(DIM, &line).end();
            }
        }
    }

    /// The file that the program name starts on this machine, and a note about it.
    fn program_file(&self, judgement: &SegmentJudgement) -> (Option<String>, &'static str) {
        let name = judgement.argv.get(judgement.inner_start).map_or("", String::as_str);
        match self.machine.disk.find_program(name) {
            ProgramFile::Protected { path } => (Some(path), ""),
            ProgramFile::Replaceable { path, .. } => (Some(path), ", which the agent can replace"),
            ProgramFile::Unknown | ProgramFile::NotFound { .. } => (None, ""),
        }
    }

    /// Arguments whose real path differs from the written one.
    fn real_paths(&self, judgement: &SegmentJudgement) -> Vec<(String, String)> {
        let folder = judgement.folders.first().map(String::as_str).or(self.machine.cwd);
        let resolve = |word: &String| {
            let path = match (word.starts_with('/'), folder) {
                (true, _) => word.clone(),
                (false, Some(cwd)) => format!("{cwd}/{word}"),
                (false, None) => return None,
            };
            match self.machine.disk.resolve_path(word, folder) {
                ResolvedPath::At(places) if places != [path] => {
                    Some((word.clone(), places.join(" or ")))
                }
                ResolvedPath::At(_) | ResolvedPath::Unknown => None,
                ResolvedPath::Unresolvable(_) => {
                    Some((word.clone(), "a path that cannot be resolved".to_owned()))
                }
            }
        };
        let words = judgement.argv.iter().skip(1).filter(|word| !word.starts_with('-'));
        words.filter_map(resolve).collect()
    }

    fn rule_text(&self, at: usize) -> &str {
        self.rules.rules().get(at).map(|rule| rule.text.as_str()).unwrap_or_default()
    }

    fn describe_warning(&self, warning: &RuleWarning) -> String {
        format!("`{}`: {}", self.rule_text(warning.rule), warning.why)
    }

    fn describe_verdict(&self) -> Option<String> {
        match &self.judgement.verdict {
            CommandVerdict::Match { .. } => None,
            CommandVerdict::Deny { why, cause: DenyCause::Rule(at) } => {
                Some(format!("{why}: `{}`", self.rule_text(*at)))
            }
            CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } => Some(why.clone()),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let to_json = |(word, real)| json!({"word": word, "real": real});
        let text = |value: &dyn ToString| value.to_string();
        let segment = |judgement: &SegmentJudgement| {
            let redirections = judgement.segment.redirections.iter().map(|one| text(one));
            json!({
                "argv": judgement.argv,
                "folders": judgement.folders,
                "redirections": redirections.collect::<Vec<_>>(),
                "edited": judgement.edited,
                "rule": match judgement.covering {
                    Ok(Covering::Rule(at)) => Some(self.rule_text(at)),
                    Ok(Covering::FolderChange) | Err(_) => None,
                },
                "why": judgement.covering.as_ref().err(),
                "file": self.program_file(judgement).0,
                "paths": self.real_paths(judgement).into_iter().map(to_json).collect::<Vec<_>>(),
                "exec": judgement.invocation().argv,
            })
        };
        let warnings = self.rules.warnings(self.machine);
        json!({
            "v": 1,
            "verdict": self.judgement.verdict.word(),
            "why": self.describe_verdict(),
            "segments": self.judgement.segments.iter().map(segment).collect::<Vec<_>>(),
            "warnings": warnings.iter().map(|warning| self.describe_warning(warning)).collect::<Vec<_>>(),
        })
    }
}

/// The words as a shell would take them, in lines that fit a terminal: the words for git are many.
fn wrap_words(words: &[String]) -> Vec<String> {
    const WIDTH: usize = 90;
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = rendered(std::slice::from_ref(word));
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < WIDTH => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}
