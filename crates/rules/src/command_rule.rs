//! `allow`, `block` and `rule`: one command rule of the operator's graph or of a repository, written from
//! the command line.
//!
//! See docs/decisions/0110-rules-from-the-command-line.md.

mod repository;

use crate::RulesContext;
use crate::graph::refuse_if_locked;
use crate::limits;
use crate::simulate::{compare_on_record, decide_one, draw_difference};
use clap::{Args, Subcommand};
use countersign_client::{Connection, OperatorClient};
use countersign_commands::{
    CommandContext, NoDiskLookup, RuleBreadth, RuleEffect, RuleSet, find_breadth, parse_body,
};
use countersign_console::{BOLD, DIM, Exit, Failure, GREEN, Page, RED, YELLOW, is_confirmed, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::time::Span;
use countersign_core::model::words::Outcome;
use countersign_graph::command_rule_edit::{
    RuleChoice, RuleEditError, RuleFile, edit_command_rule,
};
use countersign_graph::{LoadedGraph, Problems};
use countersign_report::RecordOption;
use countersign_setup::{GraphFile, GraphOption, draw_diff, files};
use countersign_simulate::SimulatedCall;
use serde_json::json;
use std::time::Instant;

pub const EXAMPLES: &str = "\
Examples:
  countersign allow 'docker ps *'           with whatever options only look
  countersign allow 'make lint'             exactly this command
  countersign block 'gh repo delete *'      nobody is asked; it is denied
  countersign rule ask 'docker ps *'        take the rule out again
  countersign block 'dd *' --project        a rule of this repository, for everybody in it

Before it writes, it shows the change, and what the rule would have changed in the last 30 days of
the record. A copy of the graph as it was stays beside it.";

#[derive(Subcommand)]
pub enum RuleCommand {
    /// Let agents run a command without a question
    Allow(RuleArgs),
    /// Never let agents run a command
    Block(RuleArgs),
    /// Take the rule for a command out, so that the rest of the graph decides
    Ask(RuleArgs),
}

#[derive(Args)]
pub struct RuleArgs {
    /// The command in quotes; `*` at the end stands for further words
    #[arg(value_name = "COMMAND")]
    rule: String,
    /// Write it into the rules of this repository instead of your graph
    #[arg(long)]
    project: bool,
    /// Write it without asking
    #[arg(long)]
    yes: bool,
    /// Show the change, and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    #[command(flatten)]
    graph: GraphOption,
    #[command(flatten)]
    record: RecordOption,
}

pub fn change_rules(command: &RuleCommand, context: &RulesContext) -> Result<Exit, Failure> {
    match command {
        RuleCommand::Allow(args) => allow(args, context),
        RuleCommand::Block(args) => block(args, context),
        RuleCommand::Ask(args) => change_rule(RuleChoice::Ask, args, context),
    }
}

pub fn allow(args: &RuleArgs, context: &RulesContext) -> Result<Exit, Failure> {
    change_rule(RuleChoice::Allow, args, context)
}

pub fn block(args: &RuleArgs, context: &RulesContext) -> Result<Exit, Failure> {
    change_rule(RuleChoice::Block, args, context)
}

fn change_rule(
    choice: RuleChoice,
    args: &RuleArgs,
    context: &RulesContext,
) -> Result<Exit, Failure> {
    let file = args.graph.search(args.record.data.as_deref(), context.graph_places()).open()?;
    if args.project {
        return repository::change_rule(choice, args, &file, context);
    }
    refuse_if_locked(&file.path)?;
    let warning = check_rule(choice, &args.rule)?;
    let text = String::from_utf8_lossy(&file.bytes);
    let edited = edit_command_rule(&text, RuleFile::Graph(file.format), choice, &args.rule)
        .map_err(|error| explain_edit(&file.problems(Vec::new()), choice, &args.rule, error))?;
    let after = file.with_text(&edited)?;
    let (before, loaded) = (&file.loaded, &after.loaded);
    let trial = RuleTrial { args, choice, before, after: loaded, project: None };
    let mut page = Page::new();
    draw_diff(&mut page, &file.path, &text, &edited);
    trial.draw(&mut page, context)?;
    match confirm(page, warning, args)? {
        None => write_graph(args, &file, &after, context),
        Some(exit) => Ok(exit),
    }
}

/// Shows the change and asks for a yes. Returns how the command ends if nothing is written.
fn confirm(
    mut page: Page,
    warning: Option<&'static str>,
    args: &RuleArgs,
) -> Result<Option<Exit>, Failure> {
    if let Some(warning) = warning {
        page.styled(YELLOW, "note: ").text(warning).end();
    }
    out::show(&page)?;
    if args.dry_run {
        return Ok(Some(Exit::Allowed));
    }
    if !args.yes && !is_confirmed("Write it?")? {
        out::eprint(&Page::from_line("nothing was written"));
        return Ok(Some(Exit::Cancelled));
    }
    Ok(None)
}

/// Refuses a rule that cannot be expressed. Returns what the operator should know about another.
fn check_rule(choice: RuleChoice, rule: &str) -> Result<Option<&'static str>, Failure> {
    let effect = match choice {
        RuleChoice::Allow => RuleEffect::Allow,
        RuleChoice::Block => RuleEffect::Deny,
        RuleChoice::Ask => return Ok(None),
    };
    let parsed = parse_body(effect, rule)
        .map_err(|error| Failure::usage(format!("`{rule}`: {}", error.message), error.help))?;
    let breadth = find_breadth(&parsed);
    let context = CommandContext { workspace: None, cwd: None, disk: &NoDiskLookup };
    let rules = RuleSet::new(vec![parsed]);
    let unusable = rules.warnings(&context).into_iter().next();
    if let (RuleChoice::Allow, Some(warning)) = (choice, unusable) {
        let message = format!("`{rule}` would cover nothing: {}", warning.why);
        return Err(Failure::usage(message, suggest_narrower(rule)));
    }
    Ok(breadth.map(|breadth| match breadth {
        RuleBreadth::RunsWorkspaceCode => {
            "it runs code from the workspace, which the agent can write"
        }
        RuleBreadth::ReachesOtherMachines => {
            "it can reach any machine, with arguments that the agent chooses"
        }
    }))
}

