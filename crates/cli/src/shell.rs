//! Completions and manual pages, made from the command line itself, and the documents of the API.

use crate::args::{self, CompletionsArgs, ManArgs, OpenapiArgs, PlaneArg};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::out;
use countersign_server::Plane;
use std::path::Path;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "countersign", &mut script);
    out::show_bytes(&script)?;
    Ok(Exit::Allowed)
}

pub(crate) fn openapi(args: &OpenapiArgs) -> Result<Exit, Failure> {
    let plane = match args.plane {
        PlaneArg::Agent => Plane::Agent,
        PlaneArg::Operator => Plane::Operator,
    };
    out::show_bytes(plane.document().as_bytes())?;
    Ok(Exit::Allowed)
}

pub(crate) fn man(args: &ManArgs) -> Result<Exit, Failure> {
    match &args.dir {
        Some(folder) => pages(folder)?,
        None => out::show_bytes(&page()?)?,
    }
    Ok(Exit::Allowed)
}

fn page() -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(with_examples(args::command())).render(&mut page);
    rendered.map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    Ok(page)
}

fn pages(folder: &Path) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(with_examples(args::command()), folder));
    written.map_err(|error| {
        Failure::file(("write manual pages to", folder), &error, "name a folder you may write to")
    })
}

/// A manual page has a place for what follows the help, and none for what leads it.
fn with_examples(command: clap::Command) -> clap::Command {
    let said = [command.get_before_help(), command.get_after_help()];
    let said: Vec<String> = said.iter().flatten().map(ToString::to_string).collect();
    command.after_help(said.join("\n\n")).mut_subcommands(with_examples)
}
