//! The judgement of a command line, for people and for programs.

use countersign_commands::{
    CommandContext, CommandVerdict, Covering, DenyCause, LineJudgement, PinnedFile, ProgramFile,
    ResolvedPath, RuleSet, RuleWarning, SegmentJudgement,
};
use countersign_console::{BOLD, DIM, GREEN, Page, RED, YELLOW};
use countersign_core::model::command::render_argv;
use countersign_core::model::danger::{Danger, DangerKind};
use countersign_core::model::words::Outcome;
use countersign_observe::CommandLookup;
use countersign_simulate::SimulatedDecision;
use serde_json::{Value, json};

pub(super) struct CommandExplanation<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) judgement: &'a LineJudgement,
    /// Resolves names and paths on this machine.
    pub(super) machine: &'a CommandContext<'a>,
    pub(super) lookup: &'a CommandLookup<'a>,
    /// What the graph decides about the call, of which the rules are a part.
    pub(super) decided: Option<&'a SimulatedDecision>,
    /// The line in its narrower form, which runs where a program takes it.
    pub(super) narrowed: Option<String>,
}

impl CommandExplanation<'_> {
    pub(super) fn draw(&self) -> Page {
        let mut page = self.draw_verdict();
        for (number, judgement) in (1..).zip(&self.judgement.segments) {
            self.draw_segment(&mut page, number, judgement);
        }
        let opens = |danger: &&Danger| danger.kind == DangerKind::Noted && danger.does == "opens";
        for danger in self.judgement.dangers.iter().filter(opens) {
            page.styled(YELLOW, "note").text(": ").text(&danger.to_string()).end();
        }
        if let Some(line) = &self.narrowed {
            page.styled(YELLOW, "note").text(": narrowed, it runs as ").text(line).end();
        }
        for warning in self.rules.warnings(self.machine) {
            page.styled(YELLOW, "warning").text(": ").text(&self.describe_warning(&warning)).end();
        }
        page
    }

    /// What is decided about the call, if there is a graph, and what the rules say.
    fn draw_verdict(&self) -> Page {
        let mut page = Page::new();
        if let Some(decided) = self.decided {
            let style = match decided.outcome {
                Outcome::Allow | Outcome::Notify => GREEN.bold(),
                Outcome::Ask => YELLOW.bold(),
                Outcome::Deny => RED.bold(),
            };
            page.styled(style, decided.outcome.word()).text(": ").text(&decided.sentence).end();
            let rules = self.describe_verdict();
            page.text(rules.as_deref().unwrap_or("every command is allowed by a rule")).end();
            return page;
        }
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
            Err(why) if judgement.class.is_none() => page.text("   none  ").text(why).end(),
            Err(_) => &mut *page,
        };
        if let Some(class) = &judgement.class {
            page.text("   class ").styled(GREEN, class.action.as_str());
            page.text(" by `").text(&class.rule).text("`").end();
        }
        if judgement.folders.as_slice() != self.machine.cwd.as_slice() {
            page.text("   from  ").text(&judgement.folders.join(" or ")).end();
        }
        for path in &judgement.edited {
            page.text("   edit  ").text(path).end();
        }
        draw_program(page, &self.program_file(judgement));
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

    /// The file that the program name starts on this machine.
    fn program_file(&self, judgement: &SegmentJudgement) -> ProgramFile {
        let name = judgement.argv.get(judgement.inner_start).map_or("", String::as_str);
        let folder = judgement.folders.first().map(String::as_str).or(self.machine.cwd);
        self.lookup.context().disk.find_program(name, folder)
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
            CommandVerdict::Ask { why } => self.describe_classes().or_else(|| Some(why.clone())),
            CommandVerdict::Deny { why, .. } => Some(why.clone()),
        }
    }

    /// The actions that the line is decided as, if classes cover all its commands.
    fn describe_classes(&self) -> Option<String> {
        let is_folder_change = |one: &&SegmentJudgement| one.covering == Ok(Covering::FolderChange);
        let mut actions: Vec<&str> = Vec::new();
        for judgement in self.judgement.segments.iter().filter(|one| !is_folder_change(one)) {
            let action = judgement.class.as_ref()?.action.as_str();
            if !actions.contains(&action) {
                actions.push(action);
            }
        }
        let edits = self.judgement.segments.iter().any(|one| !one.edited.is_empty());
        actions.extend(edits.then_some("files.edit"));
        (!actions.is_empty()).then(|| format!("decided as {}", actions.join(", ")))
    }

    pub(super) fn to_json(&self) -> Value {
        let to_json = |(word, real)| json!({"word": word, "real": real});
        let text = |value: &dyn ToString| value.to_string();
        let segment = |judgement: &SegmentJudgement| {
            let program = self.program_file(judgement);
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
                "class": judgement.class.as_ref().map(|class| class.action.as_str()),
                "why": judgement.covering.as_ref().err().filter(|_| judgement.class.is_none()),
                "file": program_path(&program),
                "shim": describe_shim(&program),
                "pinned": describe_pinned_files(&program),
                "paths": self.real_paths(judgement).into_iter().map(to_json).collect::<Vec<_>>(),
                "exec": judgement.invocation().argv,
            })
        };
        let warnings = self.rules.warnings(self.machine);
        json!({
            "v": 1,
            "decision": self.decided,
            "narrowed": self.narrowed,
            "verdict": self.judgement.verdict.word(),
            "why": self.describe_verdict(),
            "segments": self.judgement.segments.iter().map(segment).collect::<Vec<_>>(),
            "warnings": warnings.iter().map(|warning| self.describe_warning(warning)).collect::<Vec<_>>(),
        })
    }
}

