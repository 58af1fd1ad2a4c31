//! What the disk says about the targets and the command line of a call: the places of its paths, where
//! it acts, and the programs that it starts.
//!
//! See docs/decisions/0076-leaving-something-out-gains-nothing.md.
//! See docs/decisions/0097-targets-written-as-paths.md.

use crate::active_rules::ActiveRules;
use crate::{Engine, Store};
use countersign_commands::{
    Covering, FolderLocation, LineJudgement, PinnedFile, ProgramFile, Redirection, SegmentHead,
    SegmentJudgement,
};
use countersign_core::model::call::Call;
use countersign_core::model::category::Category;
use countersign_core::model::danger::Danger;
use countersign_core::model::graph::Graph;
use countersign_core::model::names::{Action, Tool};
use countersign_core::model::narrowed::NarrowedCall;
use countersign_core::model::place::{
    Bound, CommandHead, ConsentReach, Findings, HeadOptions, PathAccess, PinnedProgram,
};
use countersign_core::model::rule_results::OwnFileResult;
use countersign_core::model::words::Risk;
use countersign_observe::{MissingTarget, PathResolver, PlaceReader};

/// What was found about the targets of a call.
#[derive(Default)]
pub(super) struct TargetFindings {
    pub(super) findings: Vec<Findings>,
    /// A path that nobody can follow.
    pub(super) unresolved: Option<OwnFileResult>,
    pub(super) narrowed: Option<NarrowedCall>,
}

impl<S: Store> Engine<S> {
    /// Where the targets of a call without a command line lead.
    pub(super) fn find_target_places(&self, rules: &ActiveRules, call: &Call) -> TargetFindings {
        if call.command.is_some() {
            return TargetFindings::default();
        }
        let mut finding = Findings::default();
        let mut unresolved = None;
        let files = self.file_system.as_ref();
        let resolver = PathResolver::for_call(files, call, self.home.as_deref());
        let reader = PlaceReader::new(files, &rules.patterns, resolver, find_missing_target(call));
        let access = find_access(&rules.graph, call);
        let are_paths = takes_paths(&rules.graph, call);
        if are_paths && access == PathAccess::Writes && lacks_target(&rules.graph, call) {
            let why = "the call names no file".to_owned();
            unresolved = Some(OwnFileResult::Unresolved { why });
        }
        for target in &call.target {
            if !are_paths && !is_written_as_path(target) {
                push_missing(
                    &mut finding.within,
                    PlaceReader::read_host(target).into_iter().collect(),
                );
                continue;
            }
            let found = reader.read_path(target, access);
            push_missing(&mut finding.paths, found.paths);
            push_missing(&mut finding.within, found.within);
            let why = found.unfollowed.map(|error| error.cause().to_owned());
            unresolved = unresolved.or(why.map(|why| OwnFileResult::Unresolved { why }));
        }
        let tool = call.tool.as_ref().filter(|tool| is_mcp_tool(tool));
        finding.within.extend(tool.map(|tool| bind_to_tool(tool.clone(), call)));
        let narrowed = self.narrow_search(rules, call, &mut finding);
        let findings = if finding == Findings::default() { Vec::new() } else { vec![finding] };
        TargetFindings { findings, unresolved, narrowed }
    }
}

/// A grant for a tool holds for the definition that was there when it was given.
fn bind_to_tool(tool: Tool, call: &Call) -> Bound {
    match call.observed.definition_hash.clone() {
        Some(definition) => Bound::ToolAs { tool, definition },
        None => Bound::Tool(tool),
    }
}

/// Whether the graph says that the targets of the call are paths, however they are written.
fn takes_paths(graph: &Graph, call: &Call) -> bool {
    !list_file_categories(graph, call).is_empty() || maps_to_path(graph, call)
}

/// Whether a target is a path whatever the graph says about the action: absolute, or from the home
/// folder, the current folder or the one above.
fn is_written_as_path(target: &str) -> bool {
    let is_file_url = target.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    let starts = ["/", "~", "./", "../"];
    is_file_url || matches!(target, "." | "..") || starts.iter().any(|s| target.starts_with(s))
}

