//! A judged command line, for people and for programs.

use crate::page::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use countersign_commands::{
    CommandContext, CommandVerdict, DenyCause, LineJudgement, ProgramFile, ResolvedPath, RuleSet,
    RuleWarning, SegmentJudgement,
};
use countersign_core::model::command::rendered;
use serde_json::{Value, json};

pub(super) struct Explained<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) judged: &'a LineJudgement,
    /// This machine, for showing what names and paths lead to.
    pub(super) here: &'a CommandContext<'a>,
}

impl Explained<'_> {
    pub(super) fn page(&self) -> Page {
        let mut page = Page::new();
        let style = match self.judged.verdict {
            CommandVerdict::Match { .. } => GREEN.bold(),
            CommandVerdict::Ask { .. } => YELLOW.bold(),
            CommandVerdict::Deny { .. } => RED.bold(),
        };
        page.styled(style, self.judged.verdict.word());
        if let Some(why) = self.because() {
            page.text(": ").text(&why);
        }
        page.end();
        for (number, judgement) in (1..).zip(&self.judged.segments) {
            self.segment(&mut page, (number, judgement));
        }
        for warning in self.rules.warnings(self.here) {
            page.styled(YELLOW, "warning").text(": ").text(&self.warned(&warning)).end();
        }
        page
    }

    fn segment(&self, page: &mut Page, (number, judgement): (usize, &SegmentJudgement)) {
        let found = &judgement.segment;
        page.styled(BOLD, &format!("{number}. ")).text(&rendered(&found.argv));
        for redirection in &found.redirections {
            page.styled(DIM, " ").styled(DIM, redirection);
        }
        page.end();
        page.text("   argv  ").text(&json!(found.argv).to_string()).end();
        match &judgement.covering_rule {
            Ok(at) => page.text("   rule  ").styled(GREEN, self.name(*at)).end(),
            Err(why) => page.text("   none  ").text(why).end(),
        };
        let (file, kept) = self.file(judgement);
        page.text("   file  ").text(&file.unwrap_or_else(|| "not found".to_owned()));
        page.styled(DIM, kept).end();
        for (word, real) in self.paths(judgement) {
            page.text("   path  ").text(&word).styled(DIM, " is ").text(&real).end();
        }
        let executed = judgement.invocation().argv;
        if executed != found.argv {
            page.text("   exec  ").styled(DIM, &json!(executed).to_string()).end();
        }
    }

    /// What the name of the program would start here.
    fn file(&self, judgement: &SegmentJudgement) -> (Option<String>, &'static str) {
        let name = judgement.segment.argv.first().map(String::as_str).unwrap_or_default();
        match self.here.disk.find_program(name) {
            ProgramFile::Protected { path } => (Some(path), ""),
            ProgramFile::Replaceable { path, .. } => (Some(path), ", which the agent can replace"),
            ProgramFile::Unknown | ProgramFile::NotFound { .. } => (None, ""),
        }
    }

    /// Words that lead somewhere else than they say.
    fn paths(&self, judgement: &SegmentJudgement) -> Vec<(String, String)> {
        let leads = |word: &String| {
            let whole = match (word.starts_with('/'), self.here.cwd) {
                (true, _) => word.clone(),
                (false, Some(cwd)) => format!("{cwd}/{word}"),
                (false, None) => return None,
            };
            match self.here.disk.resolve_path(&whole) {
                ResolvedPath::At(real) if real != whole => Some((word.clone(), real)),
                ResolvedPath::At(_) | ResolvedPath::Unknown => None,
                ResolvedPath::Unresolvable => {
                    Some((word.clone(), "nowhere that can be followed".to_owned()))
                }
            }
        };
        let words = judgement.segment.argv.iter().skip(1).filter(|word| !word.starts_with('-'));
        words.filter_map(leads).collect()
    }

    fn name(&self, at: usize) -> &str {
        self.rules.rules().get(at).map(|rule| rule.text.as_str()).unwrap_or_default()
    }

    fn warned(&self, warning: &RuleWarning) -> String {
        format!("`{}`: {}", self.name(warning.rule), warning.why)
    }

    fn because(&self) -> Option<String> {
        match &self.judged.verdict {
            CommandVerdict::Match { .. } => None,
            CommandVerdict::Deny { why, cause: DenyCause::Rule(at) } => {
                Some(format!("{why}: `{}`", self.name(*at)))
            }
            CommandVerdict::Ask { why } | CommandVerdict::Deny { why, .. } => Some(why.clone()),
        }
    }

    pub(super) fn json(&self) -> Value {
        let path = |(word, real)| json!({"word": word, "real": real});
        let segment = |judgement: &SegmentJudgement| {
            json!({
                "argv": judgement.segment.argv,
                "redirections": judgement.segment.redirections,
                "rule": judgement.covering_rule.as_ref().ok().map(|at| self.name(*at)),
                "why": judgement.covering_rule.as_ref().err(),
                "file": self.file(judgement).0,
                "paths": self.paths(judgement).into_iter().map(path).collect::<Vec<_>>(),
                "exec": judgement.invocation().argv,
            })
        };
        let warnings = self.rules.warnings(self.here);
        json!({
            "v": 1,
            "verdict": self.judged.verdict.word(),
            "why": self.because(),
            "segments": self.judged.segments.iter().map(segment).collect::<Vec<_>>(),
            "warnings": warnings.iter().map(|one| self.warned(one)).collect::<Vec<_>>(),
        })
    }
}
