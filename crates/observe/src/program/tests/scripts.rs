//! Plain programs, links to them, and scripts with their interpreters.

use super::*;
use crate::limits::MAX_PROGRAM_CHAIN;
use crate::program::content::ContentCache;

#[test]
fn a_binary_that_the_agent_can_replace_is_pinned_by_its_content() {
    let machine = Machine::new(&["bin"]);
    machine.add_program("bin/tool", BINARY);
    let found = machine.find("tool");
    assert_eq!(found.files, [("bin/tool".to_owned(), Ok(sha256(BINARY)))]);
    assert_eq!((found.manager, found.program), (None, None));
    machine.add_program("bin/tool", "changed");
    assert_eq!(machine.find("tool").hash_of("bin/tool"), sha256("changed"));
}

#[test]
fn a_link_that_is_replaced_leads_to_another_hash() {
    // As Homebrew, Nix and Debian's alternatives lay programs out.
    let machine = Machine::new(&["profile/bin"]);
    machine.add_program("store/tool-1/bin/tool", "one");
    machine.add_program("store/tool-2/bin/tool", "two");
    machine.add_link("profile/bin/tool", "../../alternatives/tool");
    machine.add_link("alternatives/tool", "../store/tool-1/bin/tool");
    let found = machine.find("tool");
    assert_eq!(found.path, "store/tool-1/bin/tool");
    assert_eq!(found.hash_of("store/tool-1/bin/tool"), sha256("one"));
    fs::remove_file(machine.path("alternatives/tool")).unwrap();
    machine.add_link("alternatives/tool", "../store/tool-2/bin/tool");
    assert_eq!(machine.find("tool").hash_of("store/tool-2/bin/tool"), sha256("two"));
}

#[test]
fn a_program_that_only_root_can_replace_needs_no_pin() {
    let machine = Machine::new(&[]);
    for name in ["/bin/sh", "env", "ls"] {
        let program = machine.files().find_program(name, &machine.path("w")).unwrap();
        assert_eq!(program.protection, Protection::Protected, "{name}");
    }
}

#[test]
fn a_script_is_pinned_with_its_interpreter() {
    let machine = Machine::new(&["bin"]);
    let script = "#!/usr/bin/env node\nstart()\n";
    machine.add_program("lib/npm-cli.js", script);
    machine.add_link("bin/npm", "../lib/npm-cli.js");
    machine.add_program("bin/node", BINARY);
    let found = machine.find("npm");
    let expected = [("lib/npm-cli.js", sha256(script)), ("bin/node", sha256(BINARY))];
    assert_eq!(found.files, expected.map(|(path, hash)| (path.to_owned(), Ok(hash))));
    machine.add_program("bin/node", "another");
    assert_eq!(machine.find("npm").hash_of("bin/node"), sha256("another"));
    // A protected interpreter is not pinned.
    machine.add_program("bin/plain", "#! /bin/sh -e\n");
    assert_eq!(machine.find("plain").pinned_paths(), ["bin/plain"]);
}

#[test]
fn the_interpreter_of_a_protected_script_counts_too() {
    let machine = Machine::new(&["bin"]);
    machine.add_program("bin/perl", BINARY);
    let is_env_script =
        |path: &Path| fs::read(path).is_ok_and(|text| text.starts_with(b"#!/usr/bin/env perl\n"));
    let scripts = fs::read_dir("/usr/bin").unwrap().map(|entry| entry.unwrap().path());
    let Some(script) = scripts.into_iter().find(|path| is_env_script(path)) else {
        return eprintln!("skipped: no script here starts with `#!/usr/bin/env perl`");
    };
    assert_eq!(machine.find(script.to_str().unwrap()).pinned_paths(), ["bin/perl"]);
}

#[test]
fn a_new_program_earlier_in_the_search_path_is_another_program() {
    let machine = Machine::new(&["first", "second"]);
    machine.add_program("second/tool", "#!/usr/bin/env helper\n");
    machine.add_program("second/helper", BINARY);
    assert_eq!(machine.find("tool").pinned_paths(), ["second/tool", "second/helper"]);
    machine.add_program("first/helper", "evil");
    assert_eq!(machine.find("tool").pinned_paths(), ["second/tool", "first/helper"]);
}

#[test]
fn a_script_whose_interpreter_is_unknown_cannot_be_pinned() {
    let machine = Machine::new(&["bin"]);
    for (text, reason) in [
        ("#!/usr/bin/env missing-program\n", "no program `missing-program` was found"),
        ("#!%/none\n", "is not an executable file"),
        ("#!/usr/bin/env -S A=b sh\n", "tells `env` more than a name"),
        ("#!/bin/sh", "does not end"),
    ] {
        machine.add_program("bin/tool", text);
        let found = machine.find("tool");
        assert!(found.reason().contains(reason), "{text:?}: {found:?}");
    }
}

#[test]
fn a_loop_of_interpreters_ends() {
    let machine = Machine::new(&["bin"]);
    machine.add_program("bin/a", "#!%/bin/b\n");
    machine.add_program("bin/b", "#!%/bin/a\n");
    let found = machine.find("a");
    let reason = format!("it leads through more than {MAX_PROGRAM_CHAIN} programs");
    assert_eq!(found.reason(), reason);
    assert_eq!(found.pinned_paths(), ["bin/a", "bin/b"]);
}

#[test]
fn a_program_that_is_too_large_names_the_reason() {
    let machine = Machine::new(&["bin"]);
    machine.add_program("bin/tool", BINARY);
    let files = machine.files().with_contents(ContentCache::with_limits(|| (0, 0), 3));
    let program = files.find_program("tool", "/").unwrap();
    let Protection::Replaceable { files, .. } = program.protection else { panic!() };
    let reason = files[0].hash.clone().unwrap_err();
    assert!(reason.ends_with("it is larger than 3 bytes"), "{reason}");
}
