//! The shims of pyenv and its relatives, of asdf and mise, and those that are not followed.

use super::*;

const PYENV_SHIM: &str = "#!/bin/sh\nset -e\nprogram=\"${0##*/}\"\n\
     export PYENV_ROOT=\"%/.pyenv\"\nexec \"%/.pyenv/bin/pyenv\" exec \"$program\" \"$@\"\n";

fn machine_with_pyenv() -> Machine {
    let machine = Machine::new(&[".pyenv/shims", "bin"]);
    machine.add_program(".pyenv/shims/black", PYENV_SHIM);
    machine.add_program(".pyenv/libexec/pyenv", "#!/bin/sh\n");
    machine.add_program(".pyenv/libexec/pyenv-exec", "#!/bin/sh\n");
    machine.add_link(".pyenv/bin/pyenv", "../libexec/pyenv");
    for version in ["3.12.1", "3.13.0"] {
        machine.add_program(&format!(".pyenv/versions/{version}/bin/black"), version);
    }
    machine.add(".pyenv/version", "3.12.1\n");
    machine
}

#[track_caller]
fn check(machine: &Machine, folder: &str, name: &str, program: &str) {
    let found = machine.find_in(folder, name);
    assert_eq!(found.reason(), "", "{found:?}");
    assert_eq!(found.program.as_deref(), Some(program), "{found:?}");
    assert!(found.pinned_paths().contains(&program), "{found:?}");
}

#[test]
fn a_shim_of_pyenv_is_pinned_with_its_manager_and_its_program() {
    let machine = machine_with_pyenv();
    let found = machine.find("black");
    assert_eq!(found.manager.as_deref(), Some("pyenv"));
    assert_eq!(
        found.pinned_paths(),
        [
            ".pyenv/shims/black",
            ".pyenv/libexec/pyenv",
            ".pyenv/libexec",
            ".pyenv/versions/3.12.1/bin/black"
        ]
    );
    let before = found.hash_of(".pyenv/libexec");
    machine.add_program(".pyenv/libexec/pyenv-exec", "#!/bin/sh\nevil\n");
    let changed = machine.find("black").hash_of(".pyenv/libexec");
    assert_ne!(changed, before);
    machine.add(".pyenv/plugins/x/etc/pyenv.d/exec/hook.bash", "evil");
    assert_ne!(machine.find("black").hash_of(".pyenv/libexec"), changed);
}

#[test]
fn a_version_file_in_the_workspace_leads_to_another_program() {
    let machine = machine_with_pyenv();
    check(&machine, "w/sub", "black", ".pyenv/versions/3.12.1/bin/black");
    for text in ["3.13.0\n", "# which one\npython-3.13.0", "3.13.0 3.12.1"] {
        machine.add("w/.python-version", text);
        check(&machine, "w/sub", "black", ".pyenv/versions/3.13.0/bin/black");
    }
    machine.add("w/sub/.python-version", "3.12.1");
    check(&machine, "w/sub", "black", ".pyenv/versions/3.12.1/bin/black");
    check(&machine, "w", "black", ".pyenv/versions/3.13.0/bin/black");
    machine.add_program("bin/black", BINARY);
    machine.add("w/.python-version", "system");
    check(&machine, "w", "black", "bin/black");
    // The program behind a shim is pinned although only root can replace it.
    machine.add_program(".pyenv/shims/ls", PYENV_SHIM);
    let found = machine.find("ls");
    let program = found.program.as_deref().unwrap();
    assert!(program.starts_with("/usr/bin/") || program.starts_with("/bin/"), "{found:?}");
    assert!(found.pinned_paths().contains(&program), "{found:?}");
    machine.add_program("w/bin/black", "evil");
    for text in ["3.13", "../../w", "", "# nothing"] {
        machine.add("w/.python-version", text);
        let found = machine.find("black");
        assert_eq!(found.program, None, "{text:?}");
        assert_ne!(found.reason(), "", "{text:?}");
    }
}

#[test]
fn each_relative_of_pyenv_has_a_version_file_of_its_own() {
    for (manager, version_file) in [
        ("rbenv", ".ruby-version"),
        ("nodenv", ".node-version"),
        ("goenv", ".go-version"),
        ("jenv", ".java-version"),
        ("phpenv", ".php-version"),
        ("plenv", ".perl-version"),
    ] {
        let machine = Machine::new(&["shims"]);
        let shim = PYENV_SHIM.replace("%/.pyenv", "%").replace("pyenv", manager);
        machine.add_program("shims/tool", &shim.replace("PYENV", &manager.to_uppercase()));
        machine.add_program(&format!("bin/{manager}"), "#!/bin/sh\n");
        for version in ["1.0", "2.0"] {
            machine.add_program(&format!("versions/{version}/bin/tool"), version);
        }
        machine.add("version", "1.0");
        check(&machine, "w", "tool", "versions/1.0/bin/tool");
        machine.add(&format!("w/{version_file}"), "2.0 1.0\n");
        check(&machine, "w", "tool", "versions/2.0/bin/tool");
        assert_eq!(machine.find("tool").manager.as_deref(), Some(manager));
        // The second word is not a second choice.
        fs::remove_file(machine.path("versions/2.0/bin/tool")).unwrap();
        assert!(machine.find("tool").reason().ends_with("version 2.0 does not contain it"));
    }
}

