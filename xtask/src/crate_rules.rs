//! The crates of the workspace: what each contains, what is absent from it, and what it may use.
//!
//! `boundaries` checks the rules, and the table of ARCHITECTURE.md is generated from them.
//!
//! See docs/decisions/0006-few-dependencies-in-pure-crates.md.

/// One crate of the workspace and what it may depend on, in any kind of dependency.
pub(crate) struct CrateRule {
    pub(crate) name: &'static str,
    pub(crate) contains: &'static str,
    pub(crate) lacks: &'static str,
    pub(crate) may_use: &'static [&'static str],
    pub(crate) purity: Purity,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purity {
    /// No runtime, database, HTTP, clock or randomness, however far away.
    Pure,
    Open,
}

pub(crate) const REDACT: &str = "countersign-redact";
pub(crate) const CORE: &str = "countersign-core";
pub(crate) const LEDGER: &str = "countersign-ledger";
pub(crate) const CONVERSATION: &str = "countersign-conversation";
pub(crate) const GRAPH: &str = "countersign-graph";
pub(crate) const COMMANDS: &str = "countersign-commands";
pub(crate) const STORE: &str = "countersign-store";
pub(crate) const OBSERVE: &str = "countersign-observe";
pub(crate) const ENGINE: &str = "countersign-engine";
pub(crate) const HOST: &str = "countersign-host";
pub(crate) const SIMULATE: &str = "countersign-simulate";
pub(crate) const STORIES: &str = "countersign-stories";
pub(crate) const REFERENCE: &str = "countersign-reference";
pub(crate) const FUZZ: &str = "countersign-fuzz";
pub(crate) const PROVE: &str = "countersign-prove";
pub(crate) const IMPORT: &str = "countersign-import";
pub(crate) const SCRATCH: &str = "countersign-scratch";
pub(crate) const CARD: &str = "countersign-card";
pub(crate) const API: &str = "countersign-api";
pub(crate) const SERVER: &str = "countersign-server";
pub(crate) const GATEWAY: &str = "countersign-gateway";
pub(crate) const HARNESS: &str = "countersign-harness";
pub(crate) const CLIENT: &str = "countersign-client";
pub(crate) const TERMINAL: &str = "countersign-terminal";
pub(crate) const CONSOLE: &str = "countersign-console";
pub(crate) const REPORT: &str = "countersign-report";
pub(crate) const SETUP: &str = "countersign-setup";
pub(crate) const PROBES: &str = "countersign-probes";
pub(crate) const CLI: &str = "countersign";