/// The nearest rule that can be written.
fn suggest_narrower(rule: &str) -> String {
    match rule.strip_suffix('*').map(str::trim) {
        Some(exact) if !exact.is_empty() => format!(
            "write the exact command, such as `countersign allow '{exact}'`, or answer the next card with \
             `s`, which covers this program's subcommand for the session"
        ),
        _ => "answer the next card with `s`, which covers it for the session".to_owned(),
    }
}

/// `file` is the one that the rule would be in.
fn explain_edit(file: &Problems, choice: RuleChoice, rule: &str, error: RuleEditError) -> Failure {
    let message = error.to_string();
    let name = file.name();
    match error {
        RuleEditError::InvalidGraph(problems) => {
            Problems::new(name, file.text().as_bytes(), problems).into()
        }
        RuleEditError::NothingToChange if choice == RuleChoice::Ask => Failure::new(
            format!("{name} has no rule `{rule}`"),
            format!(
                "`countersign commands explain -- '{rule}'` shows which rule decides it; name that rule"
            ),
        ),
        RuleEditError::NothingToChange => {
            Failure::new(message, format!("`countersign commands explain -- '{rule}'` shows it"))
        }
        RuleEditError::ChangesMore => {
            let list = if choice == RuleChoice::Block { "deny" } else { "allow" };
            let help = format!("change the list `{list}` below `commands` in {name} by hand");
            Failure::new(message, help)
        }
    }
}

/// A rule that is tried before it is written.
struct RuleTrial<'a> {
    args: &'a RuleArgs,
    choice: RuleChoice,
    before: &'a LoadedGraph,
    after: &'a LoadedGraph,
    /// The only project whose calls count.
    project: Option<&'a str>,
}

