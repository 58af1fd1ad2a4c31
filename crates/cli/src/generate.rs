//! Prints what is generated from the program itself: completions, manual pages, OpenAPI documents.

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
        Some(folder) => write_man_pages(folder)?,
        None => out::show_bytes(&render_man_page()?)?,
    }
    Ok(Exit::Allowed)
}

fn render_man_page() -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(move_examples(args::command())).render(&mut page);
    rendered.map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    Ok(page)
}

fn write_man_pages(folder: &Path) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(move_examples(args::command()), folder));
    written.map_err(|error| {
        Failure::file(
            "write manual pages to",
            folder,
            &error,
            "name a folder that you can write to",
        )
    })
}

/// Manual pages show `after_help` but not `before_help`, so the examples move there.
fn move_examples(command: clap::Command) -> clap::Command {
    let texts = [command.get_before_help(), command.get_after_help()];
    let texts: Vec<String> = texts.iter().flatten().map(ToString::to_string).collect();
    command.after_help(texts.join("\n\n")).mut_subcommands(move_examples)
}
