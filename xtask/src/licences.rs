//! What we may ship, and from where it comes.
//!
//! Every package of the resolved graph has a licence from the list, comes from the public
//! registry, and brings no second TLS stack or SQLite. Known vulnerabilities are not looked up
//! here: that needs a database that must be downloaded.

mod expression;

use crate::failure::{CiResult, judge};
use crate::metadata::{Metadata, Package};
use expression::Expression;
use std::path::Path;

/// Cargo's own name for the public registry.
pub const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// What the crates of this repository must say themselves.
const OURS: &str = "Apache-2.0 OR MIT";

const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Zlib",
];

/// With two rustls providers in one program rustls has no default and panics at first use; a C
/// TLS library makes the build depend on what the machine has installed.
const REFUSED: &[&str] =
    &["aws-lc-rs", "aws-lc-sys", "aws-lc-fips-sys", "openssl", "openssl-sys", "native-tls"];

/// Crates that link one C library: a second version would not link.
const ONE_VERSION: &[&str] = &["libsqlite3-sys", "ring"];

pub fn step(root: &Path) -> CiResult {
    let metadata = Metadata::read(root)?;
    let mut found = find_violations(&metadata);
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        if !root.join(file).is_file() {
            found.push(format!("`{file}` is missing"));
        }
    }
    judge(&found, format!("{} packages", metadata.packages.len()))
}

pub fn find_violations(metadata: &Metadata) -> Vec<String> {
    let mut found: Vec<String> = metadata
        .packages
        .iter()
        .flat_map(|package| {
            [
                check_licence(metadata, package),
                check_source(metadata, package),
                check_refused(package),
            ]
        })
        .flatten()
        .collect();
    found.extend(ONE_VERSION.iter().filter_map(|name| check_single_version(metadata, name)));
    found
}

fn check_licence(metadata: &Metadata, package: &Package) -> Option<String> {
    let name = format!("{} {}", package.name, package.version);
    let Some(text) = &package.license else {
        return Some(format!("`{name}` names no licence"));
    };
    if metadata.is_member(package) {
        return (text != OURS).then(|| format!("`{name}` says `{text}`, our crates say `{OURS}`"));
    }
    match Expression::parse(text) {
        None => Some(format!("`{name}`: the licence `{text}` is not an SPDX expression")),
        Some(read) if read.is_met_by(ALLOWED) => None,
        Some(_) => Some(format!("`{name}`: the licence `{text}` is not on the list")),
    }
}

fn check_source(metadata: &Metadata, package: &Package) -> Option<String> {
    let name = &package.name;
    match package.source.as_deref() {
        Some(REGISTRY) => None,
        Some(other) => Some(format!("`{name}` comes from `{other}`, not from the public registry")),
        None if metadata.is_member(package) => None,
        None => Some(format!("`{name}` is a path outside this workspace")),
    }
}

fn check_refused(package: &Package) -> Option<String> {
    let name = package.name.as_str();
    REFUSED.contains(&name).then(|| {
        format!(
            "`{name}` came in: there is one TLS provider here, `ring`; see `cargo tree -i {name}`"
        )
    })
}

fn check_single_version(metadata: &Metadata, name: &str) -> Option<String> {
    let all = metadata.packages.iter().filter(|package| package.name == name);
    let versions: Vec<_> = all.map(|package| package.version.as_str()).collect();
    (versions.len() > 1)
        .then(|| format!("`{name}` resolves {} times: {}", versions.len(), versions.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::sample::{member, metadata, outside};

    fn with_licence(name: &str, text: Option<&str>) -> Metadata {
        let mut part = outside(name, &[]);
        part.package.license = text.map(str::to_owned);
        metadata(&[part])
    }

    #[test]
    fn listed_licences_and_our_own_pass() {
        let whole = metadata(&[member("countersign-core", &["a"]), outside("a", &[])]);
        assert_eq!(find_violations(&whole), Vec::<String>::new());
    }

    #[test]
    fn a_licence_off_the_list_is_found() {
        let found = find_violations(&with_licence("a", Some("MIT AND GPL-3.0-only")));
        assert_eq!(found, ["`a 1.0.0`: the licence `MIT AND GPL-3.0-only` is not on the list"]);
    }

    #[test]
    fn a_missing_or_unreadable_licence_is_found() {
        assert_eq!(find_violations(&with_licence("a", None)), ["`a 1.0.0` names no licence"]);
        let found = find_violations(&with_licence("a", Some("MIT OR")));
        assert_eq!(found, ["`a 1.0.0`: the licence `MIT OR` is not an SPDX expression"]);
    }

    #[test]
    fn a_crate_of_ours_with_another_licence_is_found() {
        let mut ours = member("countersign-core", &[]);
        ours.package.license = Some("MIT".to_owned());
        let expected = "`countersign-core 1.0.0` says `MIT`, our crates say `Apache-2.0 OR MIT`";
        assert_eq!(find_violations(&metadata(&[ours])), [expected]);
    }

    #[test]
    fn a_second_tls_provider_is_found() {
        let found = find_violations(&metadata(&[outside("aws-lc-rs", &[])]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("`aws-lc-rs` came in"), "{found:?}");
    }

    #[test]
    fn two_versions_of_sqlite_are_found() {
        let mut newer = outside("libsqlite3-sys", &[]);
        newer.package.version = "2.0.0".to_owned();
        let found = find_violations(&metadata(&[outside("libsqlite3-sys", &[]), newer]));
        assert_eq!(found, ["`libsqlite3-sys` resolves 2 times: 1.0.0, 2.0.0"]);
    }

    #[test]
    fn a_package_from_elsewhere_is_found() {
        let mut part = outside("a", &[]);
        part.package.source = Some("git+https://example.org/a".to_owned());
        let expected = "`a` comes from `git+https://example.org/a`, not from the public registry";
        assert_eq!(find_violations(&metadata(&[part])), [expected]);
    }
}
