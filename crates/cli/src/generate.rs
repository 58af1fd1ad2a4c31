//! Prints what is generated from the program itself: completions, manual pages, OpenAPI documents.

use clap::{Args, ValueEnum};
use clap_complete::Shell;
use countersign_console::{Exit, Failure, out};
use countersign_server::Plane;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    about = "Print the OpenAPI document of a plane",
    before_help = "\
Examples:
  countersign openapi agent       for agents
  countersign openapi operator    for operators"
)]
pub(crate) struct OpenapiArgs {
    pub(crate) plane: PlaneArg,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PlaneArg {
    Agent,
    Operator,
}

#[derive(Args)]
#[command(
    about = "Print a completion script for a shell",
    before_help = "\
Examples:
  countersign completions bash > ~/.local/share/bash-completion/completions/countersign
  countersign completions fish > ~/.config/fish/completions/countersign.fish"
)]
pub(crate) struct CompletionsArgs {
    pub(crate) shell: Shell,
}

#[derive(Args)]
#[command(about = "Print the manual page, or write one page per command")]
#[command(before_help = "\
Examples:
  countersign man | man -l -
  countersign man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write the page of every command to this folder
    pub(crate) dir: Option<PathBuf>,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    mut command_line: clap::Command,
) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line, "countersign", &mut script);
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

pub(crate) fn man(args: &ManArgs, command_line: clap::Command) -> Result<Exit, Failure> {
    match &args.dir {
        Some(folder) => write_man_pages(folder, command_line)?,
        None => out::show_bytes(&render_man_page(command_line)?)?,
    }
    Ok(Exit::Allowed)
}

fn render_man_page(command_line: clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(move_examples(command_line)).render(&mut page);
    rendered.map_err(|error| Failure::new(error.to_string(), "report this as a bug"))?;
    Ok(page)
}

fn write_man_pages(folder: &Path, command_line: clap::Command) -> Result<(), Failure> {
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(move_examples(command_line), folder));
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
