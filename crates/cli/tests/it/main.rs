//! Runs the real binary in a temporary folder and checks its output and exit code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test whose own files or program cannot be used should fall over"
)]

mod ask;
mod assurance;
mod bad_input;
mod bundles;
mod changed_rules;
mod check;
mod commands;
mod daemon;
mod demo;
mod descriptors;
mod desk;
mod doctor;
mod documents;
mod doors;
mod emergency;
mod forged_events;
mod gate;
mod grants;
mod graph_check;
mod graph_diff;
mod graph_lint;
mod graph_lock;
mod graph_prove;
mod graph_review;
mod graph_show;
mod hook;
mod hook_peers;
mod hook_reports;
mod import;
mod init;
mod inspect;
mod ledger;
mod ledger_on_postgres;
mod left_out;
mod log;
mod mcp;
mod mcp_of_agents;
mod mcp_rules;
mod mistakes;
mod nested_programs;
mod notices;
mod policies;
mod proposals;
mod run;
mod run_files;
mod run_git;
mod say;
mod sessions;
mod settings;
mod shell;
mod simulate;
mod stories;
mod streams;
mod suggest;
mod support;
mod tale;
mod transcript;
mod uninstall;
mod watch;
mod where_graphs_are;
mod whole_calls;
mod why;
mod wider_answers;