/// What a call does with its targets, where the graph says that they are paths. An agent may look at a
/// folder that holds our files.
pub(super) fn find_known_access(graph: &Graph, call: &Call) -> PathAccess {
    match takes_paths(graph, call) {
        true => find_access(graph, call),
        false => PathAccess::Reads,
    }
}

/// What a call does with those of its targets that are paths.
fn find_access(graph: &Graph, call: &Call) -> PathAccess {
    let categories = list_file_categories(graph, call);
    let is_read = !categories.is_empty()
        && categories.iter().all(|category| category.as_str() == "filesystem_read");
    let only_reads = |action: &Action| {
        let has_risk = graph.rule(action).is_some_and(|rule| rule.risk == Risk::ReadOnly);
        has_risk || (categories.is_empty() && names_reading(action))
    };
    match is_read || call.actions.iter().all(only_reads) {
        true => PathAccess::Reads,
        false => PathAccess::Writes,
    }
}

/// Where nothing else in the graph says what an action does, its verb counts.
fn names_reading(action: &Action) -> bool {
    let first = action.verb().split('_').next().unwrap_or_default();
    ["read", "list", "search", "find", "glob", "view", "show"].contains(&first)
}

/// The categories that the rules and the tool mapping give, as far as they are about files.
fn list_file_categories<'a>(graph: &'a Graph, call: &'a Call) -> Vec<&'a Category> {
    let of_rules = call.actions.iter().filter_map(|action| graph.rule(action));
    let is_about_files = |category: &&Category| {
        category.as_str().starts_with("filesystem_") || category.as_str() == "file-edit"
    };
    of_rules.flat_map(|rule| &rule.categories).chain(&call.given).filter(is_about_files).collect()
}

/// Searching and listing take a folder, everything else a file.
fn find_missing_target(call: &Call) -> MissingTarget {
    let searches = |action: &Action| {
        ["search", "list", "find", "glob"].iter().any(|verb| action.verb().starts_with(verb))
    };
    match call.actions.iter().any(searches) {
        true => MissingTarget::Folder,
        false => MissingTarget::File,
    }
}

/// Whether the arguments hold no target although the tool has one: it may be in an argument where
/// nobody looks.
fn lacks_target(graph: &Graph, call: &Call) -> bool {
    let mapping = call.tool.as_ref().and_then(|tool| graph.tool(tool.as_str()));
    call.target.is_empty() && mapping.is_some_and(|mapping| !mapping.target.is_empty())
}

/// Whether the tool mapping takes the target from an argument whose name says that it is a path.
fn maps_to_path(graph: &Graph, call: &Call) -> bool {
    let mapping = call.tool.as_ref().and_then(|tool| graph.tool(tool.as_str()));
    let names_path = |pointer: &String| {
        let name = pointer.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        ["path", "file", "dir", "folder"].iter().any(|word| name.contains(word))
    };
    mapping.is_some_and(|mapping| mapping.target.iter().any(names_path))
}

fn is_mcp_tool(tool: &Tool) -> bool {
    ["mcp__", "mcp_", "MCP:"].iter().any(|start| tool.as_str().starts_with(start))
}

/// What was found about a judged command line: one finding for each command if classes cover them
/// all, and else one for the whole line.
pub(super) fn find_line_places(graph: &Graph, judged: &LineJudgement) -> Vec<Findings> {
    classify_line(graph, judged).unwrap_or_else(|| vec![describe_line(judged)])
}

/// The findings by class; `None` if a command has no class.
fn classify_line(graph: &Graph, judged: &LineJudgement) -> Option<Vec<Findings>> {
    let mut findings = Vec::new();
    for segment in judged.segments.iter().filter(|segment| !is_folder_change(segment)) {
        let class = segment.class.as_ref()?;
        let finding = Findings {
            class: Some(class.action.clone()),
            heads: describe_head(segment, None).into_iter().collect(),
            detectors: segment.detectors.clone(),
            dangers: segment.dangers.clone(),
            paths: segment.paths.places.clone(),
            widest: segment.widest,
            within: segment.paths.within.clone(),
        };
        // A loop runs the same command many times.
        push_missing(&mut findings, vec![finding]);
        if !segment.edited.is_empty() {
            findings.push(Findings {
                class: Some(find_edit_action(graph)?),
                paths: segment.edited_paths.places.clone(),
                within: segment.edited_paths.within.clone(),
                ..Findings::default()
            });
        }
    }
    // What no command has by itself, the line does as a whole.
    let is_of_command =
        |danger: &Danger| findings.iter().any(|finding| finding.dangers.contains(danger));
    let of_line: Vec<Danger> =
        judged.dangers.iter().filter(|danger| !is_of_command(danger)).cloned().collect();
    for finding in &mut findings {
        push_missing(&mut finding.dangers, of_line.clone());
    }
    // Any other change of folder leads anywhere.
    let is_lost = judged.segments.iter().any(|one| is_folder_change(one) && one.leads_to.is_none());
    (!findings.is_empty() && !is_lost).then_some(findings)
}

