//! The narrower form in which a call can run: without secret files below what it searches, without
//! programs that git's configuration names.
//!
//! Only where the one who executes the call runs that form, and for the kinds that are not switched off.
//! Otherwise the secret files are a part of what the call reads, and decided as that.
//!
//! See docs/decisions/0118-narrowed-calls.md.

use crate::active_rules::ActiveRules;
use crate::{Engine, Store};
use countersign_commands::{
    CommandContext, CommandVerdict, DiskLookup, LineJudgement, ResolvedPath, SecretsBelow,
    find_tool_walk, narrow_git, narrow_globs,
};
use countersign_core::model::call::Call;
use countersign_core::model::danger::{Danger, DangerKind};
use countersign_core::model::narrowed::{
    NarrowedCall, NarrowedPart, NarrowingKind, NarrowingSupport,
};
use countersign_core::model::place::{Findings, Place};

/// Tools that search the content of files, and leave out what ignore files name.
const SEARCH_TOOLS: &[&str] = &["Grep", "grep", "grep_search", "search_file_content", "rg"];
/// The tool whose argument `glob` takes several globs of ripgrep.
const TOOL_WITH_GLOBS: &str = "Grep";
const GLOBS: &str = "glob";

impl<S: Store> Engine<S> {
    fn narrows(&self, call: &Call, kind: NarrowingKind) -> bool {
        call.narrowing == NarrowingSupport::Accepted && self.narrowing.contains(&kind)
    }

    /// Narrows a judged line. Its paths are then those of the narrower form.
    pub(super) fn narrow_line(
        &self,
        (rules, call): (&ActiveRules, &Call),
        line: &str,
        judged: &mut LineJudgement,
        places: &CommandContext,
    ) -> Option<NarrowedCall> {
        if matches!(judged.verdict, CommandVerdict::Deny { .. }) {
            return None;
        }
        if self.narrows(call, NarrowingKind::SecretFiles)
            && let Some(narrowed) = rules.commands.narrow_searches(line, judged, places)
        {
            judged.take_paths(narrowed.judged);
            add_note(judged, &narrowed.call);
            return Some(narrowed.call);
        }
        if !self.narrows(call, NarrowingKind::GitPrograms) {
            return None;
        }
        let narrowed = narrow_git(judged)?;
        add_note(judged, &narrowed);
        Some(narrowed)
    }

    /// Adds the secret files that a search by a tool opens, or narrows it.
    pub(super) fn narrow_search(
        &self,
        rules: &ActiveRules,
        call: &Call,
        finding: &mut Findings,
    ) -> Option<NarrowedCall> {
        let tool = call.tool.as_ref().filter(|tool| SEARCH_TOOLS.contains(&tool.as_str()))?;
        let project = call.project.as_ref().map(|project| project.as_str());
        let lookup = self.command_lookup(project, call.cwd.as_deref());
        let lookup = lookup.with_patterns(&rules.patterns);
        let context = lookup.context();
        let given = call.args.get(GLOBS).and_then(|globs| globs.as_str()).unwrap_or_default();
        let find = |globs: &str| find_below(context.disk, call, (context.cwd, globs));
        let secrets = find(given);
        if secrets.is_empty() {
            return None;
        }
        if tool.as_str() == TOOL_WITH_GLOBS && self.narrows(call, NarrowingKind::SecretFiles) {
            let value = narrow_globs(given, &secrets);
            if let Some(value) = value.filter(|value| find(value).is_empty()) {
                let part = NarrowedPart::Argument { name: GLOBS.to_owned(), value };
                let kind = NarrowingKind::SecretFiles;
                let narrowed = NarrowedCall { kind, parts: vec![part] };
                finding.dangers.push(describe(&narrowed));
                return Some(narrowed);
            }
        }
        finding.paths.push(vec![Place::Secret]);
        let what = format!("secret files: {}", secrets.describe());
        finding.dangers.push(Danger { kind: DangerKind::Noted, does: "opens".to_owned(), what });
        None
    }
}

/// The secret files below the targets of a search, or below the folder in which it runs.
fn find_below(
    disk: &dyn DiskLookup,
    call: &Call,
    (cwd, globs): (Option<&str>, &str),
) -> SecretsBelow {
    let walk = find_tool_walk(globs);
    let here = cwd.map(str::to_owned);
    let targets = if call.target.is_empty() { here.as_slice() } else { &call.target };
    let mut found = SecretsBelow::default();
    for target in targets {
        match disk.resolve_path(target, cwd) {
            ResolvedPath::At(places) | ResolvedPath::Unresolvable(places) => {
                places.iter().for_each(|place| found.add(disk.find_secrets_below(place, &walk)));
            }
            ResolvedPath::Unknown => {}
        }
    }
    found
}

fn add_note(judged: &mut LineJudgement, narrowed: &NarrowedCall) {
    let note = describe(narrowed);
    judged.segments.iter_mut().for_each(|segment| segment.dangers.push(note.clone()));
    judged.dangers.push(note);
}

/// What a card says about a narrowed call.
fn describe(narrowed: &NarrowedCall) -> Danger {
    let what = match narrowed.kind {
        NarrowingKind::SecretFiles => {
            format!("narrowed, without secret files: {}", narrowed.describe())
        }
        NarrowingKind::GitPrograms => {
            "narrowed, without programs that git's configuration names".to_owned()
        }
    };
    Danger { kind: DangerKind::Noted, does: "runs".to_owned(), what }
}
