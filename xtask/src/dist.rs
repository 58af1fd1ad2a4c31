//! `dist`: what users install, in `target/packages`.
//!
//! An archive with an installer that needs no root, a Debian package, and their checksums. Both hold
//! the released program and what it prints about itself. Two builds of one commit give the same bytes,
//! if the compiler does.

mod archive;
mod debian;
mod libraries;
mod notices;
mod product;
mod tools;
mod tree;

use crate::failure::{CiResult, Done, Failure};
use crate::options::{ProgramOption, parse_options};
use crate::process::{capture, cargo, run};
use product::Product;
use std::path::{Path, PathBuf};
use std::process::Command;
use tree::Tree;

/// Where everything is put, relative to the root.
const FOLDER: &str = "target/packages";

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options: ProgramOption = parse_options(words)?;
    tools::check_tools()?;
    let folder = root.join(FOLDER);
    remove_folder(&folder)?;
    let staging = folder.join("staging");
    let program = match options.program {
        Some(program) => program,
        None => build(root)?,
    };
    let product = Product::collect(root, &program, &staging.join("man"))?;
    let packages = [
        archive::pack(&product, &Tree::new(&staging), &folder)?,
        debian::pack(&product, &Tree::new(&staging.join("debian")), &folder)?,
    ];
    remove_folder(&staging)?;
    write_checksums(&folder, &packages)?;
    Ok(Done::new(format!("{}\nchecked with {FOLDER}/SHA256SUMS", describe(&packages)?)))
}

fn build(root: &Path) -> Result<PathBuf, Failure> {
    run(&mut cargo(root, &["build", "--profile", "dist", "--locked", "--bin", "countersign"]))?;
    Ok(root.join("target/dist/countersign"))
}

/// Names each package with its size.
fn describe(packages: &[PathBuf]) -> Result<String, Failure> {
    let mut lines = Vec::new();
    for package in packages {
        let bytes =
            std::fs::metadata(package).map_err(|error| path_failure("read", package, &error))?;
        let megabytes = bytes.len() as f64 / 1e6;
        lines.push(format!("{FOLDER}/{}: {megabytes:.1} MB", file_name(package)));
    }
    Ok(lines.join("\n"))
}

/// In the form that `sha256sum --check` reads.
fn write_checksums(folder: &Path, packages: &[PathBuf]) -> Result<(), Failure> {
    let mut command = Command::new("sha256sum");
    command.current_dir(folder).args(packages.iter().map(|path| file_name(path)));
    let sums = folder.join("SHA256SUMS");
    std::fs::write(&sums, capture(&mut command)?)
        .map_err(|error| path_failure("write", &sums, &error))
}

fn remove_folder(folder: &Path) -> Result<(), Failure> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(path_failure("remove", folder, &error))
        }
        _ => Ok(()),
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn path_failure(act: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot {act} `{}`: {error}", path.display()))
}
