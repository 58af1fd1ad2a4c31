//! `countersign uninstall`: takes our hooks out of the settings of coding agents.

mod plan;

use crate::args::UninstallArgs;
use crate::confirm::is_confirmed;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::init::remove_service;
use crate::out;
use crate::page::Page;
use crate::settings::Settings;
use countersign_harness::Program;
use plan::RemovalPlan;

pub(crate) fn uninstall(args: &UninstallArgs, settings: &Settings) -> Result<Exit, Failure> {
    let chosen =
        |program: &Program| args.agents.named.is_empty() || args.agents.named.contains(program);
    let (mut plans, mut failures) = (Vec::new(), 0_usize);
    let mut page = Page::new();
    for program in Program::ALL.into_iter().filter(chosen) {
        match RemovalPlan::new(program, settings) {
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
            remove_service(args, settings)?;
        }
        out::show(&draw_what_stays(settings)?)?;
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

fn draw_what_stays(settings: &Settings) -> Result<Page, Failure> {
    let mut page = Page::new();
    let data = settings.data()?;
    page.text(&format!("the record and its keys stay in {}", data.display())).end();
    if let Some(folder) = settings.graph_folder() {
        page.text(&format!("your graph and settings stay in {}", folder.display())).end();
    }
    Ok(page)
}
