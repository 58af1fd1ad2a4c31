//! Which shared libraries a program needs, as the Debian packages that have them.
//!
//! The names stand in the program's table of dynamic strings, each between two zero bytes. Reading
//! them there needs no tool that is not installed everywhere.

use crate::failure::Failure;

/// A library's file name and its package; the C library has a version beside it.
const C_LIBRARY: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libutil.so.1"];
const COMPILER_LIBRARY: &str = "libgcc_s.so.1";

/// The value of `Depends`. A library whose package is not known is a failure.
pub(super) fn find_dependencies(program: &[u8]) -> Result<String, Failure> {
    let names = list_names(program);
    let libraries = || names.iter().copied().filter(|name| is_library(name));
    if let Some(unknown) =
        libraries().find(|name| !C_LIBRARY.contains(name) && *name != COMPILER_LIBRARY)
    {
        return Err(Failure::new(format!(
            "the program needs `{unknown}`, and xtask does not know which Debian package has it"
        )));
    }
    let mut packages = Vec::new();
    if let Some((major, minor)) = names.iter().filter_map(|name| parse_version(name)).max() {
        packages.push(format!("libc6 (>= {major}.{minor})"));
    }
    if libraries().any(|name| name == COMPILER_LIBRARY) {
        packages.push("libgcc-s1".to_owned());
    }
    Ok(packages.join(", "))
}

fn list_names(program: &[u8]) -> Vec<&str> {
    let parts = program.split(|byte| *byte == 0);
    parts.filter_map(|part| std::str::from_utf8(part).ok()).collect()
}

/// For example `libm.so.6`; not a path, and not a sentence.
fn is_library(name: &str) -> bool {
    let number = name.strip_prefix("lib").and_then(|rest| rest.split_once(".so."));
    number.is_some_and(|(stem, number)| {
        stem.chars().all(|c| c.is_ascii_alphanumeric() || "_-+".contains(c))
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    })
}

/// The version of the C library that a symbol came with: `GLIBC_2.34`, or `GLIBC_2.2.5`.
fn parse_version(name: &str) -> Option<(u32, u32)> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_decides_about_the_c_library() {
        let program = b"\x7fELF\0libgcc_s.so.1\0libc.so.6\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0";
        assert_eq!(find_dependencies(program).unwrap(), "libc6 (>= 2.34), libgcc-s1");
    }

    #[test]
    fn a_static_program_depends_on_nothing() {
        assert_eq!(find_dependencies(b"\x7fELF\0text\0").unwrap(), "");
    }

    #[test]
    fn an_unknown_library_is_a_failure() {
        let failure = find_dependencies(b"\0libssl.so.3\0libc.so.6\0GLIBC_2.34\0").unwrap_err();
        assert!(failure.message.contains("libssl.so.3"), "{failure}");
    }

    #[test]
    fn text_that_only_mentions_a_library_is_none() {
        assert!(!is_library("lib/x.so.1"));
        assert!(!is_library("libc.so.6 is missing"));
        assert_eq!(parse_version("GLIBC_PRIVATE"), None);
    }
}