pub(crate) const CRATE_RULES: &[CrateRule] = &[
    CrateRule {
        name: REDACT,
        contains: "secrets in texts, command lines and JSON values: found by name or shape, replaced by marks",
        lacks: "which fields are redacted; keys and digests; IO",
        may_use: &[],
        purity: Purity::Pure,
    },
    CrateRule {
        name: CORE,
        contains: "the model; `decide`, `settle` and `sweep`; the state and its changes",
        lacks: "clock, IO, randomness, async; parsing of files, patches and command lines",
        may_use: &[REDACT],
        purity: Purity::Pure,
    },
    CrateRule {
        name: LEDGER,
        contains: "the ledger's bytes: entries, their hash chain, the parts of an entry that can be erased; replay",
        lacks: "storing; decisions, which must not depend on how they are recorded",
        may_use: &[CORE],
        purity: Purity::Pure,
    },
    CrateRule {
        name: CONVERSATION,
        contains: "consent in a conversation: the phrases of an operator's turn, what a turn changes, and the lines that reply",
        lacks: "text of agents as a turn; answers to cards; IO",
        may_use: &[CORE],
        purity: Purity::Pure,
    },
    CrateRule {
        name: GRAPH,
        contains: "the graph file in JSON, TOML or YAML, with its command rules and Cedar policies: text in, a `Graph` or problems with positions out; lint and diff",
        lacks: "disk access; a way for an agent to change a rule",
        may_use: &[CORE, COMMANDS],
        purity: Purity::Pure,
    },
    CrateRule {
        name: COMMANDS,
        contains: "rules for shell commands: a strict parser for what may run, a loose one for what may not, option tables that fail closed; the files that a patch changes",
        lacks: "a built-in list of safe commands; running anything; disk access",
        may_use: &[CORE],
        purity: Purity::Pure,
    },
    CrateRule {
        name: CARD,
        contains: "what an operator is shown about a request",
        lacks: "layout for one surface; IO",
        may_use: &[CORE, CONVERSATION, GRAPH, COMMANDS],
        purity: Purity::Pure,
    },
    CrateRule {
        name: API,
        contains: "the wire types of both HTTP planes, in both directions; the path of every route",
        lacks: "HTTP; the engine; decisions",
        may_use: &[CORE, CONVERSATION, CARD],
        purity: Purity::Pure,
    },
    CrateRule {
        name: HARNESS,
        contains: "the dialects of the coding agents' hooks: an event's bytes in, a call out; a verdict in, bytes and exit code out; the hook entries of their settings files, as text in and text out",
        lacks: "disk access; the daemon; decisions",
        may_use: &[CORE, API],
        purity: Purity::Pure,
    },
    CrateRule {
        name: STORE,
        contains: "memory, SQLite and PostgreSQL behind one trait; migrations",
        lacks: "decisions; a second meaning of any rule",
        may_use: &[CORE, LEDGER, SCRATCH],
        purity: Purity::Open,
    },
    CrateRule {
        name: OBSERVE,
        contains: "what the disk says: resolved paths, program files, facts of arguments",
        lacks: "decisions; writing to the disk",
        may_use: &[CORE, GRAPH, COMMANDS],
        purity: Purity::Open,
    },
    CrateRule {
        name: ENGINE,
        contains: "the one place where facts, decision and store meet; the `Clock`; the commit",
        lacks: "rules of its own: it carries out what core decided; threads; async",
        may_use: &[REDACT, CORE, LEDGER, CONVERSATION, GRAPH, COMMANDS, STORE, OBSERVE, SCRATCH],
        purity: Purity::Open,
    },
    CrateRule {
        name: HOST,
        contains: "the engine at run time: fast path, waiting, wake-ups, presence, graph reload, sweeps, the node's name; the operations of agents as plain functions on typed requests",
        lacks: "HTTP; MCP; decisions; a way for an agent to approve",
        may_use: &[CORE, CONVERSATION, GRAPH, COMMANDS, CARD, API, ENGINE],
        purity: Purity::Open,
    },
    CrateRule {
        name: SERVER,
        contains: "HTTP for agents and the operator: listeners, admission, credentials, routes, OpenAPI",
        lacks: "decisions; anything the gateway would need too",
        may_use: &[
            REDACT,
            CORE,
            LEDGER,
            CONVERSATION,
            GRAPH,
            COMMANDS,
            CARD,
            API,
            ENGINE,
            HOST,
            CLIENT,
            SCRATCH,
        ],
        purity: Purity::Open,
    },
    CrateRule {
        name: GATEWAY,
        contains: "MCP: both eras on both sides, the call path that consumes a permit, upstream servers, our own consent tools",
        lacks: "decisions; settings; a typed model of the protocol's values",
        may_use: &[CORE, GRAPH, CARD, API, ENGINE, HOST],
        purity: Purity::Open,
    },
    CrateRule {
        name: CLIENT,
        contains: "typed, blocking calls of both planes over the daemon's sockets; the event stream",
        lacks: "a runtime; a method for agents that approves, grants or revokes",
        may_use: &[CORE, API],
        purity: Purity::Open,
    },
    CrateRule {
        name: TERMINAL,
        contains: "the prompt of an operator at a terminal: keys, the line editor, the queue of questions, presence",
        lacks: "what an answer does; a clock; any answer from what is no terminal",
        may_use: &[REDACT, CORE, CONVERSATION, CARD, API],
        purity: Purity::Open,
    },
    CrateRule {
        name: CONSOLE,
        contains: "how the command line prints and asks: pages, tables, the pager, problems of files, failures, exit codes",
        lacks: "commands; a clock; the environment; text that is not sanitized",
        may_use: &[CORE, LEDGER, GRAPH, CARD, CLIENT, TERMINAL, ENGINE],
        purity: Purity::Open,
    },
    CrateRule {
        name: REPORT,
        contains: "reading what happened: opening the record; `ledger`, `log`, `why` and `inspect` with their arguments",
        lacks: "decisions; the daemon; settings, clock and environment, which the binary passes in",
        may_use: &[CORE, LEDGER, API, TERMINAL, CONSOLE, ENGINE],
        purity: Purity::Open,
    },
    CrateRule {
        name: SETUP,
        contains: "what is on this machine: finding, loading and trusting the graph; our hooks in the settings of coding agents; the files that decide; `init`, `uninstall` and `doctor` with their arguments",
        lacks: "decisions; running the daemon; settings, clock and environment, which the binary passes in",
        may_use: &[
            CORE, LEDGER, GRAPH, COMMANDS, API, CLIENT, CONSOLE, REPORT, SERVER, OBSERVE, ENGINE,
            SIMULATE, HARNESS,
        ],
        purity: Purity::Open,
    },
    CrateRule {
        name: STORIES,
        contains: "case files: parsing them, running them on the engine, reporting failures",
        lacks: "a way around the engine",
        may_use: &[CORE, LEDGER, CONVERSATION, GRAPH, COMMANDS, OBSERVE, ENGINE, SCRATCH],
        purity: Purity::Open,
    },
    CrateRule {
        name: SIMULATE,
        contains: "deciding files of calls on an empty record in memory; a model of the operator; counting prompts",
        lacks: "the record of a daemon; a way around the engine; executing anything",
        may_use: &[CORE, GRAPH, CARD, OBSERVE, ENGINE],
        purity: Purity::Open,
    },
    CrateRule {
        name: SCRATCH,
        contains: "a temporary PostgreSQL server for tests",
        lacks: "anything that ships",
        may_use: &[],
        purity: Purity::Open,
    },
    CrateRule {
        name: REFERENCE,
        contains: "a second, naive implementation of the decision, and random facts to compare the two on",
        lacks: "anything that ships; core's own `decide`",
        may_use: &[CORE, CONVERSATION],
        purity: Purity::Pure,
    },
    CrateRule {
        name: PROVE,
        contains: "what one graph newly allows against another, asked of a solver",
        lacks: "a say in any decision; command rules and grants",
        may_use: &[CORE, GRAPH],
        purity: Purity::Open,
    },
    CrateRule {
        name: IMPORT,
        contains: "readers for the files in which earlier systems kept grants",
        lacks: "deciding what is imported; writing",
        may_use: &[CORE],
        purity: Purity::Open,
    },
    CrateRule {
        name: FUZZ,
        contains: "what must hold for any bytes from outside; seeds; the mutation driver",
        lacks: "anything that ships",
        may_use: &[CORE, LEDGER, GRAPH, COMMANDS, STORIES, REFERENCE, IMPORT],
        purity: Purity::Open,
    },
    CrateRule {
        name: PROBES,
        contains: "what the instruction counter runs: decisions and command rules on a generated graph",
        lacks: "anything that ships; a database or a server, which would be built along with it",
        may_use: &[CORE, GRAPH, COMMANDS],
        purity: Purity::Open,
    },
    CrateRule {
        name: CLI,
        contains: "the binary `countersign`: settings, wiring, the commands with their arguments beside them",
        lacks: "decisions; it is the only crate that reads the environment",
        may_use: &[
            CORE, LEDGER, GRAPH, COMMANDS, CARD, API, CLIENT, TERMINAL, CONSOLE, REPORT, SETUP,
            SERVER, GATEWAY, HOST, OBSERVE, ENGINE, STORIES, SIMULATE, PROVE, IMPORT, HARNESS,
            SCRATCH,
        ],
        purity: Purity::Open,
    },
    CrateRule {
        name: "xtask",
        contains: "the repository's own checks and measurements",
        lacks: "anything that ships",
        may_use: &[CORE, LEDGER, GRAPH, COMMANDS, ENGINE, STORIES, CLIENT, SCRATCH, PROBES],
        purity: Purity::Open,
    },
];
