//! `countersign commands`: how rules judge a command line, and why. It runs nothing.

mod explanation;

use crate::simulate::decide_one;
use crate::{RulesContext, folder_project};
use clap::{Args, Subcommand};
use countersign_commands::{
    ClassRule, CommandContext, CommandRule, CommandVerdict, NoDiskLookup, RuleEffect, RuleError,
    RuleSet, narrow_text, parse_body, parse_rules,
};
use countersign_console::{Exit, Failure, out};
use countersign_core::model::graph::{CommandRules, ToolMapping, ToolPattern};
use countersign_core::model::narrowed::NarrowingKind;
use countersign_graph::places::PlacePatterns;
use countersign_graph::{Problem, Problems, TextSpan};
use countersign_observe::CommandLookup;
use countersign_report::RecordOption;
use countersign_setup::{DaemonFolder, GraphFile, GraphOption};
use countersign_simulate::{SimulatedCall, SimulatedDecision};
use explanation::CommandExplanation;
use serde_json::json;
use std::path::Path;

#[derive(Subcommand)]
pub enum CommandsCommand {
    /// Show each command of a line, and the rule that covers it or why none does
    #[command(before_help = CommandsCommand::EXAMPLES, after_help = EXPLAIN_NOTES)]
    Explain(CommandsExplainArgs),
}

impl CommandsCommand {
    pub const EXAMPLES: &str = "\
Examples:
  countersign commands explain --rule 'allow git log *' -- 'git log --oneline'
  countersign commands explain --rule 'allow cat <path:ws>; deny path ./.env' -- 'cat ./.env'
  countersign commands explain --graph countersign.yaml -- 'git status && ls'";
}

const EXPLAIN_NOTES: &str = "\
Without `--rule`, the rules of the graph are applied on this machine: links are followed, and a
program matches only if the agent cannot replace it. The first line is what the daemon would decide
if nothing was granted. With `--rule` alone, the rule is applied to
the words; the disk is shown but does not count.

Exit codes: 0 if it would run without asking, 8 if it asks, 5 if it is denied. Nothing is run.";

#[derive(Args)]
pub struct CommandsExplainArgs {
    /// One rule, or several separated by `; `
    #[arg(long = "rule", value_name = "RULE")]
    pub(crate) rules: Vec<String>,
    #[command(flatten)]
    pub(crate) graph: GraphOption,
    #[command(flatten)]
    pub(crate) daemon: DaemonFolder,
    /// The workspace [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<String>,
    /// The folder that the command runs in [default: the workspace]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The command line, as one argument
    pub(crate) command: String,
}

pub fn explain(args: &CommandsExplainArgs, context: &RulesContext) -> Result<Exit, Failure> {
    let mut rules = parse_rule_args(&args.rules)?;
    let search = args.graph.search(args.daemon.path.as_deref(), context.graph_places());
    // `--rule` alone tries a rule without a graph and without the disk.
    let graph = match (&args.graph.file, rules.is_empty()) {
        (Some(_), _) => Some(search.open()?),
        (None, true) => search.open_if_any()?,
        (None, false) => None,
    };
    let workspace = match &args.workspace {
        Some(folder) => folder.clone(),
        None => current_folder()?,
    };
    for folder in std::iter::once(&workspace).chain(&args.cwd) {
        require_absolute(folder)?;
    }
    let (mut variables, mut classes) = (Vec::new(), Vec::new());
    let mut patterns = None;
    if let Some(graph) = &graph {
        graph.announce();
        let folder = folder_project(Some(Path::new(&workspace)))?;
        let loaded = context.effective_graph(args.daemon.path.as_deref(), graph, &folder)?;
        rules.extend(graph_rules(&loaded.commands)?);
        variables.clone_from(&loaded.commands.env);
        classes = ClassRule::parse_all(&loaded.commands.classes)
            .map_err(|(body, error)| rule_error(&body, &error))?;
        patterns = PlacePatterns::new(&loaded.secrets, &loaded.guarded).ok();
    }
    let uses_graph = graph.is_some();
    let rules = RuleSet::new(rules).with_classes(classes).with_variables(&variables);
    let disk = context.file_system();
    let lookup =
        CommandLookup::new(&disk, (Some(&workspace), args.cwd.as_deref()), context.home.as_deref());
    let lookup = match &patterns {
        Some(patterns) => lookup.with_patterns(patterns),
        None => lookup,
    };
    let machine = lookup.context();
    let cwd = args.cwd.as_deref().or(Some(&workspace));
    let without_disk = CommandContext { workspace: Some(&workspace), cwd, disk: &NoDiskLookup };
    let judgement = rules.judge(&args.command, if uses_graph { &machine } else { &without_disk });
    let decided = match &graph {
        Some(graph) => decide(args, &workspace, context, graph)?,
        None => None,
    };
    let is_used = uses_graph && context.narrowing.contains(&NarrowingKind::SecretFiles);
    let narrowed = rules.narrow_searches(&args.command, &judgement, &machine).filter(|_| is_used);
    let narrowed = narrowed.and_then(|found| narrow_text(&args.command, &found.call.parts));
    let explanation = CommandExplanation {
        narrowed,
        rules: &rules,
        judgement: &judgement,
        machine: &machine,
        lookup: &lookup,
        decided: decided.as_ref(),
    };
    if args.json {
        out::show_json(&explanation.to_json())?;
    } else {
        out::show(&explanation.draw())?;
    }
    Ok(match &decided {
        Some(decided) => Exit::from_outcome(decided.outcome, decided.reason),
        None => from_verdict(&judgement.verdict),
    })
}

