//! The settings file: mistakes, precedence, and how settings are shown.

use crate::desk::{Desk, GRAPH};
use insta::assert_snapshot;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const FILE: &str = "home/.config/countersign/settings.toml";

#[test]
fn without_a_file_the_defaults_apply() {
    assert_snapshot!(Desk::empty().under("COUNTERSIGN_DATA", "/kept").run(&["settings"]), @"
    KEY                    VALUE      FROM
    data                   /kept      COUNTERSIGN_DATA
    store                  sqlite     default
    graph                  -          default
    headless               false      default
    solver                 cvc5       default
    questions.per_session  10         default
    questions.per_agent    60         default
    questions.in_all       200        default
    narrowing.off          -          default
    network.http           true       default
    network.names          -          default
    network.rate           1000       default
    agent.address          127.0.0.1  default
    agent.port             7778       default
    agent.socket           -          default
    agent.group            -          default
    operator.address       127.0.0.1  default
    operator.port          7777       default
    tls.certificate        -          default
    tls.key                -          default
    mcp.hold_seconds       -          default
    no settings file; `countersign settings --example` prints one
    exit: 0
    ");
}

#[test]
fn a_variable_overrides_the_file_and_each_source_is_named() {
    let desk = Desk::empty().with(FILE, "data = '/kept'\nheadless = true\nstore = 'sqlite'\n");
    let desk = desk.under("COUNTERSIGN_STORE", "postgres://me:hidden@host/db");
    assert_snapshot!(desk.run(&["settings"]), @"
    KEY                    VALUE       FROM
    data                   /kept       settings file
    store                  postgres:…  COUNTERSIGN_STORE
    graph                  -           default
    headless               true        settings file
    solver                 cvc5        default
    questions.per_session  10          default
    questions.per_agent    60          default
    questions.in_all       200         default
    narrowing.off          -           default
    network.http           true        default
    network.names          -           default
    network.rate           1000        default
    agent.address          127.0.0.1   default
    agent.port             7778        default
    agent.socket           -           default
    agent.group            -           default
    operator.address       127.0.0.1   default
    operator.port          7777        default
    tls.certificate        -           default
    tls.key                -           default
    mcp.hold_seconds       -           default
    file HERE/home/.config/countersign/settings.toml
    exit: 0
    ");
    assert_snapshot!(desk.run(&["settings", "--json"]), @r#"
    {"file":"HERE/home/.config/countersign/settings.toml","settings":[{"key":"data","value":"/kept","from":"settings file"},{"key":"store","value":"postgres:…","from":"COUNTERSIGN_STORE"},{"key":"graph","value":null,"from":"default"},{"key":"headless","value":"true","from":"settings file"},{"key":"solver","value":"cvc5","from":"default"},{"key":"questions.per_session","value":"10","from":"default"},{"key":"questions.per_agent","value":"60","from":"default"},{"key":"questions.in_all","value":"200","from":"default"},{"key":"narrowing.off","value":null,"from":"default"},{"key":"network.http","value":"true","from":"default"},{"key":"network.names","value":null,"from":"default"},{"key":"network.rate","value":"1000","from":"default"},{"key":"agent.address","value":"127.0.0.1","from":"default"},{"key":"agent.port","value":"7778","from":"default"},{"key":"agent.socket","value":null,"from":"default"},{"key":"agent.group","value":null,"from":"default"},{"key":"operator.address","value":"127.0.0.1","from":"default"},{"key":"operator.port","value":"7777","from":"default"},{"key":"tls.certificate","value":null,"from":"default"},{"key":"tls.key","value":null,"from":"default"},{"key":"mcp.hold_seconds","value":null,"from":"default"}]}
    exit: 0
    "#);
}

#[test]
fn a_tilde_is_the_home_folder_of_the_user() {
    let desk = Desk::empty().with(FILE, "data = '~/kept'\n");
    let printed = desk.run(&["settings", "--json"]);
    assert!(printed.contains("\"HERE/home/kept\""), "{printed}");
}

#[test]
fn the_file_chooses_the_graph() {
    let desk = Desk::empty().with("elsewhere.yaml", GRAPH);
    let graph = desk.path("elsewhere.yaml");
    let desk = desk.with(FILE, format!("graph = '{}'\n", graph.display()));
    assert_eq!(desk.code(&["check", "email", "read"]), 0);
    // What is typed goes before it.
    let desk = desk.with("stricter.yaml", GRAPH.replace("[read]", "[]"));
    assert_eq!(desk.code(&["check", "email", "read", "--graph", "stricter.yaml"]), 8);
}

#[test]
fn a_mistake_in_the_file_is_named_with_its_line() {
    let said = |text: &str| Desk::new().with(FILE, text).run(&["check", "email", "read"]);
    assert_snapshot!(said("datta = '/x'"), @"
    stderr: error: `HERE/home/.config/countersign/settings.toml`, line 1: unknown field `datta`, expected one of `data`, `store`, `graph`, `headless`, `solver`, `questions`, `narrowing`, `network`, `agent`, `operator`, `tls`, `mcp`
    stderr:   help: did you mean `data`? `countersign settings --example` lists all
    exit: 1
    ");
    assert_snapshot!(said("\n\nheadless = 'no'"), @r#"
    stderr: error: `HERE/home/.config/countersign/settings.toml`, line 3: invalid type: string "no", expected a boolean
    stderr:   help: `countersign settings --example` prints a valid file
    exit: 1
    "#);
    assert_snapshot!(said("data = 'kept'"), @r#"
    stderr: error: `HERE/home/.config/countersign/settings.toml`: `data = "kept"` is a relative path
    stderr:   help: start it with `/` or `~/`
    exit: 1
    "#);
    assert_snapshot!(said("data = '/a'\ndata = '/b'"), @"
    stderr: error: `HERE/home/.config/countersign/settings.toml`, line 2: duplicate key
    stderr:   help: `countersign settings --example` prints a valid file
    exit: 1
    ");
    assert_snapshot!(said("[["), @"
    stderr: error: `HERE/home/.config/countersign/settings.toml`, line 1: unquoted keys cannot be empty, expected letters, numbers, `-`, `_`
    stderr:   help: `countersign settings --example` prints a valid file
    exit: 1
    ");
}

#[test]
fn a_file_that_other_users_can_write_is_refused() {
    let desk = Desk::new().with(FILE, "headless = false\n");
    fs::set_permissions(desk.path(FILE), fs::Permissions::from_mode(0o666)).unwrap();
    assert_snapshot!(desk.run(&["check", "email", "read"]), @"
    stderr: error: another user can write `HERE/home/.config/countersign/settings.toml`
    stderr:   help: run `chmod go-w HERE/home/.config/countersign/settings.toml`, and make sure that you own it
    exit: 1
    ");
}

#[test]
fn a_named_file_must_exist() {
    let desk = Desk::new().under("COUNTERSIGN_SETTINGS", "/nowhere/settings.toml");
    assert_snapshot!(desk.run(&["check", "email", "read"]), @"
    stderr: error: cannot read `/nowhere/settings.toml`: no such file or directory
    stderr:   help: check the name, or create the file
    exit: 1
    ");
    // Help for the shell, and a whole file to begin with, do not depend on it.
    assert_eq!(desk.code(&["completions", "bash"]), 0);
    assert_eq!(desk.code(&["settings", "--example"]), 0);
}
