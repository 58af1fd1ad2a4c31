//! Statements that delete tables, databases or all rows, given to a client of a database.

use super::DangerSearch;
use super::arguments::Arguments;
use crate::loose::{LooseItem, LooseScan, Word};
use countersign_core::model::danger::DangerKind::Shared;

const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "mongosh",
    "mongo",
    "cqlsh",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "sqlcmd",
    "usql",
    "pgcli",
    "mycli",
    "litecli",
    "snowsql",
    "sqlplus",
    "bq",
    "isql",
    "cockroach",
    "trino",
    "presto",
    "turso",
    "wrangler",
    "supabase",
    "snow",
    "spanner-cli",
    "beeline",
    "hive",
    "impala-shell",
    "prisma",
    "osqueryi",
    "tsql",
    "rqlite",
];

/// What a statement can drop.
const OBJECTS: &[&str] = &[
    "TABLE",
    "DATABASE",
    "SCHEMA",
    "VIEW",
    "INDEX",
    "COLUMN",
    "ROLE",
    "USER",
    "SEQUENCE",
    "FUNCTION",
    "TYPE",
    "KEYSPACE",
    "TABLESPACE",
    "OWNED",
    "EXTENSION",
    "MATERIALIZED",
    "TRIGGER",
    "COLLECTION",
    "PROCEDURE",
    "PARTITION",
    "CONSTRAINT",
    "TEMPORARY",
    "FOREIGN",
    "WAREHOUSE",
    "DATASET",
];

pub(super) fn check_sql(search: &mut DangerSearch, arguments: &Arguments) {
    if arguments.is_program(CLIENTS) {
        let texts = arguments.words.iter().flat_map(Word::list_readings);
        texts.for_each(|text| check_statements(search, &text));
    }
}

/// Statements that a client reads: a here-document, or what another command prints.
pub(super) fn check_sql_input(search: &mut DangerSearch, scanned: &LooseScan) {
    let commands = || {
        scanned.items.iter().filter_map(|item| match item {
            LooseItem::Command(command) => Arguments::new(&command.words),
            LooseItem::Enter(_) | LooseItem::Leave => None,
        })
    };
    let has_client = |arguments: &Arguments| {
        let mut words = arguments.texts().map(crate::wrappers::base_name);
        arguments.is_program(CLIENTS) || words.any(|word| CLIENTS.contains(&word))
    };
    if !commands().any(|arguments| has_client(&arguments)) {
        return;
    }
    scanned.inputs.iter().for_each(|input| check_statements(search, &input.text));
    for arguments in commands().filter(|arguments| arguments.is_program(&["echo", "printf"])) {
        let texts = arguments.words.iter().flat_map(Word::list_readings);
        texts.for_each(|text| check_statements(search, &text));
    }
}

fn check_statements(search: &mut DangerSearch, text: &str) {
    for statement in text.split(';') {
        if let Some(what) = read_statement(statement) {
            search.add(Shared, "deletes", what);
        }
    }
    let lower = text.to_ascii_lowercase();
    if lower.contains("dropdatabase(") {
        search.add(Shared, "deletes", "the current database");
    }
    if lower.contains(".drop(") || lower.contains("deletemany({})") {
        search.add(Shared, "deletes", "a collection of the database");
    }
}

/// What a statement deletes.
fn read_statement(statement: &str) -> Option<String> {
    let statement = strip_comments(statement);
    let words: Vec<&str> = statement.split_whitespace().collect();
    let upper: Vec<String> = words.iter().map(|word| word.to_ascii_uppercase()).collect();
    for (at, word) in upper.iter().enumerate() {
        let next = upper.get(at + 1).map(String::as_str).unwrap_or_default();
        let name = |skipped: usize| {
            let is_name = |word: &&&str| {
                let word = word.to_ascii_uppercase();
                !["IF", "EXISTS", "ONLY", "TABLE", "VIEW", "BY"].contains(&word.as_str())
            };
            words.iter().skip(at + skipped).find(is_name).map_or("", |name| name)
        };
        match word.as_str() {
            "DROP" if OBJECTS.contains(&next) => {
                let object = next.to_ascii_lowercase();
                let is_whole = ["database", "schema", "keyspace"].contains(&object.as_str());
                let place = if is_whole { "" } else { " of the database" };
                return Some(format!("the {object} {}{place}", name(2)));
            }
            // An object of its own, for a statement: prose goes on with small words.
            "TRUNCATE" if !next.is_empty() && at == 0 => {
                return Some(format!("every row of {}", name(1)));
            }
            "DELETE" if next == "FROM" && !upper.iter().any(|word| word == "WHERE") => {
                return Some(format!("every row of {}", name(2)));
            }
            _ => {}
        }
    }
    None
}

fn strip_comments(statement: &str) -> String {
    let lines = statement.lines().map(|line| line.split("--").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join(" ")
}