#[test]
fn an_interpreter_whose_script_chooses_the_version_is_not_followed() {
    let machine = machine_with_pyenv();
    let shim =
        PYENV_SHIM.replace("set -e", "for arg; do export PYENV_DIR=\"$(dirname $arg)\"; done");
    machine.add_program(".pyenv/shims/python3", &shim);
    machine.add_program(".pyenv/versions/3.12.1/bin/python3", BINARY);
    let found = machine.find("python3");
    assert!(found.reason().ends_with("the words of the command choose the version"), "{found:?}");
}

fn machine_with_asdf() -> Machine {
    let machine = Machine::new(&[".asdf/shims"]);
    machine.add_program(
        ".asdf/shims/tofu",
        "#!/bin/sh\n# asdf-plugin: opentofu 1.8\n# asdf-plugin: opentofu 1.9\n\
         exec %/.asdf/bin/asdf exec \"tofu\" \"$@\"\n",
    );
    machine.add_program(".asdf/bin/asdf", BINARY);
    machine.add_program(".asdf/plugins/opentofu/bin/install", "#!/bin/sh\n");
    for version in ["1.8", "1.9"] {
        machine.add_program(&format!(".asdf/installs/opentofu/{version}/bin/tofu"), version);
    }
    machine.add(".tool-versions", "other 3\nopentofu 1.8 # for now\n");
    machine
}

#[test]
fn a_shim_of_asdf_starts_the_version_of_the_nearest_file_that_names_its_plugin() {
    let machine = machine_with_asdf();
    check(&machine, "w", "tofu", ".asdf/installs/opentofu/1.8/bin/tofu");
    assert_eq!(machine.find("tofu").manager.as_deref(), Some("asdf"));
    machine.add("w/.tool-versions", "other 4\n");
    check(&machine, "w/sub", "tofu", ".asdf/installs/opentofu/1.8/bin/tofu");
    machine.add("w/.tool-versions", "opentofu 1.9\n");
    check(&machine, "w/sub", "tofu", ".asdf/installs/opentofu/1.9/bin/tofu");
    let expected = [
        ".asdf/shims/tofu",
        ".asdf/bin/asdf",
        ".asdf/plugins/opentofu/bin",
        ".asdf/installs/opentofu/1.9/bin/tofu",
    ];
    assert_eq!(machine.find("tofu").pinned_paths(), expected);
}

#[test]
fn what_asdf_decides_by_running_something_is_not_followed() {
    for (path, text, reason) in [
        (".asdfrc", "pre_opentofu_tofu = evil\n", "`.asdfrc`"),
        (".asdfrc", "legacy_version_file = yes\n", "`.asdfrc`"),
        (".asdf/plugins/opentofu/bin/exec-path", "", "a script of the plugin"),
        (".asdf/plugins/opentofu/bin/list-bin-paths", "", "a script of the plugin"),
        ("w/.tool-versions", "opentofu path:/evil\n", "no installed version"),
        ("w/.tool-versions", "opentofu 2.0\n", "no installed version"),
        (".tool-versions", "", "names a version of opentofu"),
    ] {
        let machine = machine_with_asdf();
        machine.add(path, text);
        let found = machine.find("tofu");
        assert!(found.reason().contains(reason), "{path} {text:?}: {found:?}");
        assert_eq!(found.program, None);
    }
    let machine = machine_with_asdf();
    machine.add(".asdfrc", "# mine\nconcurrency = 4\nlegacy_version_file = no\n");
    check(&machine, "w", "tofu", ".asdf/installs/opentofu/1.8/bin/tofu");
}

fn machine_with_mise() -> Machine {
    let machine = Machine::new(&[".local/share/mise/shims"]);
    machine.add_program(".local/bin/mise", BINARY);
    for name in ["node", "npm", "python"] {
        let shim = format!(".local/share/mise/shims/{name}");
        machine.add_link(&shim, &machine.path(".local/bin/mise"));
    }
    let installs = ".local/share/mise/installs";
    for version in ["20.1.0", "22.0.0"] {
        machine.add_program(&format!("{installs}/node/{version}/bin/node"), version);
        machine.add_program(&format!("{installs}/node/{version}/bin/npm"), "#!/usr/bin/env node\n");
    }
    machine.add_link(&format!("{installs}/node/20"), "./20.1.0");
    machine.add_link(&format!("{installs}/node/latest"), "./22.0.0");
    machine.add_program(&format!("{installs}/python/3.13/bin/python"), BINARY);
    machine.add(".config/mise/config.toml", "[tools]\nnode = '20'\n[settings]\njobs = 2\n");
    machine
}

const NODE_20: &str = ".local/share/mise/installs/node/20.1.0/bin/node";
const NODE_22: &str = ".local/share/mise/installs/node/22.0.0/bin/node";

