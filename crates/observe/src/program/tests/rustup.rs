//! Rustup's shims: which toolchain is chosen, and where.

use super::*;

const HOST: &str = "x86_64-unknown-linux-gnu";

/// Toolchains whose `cargo` has their name as content.
fn machine_with_rustup() -> Machine {
    let machine = Machine::new(&[".cargo/bin"]);
    machine.add_program(".cargo/bin/rustup", "rustup itself");
    machine.add_link(".cargo/bin/cargo", "rustup");
    for name in ["stable", "nightly", "nightly-2025-01-01", "1.90.0"] {
        machine.add_program(&format!(".rustup/toolchains/{name}-{HOST}/bin/cargo"), name);
    }
    machine.add(".rustup/settings.toml", "default_toolchain = 'stable'\n[overrides]\n");
    machine
}

fn check(machine: &Machine, folder: &str, toolchain: &str) {
    let found = machine.find_in(folder, "cargo");
    let program = format!(".rustup/toolchains/{toolchain}-{HOST}/bin/cargo");
    assert_eq!(found.path, ".cargo/bin/rustup");
    assert_eq!(found.manager.as_deref(), Some("rustup"));
    assert_eq!(found.program.as_ref(), Some(&program), "{found:?}");
    assert_eq!(found.pinned_paths(), [".cargo/bin/rustup", &program]);
    assert_eq!(found.hash_of(&program), sha256(toolchain));
}

#[test]
fn a_shim_of_rustup_starts_the_default_toolchain() {
    let machine = machine_with_rustup();
    check(&machine, "w", "stable");
    // Rustup itself is no shim.
    let found = machine.find("rustup");
    assert_eq!((found.manager.as_deref(), found.pinned_paths()), (None, vec![".cargo/bin/rustup"]));
}

#[test]
fn hard_links_and_copies_of_rustup_are_shims_too() {
    let machine = machine_with_rustup();
    let [rustup, shim] =
        ["rustup", "cargo"].map(|name| machine.path(&format!(".cargo/bin/{name}")));
    let check_shim = || {
        let found = machine.find("cargo");
        assert_eq!(found.path, ".cargo/bin/cargo");
        assert_eq!(found.manager.as_deref(), Some("rustup"), "{found:?}");
    };
    fs::remove_file(&shim).unwrap();
    fs::hard_link(&rustup, &shim).unwrap();
    check_shim();
    fs::remove_file(&shim).unwrap();
    fs::copy(&rustup, &shim).unwrap();
    check_shim();
    // A program beside rustup with other content is an ordinary program.
    machine.add_program(".cargo/bin/cargo", "rustup itsel!");
    assert_eq!(machine.find("cargo").manager, None);
}

#[test]
fn a_toolchain_file_in_the_workspace_leads_to_another_program() {
    let machine = machine_with_rustup();
    machine.add("w/rust-toolchain.toml", "[toolchain]\nchannel = 'nightly'\n");
    check(&machine, "w", "nightly");
    check(&machine, "w/sub", "nightly");
    machine.add("w/sub/rust-toolchain", "1.90.0\n");
    check(&machine, "w/sub", "1.90.0");
    check(&machine, "w", "nightly");
    machine.add("w/sub/rust-toolchain", "[toolchain]\nchannel = 'nightly-2025-01-01'\n");
    check(&machine, "w/sub", "nightly-2025-01-01");
}

#[test]
fn the_nearer_of_a_directory_override_and_a_toolchain_file_counts() {
    let machine = machine_with_rustup();
    let settings = "default_toolchain = 'stable'\n[overrides]\n'%/w' = '1.90.0'\n";
    machine.add(".rustup/settings.toml", settings);
    check(&machine, "w", "1.90.0");
    check(&machine, "w/sub", "1.90.0");
    machine.add("w/rust-toolchain", "stable");
    check(&machine, "w", "1.90.0");
    machine.add("w/sub/rust-toolchain", "stable");
    check(&machine, "w/sub", "stable");
}

#[test]
fn a_toolchain_at_a_path_counts_like_any_other_program() {
    let machine = machine_with_rustup();
    machine.add_program("w/evil/bin/cargo", "evil");
    for path in ["evil", "%/w/evil"] {
        machine.add("w/rust-toolchain.toml", &format!("[toolchain]\npath = '{path}'\n"));
        let found = machine.find("cargo");
        assert_eq!(found.program.as_deref(), Some("w/evil/bin/cargo"));
        assert_eq!(found.hash_of("w/evil/bin/cargo"), sha256("evil"));
    }
    machine.add("w/rust-toolchain.toml", "[toolchain]\npath = '/usr'\n");
    let found = machine.find("cargo");
    assert!(found.program.is_none_or(|program| program == "/usr/bin/cargo"));
}

#[test]
fn a_linked_toolchain_is_followed_to_its_files() {
    let machine = machine_with_rustup();
    machine.add_program("own/build/bin/cargo", "own");
    machine.add_link(".rustup/toolchains/mine", "../../own/build");
    machine.add("w/rust-toolchain", "mine");
    assert_eq!(machine.find("cargo").program.as_deref(), Some("own/build/bin/cargo"));
}

#[test]
fn a_choice_that_nobody_can_tell_is_a_reason_to_ask() {
    let machine = machine_with_rustup();
    machine.add_program(&format!(".rustup/toolchains/beta-{HOST}/bin/rustc"), "");
    machine.add_program(".rustup/toolchains/stable-aarch64-apple-darwin/bin/cargo", "");
    for (text, reason) in [
        ("1.2.3", "the toolchain `1.2.3` is not installed"),
        ("../../w/evil", "an unusual name"),
        ("beta", "is not an executable file"),
        ("stable", "may be any of"),
        ("[toolchain]\nprofile = 'minimal'\n", "names no toolchain"),
        ("[toolchain]\npath = 'x'\nchannel = 'nightly'\n", "names no toolchain"),
        ("two words", "names no toolchain"),
    ] {
        machine.add("w/rust-toolchain", text);
        let found = machine.find("cargo");
        assert_eq!(found.manager.as_deref(), Some("rustup"));
        assert_eq!(found.program, None);
        assert!(found.reason().contains(reason), "{text:?}: {found:?}");
    }
    let unknown = machine.files().find_program(&machine.path(".cargo/bin/cargo"), "").unwrap();
    assert!(format!("{unknown:?}").contains("the folder in which it runs is unknown"));
}