impl RuleTrial<'_> {
    /// What the rule does to its own command, and what it would have done to those of the record.
    fn draw(&self, page: &mut Page, context: &RulesContext) -> Result<(), Failure> {
        let args = self.args;
        let line = example_line(&args.rule);
        let call = SimulatedCall {
            session: "rule".to_owned(),
            tool: json!("Bash"),
            args: json!({"command": line}),
            cwd: std::env::current_dir().ok().map(|folder| folder.display().to_string()),
            project: None,
            agent: "agent".to_owned(),
        };
        page.end();
        if let Some(decided) = decide_one(&args.record, context, self.after, call)? {
            let (style, what) = match decided.outcome {
                Outcome::Allow | Outcome::Notify => (GREEN, "would pass"),
                Outcome::Ask => (YELLOW, "would ask"),
                Outcome::Deny => (RED, "would be denied"),
            };
            page.styled(BOLD, &format!("`{line}` ")).styled(style, what);
            page.text(&format!(": {}", decided.sentence)).end();
            if self.choice == RuleChoice::Allow && decided.outcome == Outcome::Ask {
                page.styled(YELLOW, "note: ").text("the rule alone does not let it pass").end();
            }
        }
        let since = context.now() - Span::days(limits::RULE_TRIAL_DAYS.into());
        let graphs = (self.before, self.after);
        match compare_on_record(&args.record, context, graphs, (since, self.project))? {
            None => page.styled(DIM, "there is no record to try it on").end(),
            Some((calls, found)) => {
                let days = limits::RULE_TRIAL_DAYS;
                page.styled(DIM, &format!("tried on {calls} calls of the last {days} days:")).end();
                draw_difference(page, (RED, "would newly pass"), &found.newly_pass);
                draw_difference(page, (YELLOW, "would newly ask"), &found.newly_ask);
                draw_difference(page, (GREEN, "would newly be denied"), &found.newly_denied);
                page.end()
            }
        };
        Ok(())
    }
}

fn write_graph(
    args: &RuleArgs,
    file: &GraphFile,
    after: &GraphFile,
    context: &RulesContext,
) -> Result<Exit, Failure> {
    let backup = files::back_up(&file.path, &file.bytes, "before-rule")?;
    files::replace(&file.path, &file.bytes, &after.bytes)?;
    let mut page = Page::new();
    page.text("wrote ").styled(BOLD, &file.name).end();
    page.styled(DIM, &format!("the file as it was: {}", backup.display())).end();
    let loaded = wait_for_daemon(args, context, after.loaded.graph.hash);
    page.text(match loaded {
        Reload::InForce => "the daemon has loaded it: it is in force",
        Reload::NotYet => {
            "the daemon has not loaded it yet: `countersign status` says whether it refuses it"
        }
        Reload::NoDaemon => "no daemon runs; the next one loads it",
    });
    page.end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// A command that the rule covers.
fn example_line(rule: &str) -> String {
    let words = rule.trim_end_matches('*').trim();
    words.replace("<path:ws>", ".").replace("<unlisted-task>", "task")
}

enum Reload {
    InForce,
    NotYet,
    NoDaemon,
}

#[allow(clippy::disallowed_methods, reason = "how long a client waits decides no call")]
fn wait_for_daemon(args: &RuleArgs, context: &RulesContext, hash: Digest) -> Reload {
    let Ok(folder) = args.record.data.clone().map_or_else(|| context.data(), Ok) else {
        return Reload::NoDaemon;
    };
    let connection = Connection::new(&folder.join("operator.sock"), limits::DAEMON_TIMEOUT);
    let client = OperatorClient::new(connection);
    let until = Instant::now() + limits::GRAPH_RELOAD;
    loop {
        match client.status() {
            Ok(status) if status.graph == Some(hash) => return Reload::InForce,
            Ok(_) if Instant::now() >= until => return Reload::NotYet,
            Ok(_) => std::thread::park_timeout(limits::RELOAD_POLL),
            Err(_) => return Reload::NoDaemon,
        }
    }
}