#[test]
fn a_shim_of_mise_starts_the_nearest_version() {
    let machine = machine_with_mise();
    check(&machine, "w", "node", NODE_20);
    let found = machine.find("node");
    assert_eq!(found.manager.as_deref(), Some("mise"));
    assert_eq!(found.pinned_paths(), [".local/bin/mise", NODE_20]);
    for (file, text) in [
        ("mise.toml", "[tools]\nnode = 'latest'\npython = '3.13'\n"),
        (".mise.toml", "[tools]\nnode = {version = '22.0.0'}\n"),
        (".config/mise.toml", "[tools]\n'core:node' = ['22.0.0']\n"),
        (".tool-versions", "nodejs 22.0.0\n"),
    ] {
        machine.add(&format!("w/{file}"), text);
        check(&machine, "w/sub", "node", NODE_22);
        fs::remove_file(machine.path(&format!("w/{file}"))).unwrap();
        check(&machine, "w/sub", "node", NODE_20);
    }
}

#[test]
fn the_interpreter_of_a_script_behind_a_shim_may_be_a_shim() {
    let machine = machine_with_mise();
    let npm = ".local/share/mise/installs/node/20.1.0/bin/npm";
    check(&machine, "w", "npm", npm);
    assert_eq!(machine.find("npm").pinned_paths(), [".local/bin/mise", npm, NODE_20]);
}

#[test]
fn a_configuration_of_mise_that_does_more_than_choose_tools_is_not_followed() {
    for (path, text, reason) in [
        ("w/mise.toml", "[env]\nPATH = '.'\n", "`env` in"),
        ("w/mise.toml", "[hooks]\nenter = 'x'\n", "`hooks` in"),
        ("w/mise.toml", "[settings]\nidiomatic_version_file_enable_tools = []\n", "`settings` in"),
        ("w/mise.toml", "[tools]\nnode = '{{ exec() }}'\n", "under that name"),
        ("w/mise.toml", "[tools]\nnode = 'path:/evil'\n", "under that name"),
        ("w/mise.toml", "[tools]\nnode = {version = '20', postinstall = 'x'}\n", "is unusual"),
        ("w/mise.toml", "[tools]\nnode = '21'\n", "under that name"),
        ("w/mise.toml", "[tools\n", "not valid TOML"),
        ("w/.tool-versions", "deno 2\n", "under that name"),
        ("w/.nvmrc", "22", "may choose the version"),
        ("w/.config/mise/conf.d/x.toml", "", "may choose the version"),
    ] {
        let machine = machine_with_mise();
        machine.add(path, text);
        let found = machine.find("node");
        assert!(found.reason().contains(reason), "{path} {text:?}: {found:?}");
        assert_eq!(found.program, None);
    }
    let machine = machine_with_mise();
    machine
        .add("w/mise.toml", "[tools]\nnode = '20'\n")
        .add("w/.mise.toml", "[tools]\nnode = '22.0.0'\n");
    assert!(machine.find("node").reason().contains("two files of one folder"));
    let machine = machine_with_mise();
    assert!(machine.find("python").reason().contains("no tool that is chosen here provides it"));
}

#[test]
fn shims_of_other_managers_say_why_they_are_not_followed() {
    for (file, manager) in [
        (".volta/bin/volta-shim", "volta"),
        (".proto/bin/proto-shim", "proto"),
        ("tools/bazelisk-linux-amd64", "bazelisk"),
        ("lib/node_modules/corepack/dist/yarn.js", "corepack"),
        (".elan/bin/elan", "elan"),
    ] {
        let machine = Machine::new(&["bin"]);
        machine.add_program(file, BINARY);
        machine.add_link("bin/tool", &machine.path(file));
        let found = machine.find("tool");
        assert_eq!(found.manager.as_deref(), Some(manager));
        let reason = found.reason();
        assert!(reason.starts_with(&format!("it is a shim of {manager}: ")), "{reason}");
        assert!(reason.contains("version"), "{reason}");
    }
}

#[test]
fn a_shim_of_an_unknown_form_is_not_followed() {
    let machine = Machine::new(&["x/shims"]);
    machine.add_program("x/shims/tool", "#!/bin/sh\nexec whatever\n");
    assert!(machine.find("tool").reason().ends_with("of no known form"));
    machine.add_program("x/shims/tool", &format!("{BINARY}{}", "x".repeat(100_000)));
    assert_eq!(machine.find("tool").manager.as_deref(), Some("an unknown manager"));
}

#[test]
fn a_program_of_fnm_or_nvm_is_an_ordinary_program() {
    let machine = Machine::new(&["fnm_multishells/1/bin"]);
    machine.add_program("fnm/node-versions/v20/installation/bin/node", BINARY);
    machine.add_link("fnm_multishells/1", "../fnm/node-versions/v20/installation");
    let found = machine.find("node");
    assert_eq!(found.pinned_paths(), ["fnm/node-versions/v20/installation/bin/node"]);
}