fn program_path(program: &ProgramFile) -> Option<&str> {
    match program {
        ProgramFile::Protected { path } | ProgramFile::Replaceable { path, .. } => Some(path),
        ProgramFile::Unknown | ProgramFile::Absent { .. } | ProgramFile::NotFound { .. } => None,
    }
}

fn draw_program(page: &mut Page, program: &ProgramFile) {
    page.text("   file  ").text(program_path(program).unwrap_or("not found"));
    let ProgramFile::Replaceable { shim, files, .. } = program else {
        page.end();
        return;
    };
    if let Some(shim) = shim {
        page.styled(DIM, ", a shim of ").text(&shim.manager).end();
        page.text("   runs  ").text(shim.program.as_deref().unwrap_or("not known"));
    }
    page.end();
    for PinnedFile { path, hash } in files {
        match hash {
            Ok(hash) => {
                page.text("   hash  ").text(&hash.short()).text(" ").styled(DIM, path).end()
            }
            Err(why) => page.text("   hash  none: ").text(why).end(),
        };
    }
    let note = match files.iter().all(|file| file.hash.is_ok()) {
        true => "the agent can replace it; a yes pins this content",
        false => "the agent can replace it, and its content cannot be pinned",
    };
    page.text("   note  ").styled(DIM, note).end();
}

fn describe_shim(program: &ProgramFile) -> Option<Value> {
    let ProgramFile::Replaceable { shim: Some(shim), .. } = program else { return None };
    Some(json!({"manager": shim.manager, "program": shim.program}))
}

fn describe_pinned_files(program: &ProgramFile) -> Vec<Value> {
    let ProgramFile::Replaceable { files, .. } = program else { return Vec::new() };
    let describe = |file: &PinnedFile| {
        json!({
            "path": file.path,
            "hash": file.hash.as_ref().ok().map(ToString::to_string),
            "why": file.hash.as_ref().err(),
        })
    };
    files.iter().map(describe).collect()
}

/// The words as a shell would take them, in lines that fit a terminal: the words for git are many.
fn wrap_words(words: &[String]) -> Vec<String> {
    const WIDTH: usize = 90;
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        let word = render_argv(std::slice::from_ref(word));
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