const fn from_verdict(verdict: &CommandVerdict) -> Exit {
    match verdict {
        CommandVerdict::Match { .. } => Exit::Allowed,
        CommandVerdict::Ask { .. } => Exit::Pending,
        CommandVerdict::Deny { .. } => Exit::Blocked,
    }
}

/// What a call of the tool that runs commands meets under the graph, if nothing was granted: the rules
/// for commands are only a part of that. None if no tool of the graph runs commands.
fn decide(
    args: &CommandsExplainArgs,
    workspace: &str,
    context: &RulesContext,
    graph: &GraphFile,
) -> Result<Option<SimulatedDecision>, Failure> {
    let runs_commands = |tool: &&ToolMapping| tool.command.as_deref() == Some("/command");
    let named = |tool: &ToolMapping| match &tool.pattern {
        ToolPattern::Exact(name) => Some(name.clone()),
        ToolPattern::Prefix(_) => None,
    };
    let tools = graph.loaded.graph.tools.iter().filter(runs_commands);
    let Some(tool) = tools.filter_map(named).min_by_key(|name| name != "Bash") else {
        return Ok(None);
    };
    let call = SimulatedCall {
        session: "explain".to_owned(),
        tool: json!(tool),
        args: json!({"command": args.command}),
        cwd: Some(args.cwd.clone().unwrap_or_else(|| workspace.to_owned())),
        project: Some(workspace.to_owned()),
        agent: "agent".to_owned(),
    };
    let record = RecordOption { data: args.daemon.path.clone(), store: None };
    decide_one(&record, context, &graph.loaded, call)
}

fn require_absolute(folder: &str) -> Result<(), Failure> {
    if folder.starts_with('/') {
        return Ok(());
    }
    let help = "start it with `/`: `--workspace /home/me/project`";
    Err(Failure::usage(format!("`{folder}` is not an absolute path"), help))
}

fn parse_rule_args(texts: &[String]) -> Result<Vec<CommandRule>, Failure> {
    let mut rules: Vec<CommandRule> = Vec::new();
    for text in texts {
        rules.extend(parse_rules(text).map_err(|error| rule_error(text, &error))?);
    }
    Ok(rules)
}

fn graph_rules(commands: &CommandRules) -> Result<Vec<CommandRule>, Failure> {
    let allow = commands.allow.iter().map(|body| (RuleEffect::Allow, body));
    let deny = commands.deny.iter().map(|body| (RuleEffect::Deny, body));
    let rule = |(effect, body): (RuleEffect, &String)| {
        parse_body(effect, body).map_err(|error| rule_error(body, &error))
    };
    allow.chain(deny).map(rule).collect()
}

fn rule_error(text: &str, error: &RuleError) -> Failure {
    let problem =
        Problem::new(TextSpan::at_offset(error.offset), error.message.clone(), error.help);
    Problems::new("--rule", text.as_bytes(), vec![problem]).into()
}

fn current_folder() -> Result<String, Failure> {
    let help = "name the folder with `--workspace`";
    let folder = std::env::current_dir()
        .map_err(|error| Failure::new(format!("cannot find the current folder: {error}"), help))?;
    folder
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| Failure::new("the name of the current folder is not UTF-8", help))
}
