//! `countersign uninstall`: takes our hooks out of the settings of coding agents.

mod plan;

use crate::context::SetupContext;
use crate::init::{ServiceRemoval, remove_service};
use crate::installed::AgentOption;
use clap::Args;
use countersign_console::{Exit, Failure, Page, is_confirmed, out};
use countersign_harness::Program;
use plan::RemovalPlan;

#[derive(Args)]
#[command(
    about = "Take our hooks out of the settings of coding agents",
    before_help = "\
Examples:
  countersign uninstall
  countersign uninstall --agents codex
  countersign uninstall --dry-run

A file that nobody has changed since `countersign init` gets its first bytes back. From any other
only our entries are removed. The record, the graph and the settings of Countersign stay.",
    after_help = "\
Exit codes: 0 if everything is done; 1 if a file could not be restored; 2 without a terminal and
without `--yes`; 6 if you said no."
)]
pub struct UninstallArgs {
    #[command(flatten)]
    pub(crate) agents: AgentOption,
    /// Show what would change, and change nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long)]
    pub(crate) yes: bool,
}

pub fn uninstall(args: &UninstallArgs, context: &SetupContext) -> Result<Exit, Failure> {
    let chosen =
        |program: &Program| args.agents.named.is_empty() || args.agents.named.contains(program);
    let (mut plans, mut failures) = (Vec::new(), 0_usize);
    let mut page = Page::new();
    for program in Program::ALL.into_iter().filter(chosen) {
        match RemovalPlan::new(program, context) {
            Ok(plan) => {
                plan.draw(&mut page);
                plans.push(plan);
            }
            Err(failure) => {
                out::eprint(&failure.page());
                failures += 1;
            }
        }
    }
    out::show(&page)?;
    if args.dry_run {
        out::show(&Page::from_line("nothing was written, because this is a dry run"))?;
    } else {
        let has_changes = plans.iter().any(RemovalPlan::has_changes);
        if has_changes && !args.yes && !is_confirmed("Write these changes?")? {
            out::eprint(&Page::from_line("nothing was written"));
            return Ok(Exit::Cancelled);
        }
        failures += apply(plans)?;
        if args.agents.named.is_empty() {
            let confirmation = if args.yes { ServiceRemoval::Given } else { ServiceRemoval::Asked };
            remove_service(confirmation, context)?;
        }
        out::show(&draw_what_stays(context)?)?;
    }
    Ok(if failures == 0 { Exit::Allowed } else { Exit::Failure })
}

/// How many programs failed.
fn apply(plans: Vec<RemovalPlan>) -> Result<usize, Failure> {
    let mut failures = 0;
    for plan in plans.into_iter().filter(RemovalPlan::has_changes) {
        let done = format!("{} has none of our hooks any longer", plan.program());
        match plan.apply() {
            Ok(()) => out::show(&Page::from_line(&done))?,
            Err(failure) => {
                out::eprint(&failure.page());
                failures += 1;
            }
        }
    }
    Ok(failures)
}

fn draw_what_stays(context: &SetupContext) -> Result<Page, Failure> {
    let mut page = Page::new();
    let data = context.record.data()?;
    page.text(&format!("the record and its keys stay in {}", data.display())).end();
    if let Some(folder) = context.graph_folder() {
        page.text(&format!("your graph and settings stay in {}", folder.display())).end();
    }
    Ok(page)
}