fn is_folder_change(segment: &SegmentJudgement) -> bool {
    matches!(segment.covering, Ok(Covering::FolderChange))
        || segment.argv.first().is_some_and(|program| program == "cd")
}

/// The action that a redirection into a file stands for, if the graph lists it.
fn find_edit_action(graph: &Graph) -> Option<Action> {
    Action::parse("files.edit").ok().filter(|action| graph.rule(action).is_some())
}

fn describe_line(judged: &LineJudgement) -> Findings {
    let is_once = |segment: &SegmentJudgement| segment.widest == ConsentReach::Once;
    let widest = match judged.segments.iter().any(is_once) {
        true => ConsentReach::Once,
        false => ConsentReach::Open,
    };
    let folders = judged.segments.iter().flat_map(|segment| segment.paths.within.clone());
    let mut within = judged.paths.within.clone();
    push_missing(&mut within, folders.collect());
    Findings {
        class: None,
        heads: list_heads(judged),
        detectors: Vec::new(),
        dangers: judged.dangers.clone(),
        paths: judged.paths.places.clone(),
        widest,
        within,
    }
}

/// The heads of all commands of a line; empty if one of them has none. A line that writes files or
/// leaves the workspace has none.
fn list_heads(judged: &LineJudgement) -> Vec<CommandHead> {
    let mut heads = Vec::new();
    for segment in &judged.segments {
        match (is_folder_change(segment), segment.leads_to) {
            (true, Some(FolderLocation::Inside)) => continue,
            (true, _) => return Vec::new(),
            (false, _) => {}
        }
        let class = segment.class.as_ref().map(|class| class.action.clone());
        let writes = |redirection: &Redirection| matches!(redirection, Redirection::File(_));
        let is_writing = segment.segment.redirections.iter().any(writes);
        match describe_head(segment, class).filter(|_| !is_writing) {
            Some(head) => push_missing(&mut heads, vec![head]),
            None => return Vec::new(),
        }
    }
    heads
}

/// A command with a class and no head can pass by its class only.
fn describe_head(segment: &SegmentJudgement, class: Option<Action>) -> Option<CommandHead> {
    let within = segment.paths.within.clone();
    match (&segment.head, &class) {
        (Some(SegmentHead { words, options }), _) => {
            Some(CommandHead { words: words.clone(), class, options: *options, within })
        }
        (None, Some(_)) => {
            let (words, options) = (Vec::new(), HeadOptions::Known);
            Some(CommandHead { words, class, options, within })
        }
        (None, None) => None,
    }
}

/// The programs of a line that the agent could replace, or put where nothing is yet.
pub(super) fn find_programs(judged: &LineJudgement) -> Vec<PinnedProgram> {
    let mut programs = Vec::new();
    for segment in &judged.segments {
        let is_named_by_rule = segment.class.is_some() || segment.head.is_some();
        let pins = match &segment.program_file {
            ProgramFile::Replaceable { files, .. } => files.iter().map(pin_file).collect(),
            ProgramFile::Absent { name } if is_named_by_rule => vec![PinnedProgram::absent(name)],
            ProgramFile::Absent { .. }
            | ProgramFile::Unknown
            | ProgramFile::Protected { .. }
            | ProgramFile::NotFound { .. } => Vec::new(),
        };
        push_missing(&mut programs, pins);
    }
    programs
}

fn pin_file(file: &PinnedFile) -> PinnedProgram {
    let hash = file.hash.as_ref().map_or_else(|_| String::new(), |hash| hash.digest().to_string());
    PinnedProgram { path: file.path.clone(), hash }
}

fn push_missing<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for item in more {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}
