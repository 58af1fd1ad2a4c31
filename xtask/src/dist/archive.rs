//! The archive with the installer. Its `bin` and `share` have the layout of a prefix, so that the
//! installer copies them and needs no list of its own.

use super::product::Product;
use super::tools::write_tar;
use super::tree::{PackedFile, Tree};
use crate::failure::Failure;
use std::path::{Path, PathBuf};

const INSTALLER: &str = include_str!("../../dist/install.sh");

pub(super) fn pack(product: &Product, staging: &Tree, folder: &Path) -> Result<PathBuf, Failure> {
    let name = format!("countersign-{}-{}", product.version, product.target);
    for mut file in list_files(product) {
        file.path = format!("{name}/{}", file.path);
        staging.write(&file)?;
    }
    let archive = folder.join(format!("{name}.tar.gz"));
    write_tar(&staging.top, &name, product.commit_time, &archive)?;
    Ok(archive)
}

/// The starter graphs are part of the program: `graph new` writes them.
fn list_files(product: &Product) -> Vec<PackedFile> {
    let Product { completions, .. } = product;
    let mut files = vec![
        PackedFile::executable("install.sh", INSTALLER),
        PackedFile::executable("bin/countersign", product.program.as_slice()),
        PackedFile::new("README.md", product.readme.as_slice()),
        PackedFile::new("CHANGELOG.md", product.changelog.as_slice()),
        PackedFile::new("LICENSE-APACHE", product.apache_licence.as_slice()),
        PackedFile::new("LICENSE-MIT", product.mit_licence.as_str()),
        PackedFile::new("THIRD-PARTY-LICENCES", product.notices.as_str()),
        PackedFile::new("share/bash-completion/completions/countersign", &*completions.bash),
        PackedFile::new("share/zsh/site-functions/_countersign", &*completions.zsh),
        PackedFile::new("share/fish/vendor_completions.d/countersign.fish", &*completions.fish),
    ];
    for page in &product.man_pages {
        files.push(PackedFile::new(format!("share/man/man1/{}", page.path), &*page.content));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::process::{Command, Output};

    /// An unpacked archive with a stand-in for the program.
    fn unpack(top: &Path) {
        let tree = Tree::new(top);
        let program = "#!/bin/sh\necho countersign 0.1.0\n";
        for file in [
            PackedFile::executable("install.sh", INSTALLER),
            PackedFile::executable("bin/countersign", program),
            PackedFile::new("share/man/man1/countersign.1", "page"),
        ] {
            tree.write(&file).unwrap();
        }
        for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
            tree.write(&PackedFile::new(name, "text")).unwrap();
        }
        tree.write(&PackedFile::new("THIRD-PARTY-LICENCES", "text")).unwrap();
    }

    fn install(archive: &Path, home: &Path, words: &[&str]) -> Output {
        let mut command = Command::new("sh");
        command.arg(archive.join("install.sh")).args(words).env_remove("PREFIX");
        command.env("HOME", home).output().unwrap()
    }

    fn list(folder: &Path) -> BTreeSet<PathBuf> {
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap().flatten() {
            found.insert(entry.path());
            if entry.path().is_dir() {
                found.extend(list(&entry.path()));
            }
        }
        found
    }

    #[test]
    fn the_installer_removes_what_it_installed_and_nothing_else() {
        let scratch = tempfile::tempdir().unwrap();
        let (archive, home) = (scratch.path().join("archive"), scratch.path().join("a home"));
        unpack(&archive);
        fs::create_dir_all(home.join(".local/share/man")).unwrap();
        let before = list(&home);
        let installed = install(&archive, &home, &[]);
        let said = String::from_utf8_lossy(&installed.stdout).into_owned();
        assert!(said.starts_with("installed countersign 0.1.0:\n"), "{said}");
        let warned = String::from_utf8_lossy(&installed.stderr).into_owned();
        assert!(warned.contains("is not in PATH"), "{warned}");
        assert!(home.join(".local/share/man/man1/countersign.1").is_file());
        // A second time is an update. The file of an older version is gone, one of the user stays.
        let listed = home.join(".local/share/doc/countersign/installed");
        let stale = home.join(".local/share/man/man1/countersign-old.1");
        fs::write(&stale, "page").unwrap();
        let lines = fs::read_to_string(&listed).unwrap();
        fs::write(&listed, format!("{lines}share/man/man1/countersign-old.1\n")).unwrap();
        let own = home.join(".local/bin/own");
        fs::write(&own, "text").unwrap();
        assert!(install(&archive, &home, &[]).status.success());
        assert!(!stale.exists());
        assert!(install(&archive, &home, &["--uninstall"]).status.success());
        fs::remove_file(own).unwrap();
        fs::remove_dir(home.join(".local/bin")).unwrap();
        assert_eq!(list(&home), before);
    }

    #[test]
    fn a_list_that_leads_outside_removes_nothing() {
        let scratch = tempfile::tempdir().unwrap();
        let (archive, home) = (scratch.path().join("archive"), scratch.path().join("home"));
        unpack(&archive);
        assert!(install(&archive, &home, &[]).status.success());
        let listed = home.join(".local/share/doc/countersign/installed");
        fs::write(&listed, "bin/countersign\nbin/../../../archive/README.md\n").unwrap();
        assert!(!install(&archive, &home, &["--uninstall"]).status.success());
        assert!(home.join(".local/bin/countersign").exists());
        assert!(archive.join("README.md").exists());
    }
}
