//! The Debian package: the same files where Debian wants them, and the words that `dpkg` reads.

use super::libraries::find_dependencies;
use super::product::Product;
use super::tools::compress;
use super::tree::{PackedFile, Tree};
use crate::failure::Failure;
use crate::process::{capture, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const HOMEPAGE: &str = "https://github.com/countersign/countersign";
/// `dpkg` wants an address. The project has none yet, and `.invalid` reaches nobody.
const MAINTAINER: &str = "The Countersign contributors <contributors@countersign.invalid>";
const DESCRIPTION: &str = "\
consent layer for AI agents
 Countersign stands between AI agents and the world. It decides and records
 each call before the call takes effect, and holds the calls that matter until
 a person answers.
";

pub(super) fn pack(product: &Product, tree: &Tree, folder: &Path) -> Result<PathBuf, Failure> {
    let architecture = find_architecture(&product.target)?;
    let files = list_files(product)?;
    for file in &files {
        tree.write(file)?;
    }
    let control = Control {
        version: to_debian_version(product.version),
        architecture,
        installed_kib: count_kib(&files),
        dependencies: find_dependencies(&product.program)?,
    };
    let sums = compute_sums(tree, &files)?;
    tree.write(&PackedFile::new("DEBIAN/md5sums", sums))?;
    tree.write(&PackedFile::new("DEBIAN/control", control.render()))?;
    let package = folder.join(format!("countersign_{}_{architecture}.deb", control.version));
    let mut command = Command::new("dpkg-deb");
    command.args(["--root-owner-group", "--build"]).arg(&tree.top).arg(&package);
    run(command.env("SOURCE_DATE_EPOCH", product.commit_time.to_string()))?;
    Ok(package)
}

fn list_files(product: &Product) -> Result<Vec<PackedFile>, Failure> {
    let Product { completions, .. } = product;
    let doc = |name: &str| format!("usr/share/doc/countersign/{name}");
    let share = |path: &str| format!("usr/share/{path}");
    let copyright = render_copyright(&product.mit_licence);
    let bash = share("bash-completion/completions/countersign");
    let mut files = vec![
        PackedFile::executable("usr/bin/countersign", product.program.as_slice()),
        PackedFile::new(bash, &*completions.bash),
        PackedFile::new(share("zsh/vendor-completions/_countersign"), &*completions.zsh),
        PackedFile::new(share("fish/vendor_completions.d/countersign.fish"), &*completions.fish),
        PackedFile::new(doc("README.md"), product.readme.as_slice()),
        PackedFile::new(doc("changelog.gz"), compress(&product.changelog)?),
        PackedFile::new(doc("copyright"), copyright),
        PackedFile::new(doc("THIRD-PARTY-LICENCES.gz"), compress(product.notices.as_bytes())?),
    ];
    for page in &product.man_pages {
        let path = share(&format!("man/man1/{}.gz", page.path));
        files.push(PackedFile::new(path, compress(&page.content)?));
    }
    Ok(files)
}

struct Control {
    version: String,
    architecture: &'static str,
    installed_kib: usize,
    dependencies: String,
}

impl Control {
    fn render(&self) -> String {
        let Self { version, architecture, installed_kib, dependencies } = self;
        let depends = match dependencies.as_str() {
            "" => String::new(),
            packages => format!("Depends: {packages}\n"),
        };
        format!(
            "Package: countersign\nVersion: {version}\nArchitecture: {architecture}\n\
             Maintainer: {MAINTAINER}\nInstalled-Size: {installed_kib}\n{depends}\
             Suggests: cvc5\nSection: utils\nPriority: optional\nHomepage: {HOMEPAGE}\n\
             Description: {DESCRIPTION}"
        )
    }
}

/// `1.0.0-rc.1` comes before `1.0.0` only with `~`.
fn to_debian_version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

fn find_architecture(target: &str) -> Result<&'static str, Failure> {
    match target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        Some("riscv64gc") => Ok("riscv64"),
        Some("powerpc64le") => Ok("ppc64el"),
        Some("s390x") => Ok("s390x"),
        _ => Err(Failure::new(format!("xtask does not know Debian's name for `{target}`"))),
    }
}

fn count_kib(files: &[PackedFile]) -> usize {
    files.iter().map(|file| file.content.len().div_ceil(1024)).sum()
}

fn compute_sums(tree: &Tree, files: &[PackedFile]) -> Result<String, Failure> {
    let mut command = Command::new("md5sum");
    capture(command.current_dir(&tree.top).args(files.iter().map(|file| &file.path)))
}

/// In Debian's format. Every Debian system has the text of the Apache licence.
fn render_copyright(mit: &str) -> String {
    let mit = mit.lines().map(|line| match line.trim() {
        "" => " .\n".to_owned(),
        text => format!(" {text}\n"),
    });
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: countersign\nSource: {HOMEPAGE}\n\
         Comment: The licences of the libraries in the program are in THIRD-PARTY-LICENCES.gz.\n\n\
         Files: *\nCopyright: 2026 The Countersign contributors\nLicense: Apache-2.0 or Expat\n\n\
         License: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n\n\
         License: Expat\n{}",
        mit.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_control_file_has_one_field_per_line() {
        let control = Control {
            version: to_debian_version("0.1.0-rc.1"),
            architecture: find_architecture("x86_64-unknown-linux-gnu").unwrap(),
            installed_kib: count_kib(&[PackedFile::new("a", "x"), PackedFile::new("b", "")]),
            dependencies: "libc6 (>= 2.34)".to_owned(),
        };
        let text = control.render();
        assert!(text.starts_with("Package: countersign\nVersion: 0.1.0~rc.1\n"), "{text}");
        assert!(text.contains("\nInstalled-Size: 1\nDepends: libc6 (>= 2.34)\n"), "{text}");
        assert!(text.ends_with(" a person answers.\n"), "{text}");
    }

    #[test]
    fn a_package_without_dependencies_has_no_such_field() {
        let (version, dependencies) = ("1".to_owned(), String::new());
        let control = Control { version, architecture: "amd64", installed_kib: 1, dependencies };
        assert!(!control.render().contains("Depends"));
    }

    #[test]
    fn the_homepage_is_that_of_the_workspace() {
        let manifest = include_str!("../../../Cargo.toml");
        assert!(manifest.contains(&format!("repository = \"{HOMEPAGE}\"")));
    }

    #[test]
    fn an_empty_line_of_a_licence_becomes_a_dot() {
        let text = render_copyright("MIT License\n\nPermission\n");
        assert!(text.ends_with("License: Expat\n MIT License\n .\n Permission\n"), "{text}");
    }

    #[test]
    fn an_unknown_architecture_is_a_failure() {
        assert!(find_architecture("sparc64-unknown-linux-gnu").is_err());
    }
}
