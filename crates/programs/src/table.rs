//! Reads the option tables, one text file per family of tools.
//!
//! An entry is `NAME | NAME: BASE + BASE; KEY WORDS; KEY WORDS`. Indented lines continue it. It has the
//! properties of its bases, then its own; a later one replaces an earlier one. A name in parentheses
//! is only a base, or a table for the words after `--`. The keys are the fields of `OptionTable`. An
//! entry with a mistake is left out, so that no rule with `*` matches its program.
//!
//! To add a program, read its whole manual and leave out every option that runs a program, writes
//! elsewhere, reads operands from files, or changes configuration, directory or host. Then add a
//! covered and a refused line to `tests/lines`: a table without them fails the tests.

use super::OptionTable;
use serde::de::value::{Error, MapDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _};
use std::collections::{BTreeMap, HashMap};

const FAMILIES: &[&str] = &[
    include_str!("table/bases.txt"),
    include_str!("table/cargo.txt"),
    include_str!("table/changes.txt"),
    include_str!("table/cloud.txt"),
    include_str!("table/cluster.txt"),
    include_str!("table/containers.txt"),
    include_str!("table/data.txt"),
    include_str!("table/files.txt"),
    include_str!("table/forge.txt"),
    include_str!("table/git_local.txt"),
    include_str!("table/git_read.txt"),
    include_str!("table/git_remote.txt"),
    include_str!("table/go.txt"),
    include_str!("table/installs.txt"),
    include_str!("table/jvm.txt"),
    include_str!("table/languages.txt"),
    include_str!("table/linters.txt"),
    include_str!("table/network.txt"),
    include_str!("table/node.txt"),
    include_str!("table/node_tools.txt"),
    include_str!("table/other_languages.txt"),
    include_str!("table/processes.txt"),
    include_str!("table/python.txt"),
    include_str!("table/python_packages.txt"),
    include_str!("table/system.txt"),
    include_str!("table/tasks.txt"),
    include_str!("table/terraform.txt"),
    include_str!("table/text.txt"),
];

type Properties<'a> = BTreeMap<&'a str, &'a str>;

#[derive(Default)]
pub(super) struct Tables {
    pub(super) listed: Vec<OptionTable>,
    /// What is wrong with the entries that are left out.
    pub(super) problems: Vec<String>,
}

impl Tables {
    pub(super) fn load() -> Self {
        Self::read(FAMILIES)
    }

    pub(super) fn read(texts: &[&str]) -> Self {
        let mut tables = Self::default();
        let entries: Vec<String> = texts.iter().flat_map(|text| split_entries(text)).collect();
        let mut known = HashMap::new();
        for entry in &entries {
            match read_entry(entry, &mut known) {
                Ok(listed) => tables.listed.extend(listed),
                Err(error) => tables.problems.push(format!("{error}, in `{entry}`")),
            }
        }
        tables
    }
}

/// The tables of an entry. `known` has the properties of the entries before it, by name.
fn read_entry<'a>(
    entry: &'a str,
    known: &mut HashMap<&'a str, Properties<'a>>,
) -> Result<Vec<OptionTable>, Error> {
    let (names, rest) =
        entry.split_once(": ").ok_or_else(|| Error::custom("no colon behind the names"))?;
    let mut parts = rest.split(';').map(str::trim);
    let mut properties = Properties::new();
    let bases = parts.next().unwrap_or_default().split(" + ");
    for base in bases.filter(|base| !base.is_empty()) {
        properties.extend(find_entry(base, known)?);
    }
    properties.extend(parts.map(|part| part.split_once(' ').unwrap_or((part, ""))));
    let mut listed = Vec::new();
    for name in names.split(" | ") {
        let mut own = properties.clone();
        if !name.starts_with('(') {
            own.insert("name", name);
            listed.push(build_table(&own, known)?);
        }
        known.insert(name, own);
    }
    Ok(listed)
}

fn find_entry<'k, 'a>(
    name: &str,
    known: &'k HashMap<&'a str, Properties<'a>>,
) -> Result<&'k Properties<'a>, Error> {
    known.get(name).ok_or_else(|| Error::custom(format!("`{name}` is not known")))
}

fn build_table(
    properties: &Properties<'_>,
    known: &HashMap<&str, Properties<'_>>,
) -> Result<OptionTable, Error> {
    let mut fields = properties.clone();
    let inner = fields.remove("after_double_dash");
    let mut table = OptionTable::deserialize(MapDeserializer::new(fields.into_iter()))?;
    if let Some(inner) = inner {
        table.after_double_dash = Some(Box::new(build_table(find_entry(inner, known)?, known)?));
    }
    Ok(table)
}

/// The entries of a family, each on one line.
fn split_entries(text: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match (entries.last_mut(), line.strip_prefix("  ")) {
            (Some(entry), Some(more)) => {
                entry.push(' ');
                entry.push_str(more);
            }
            _ => entries.push(line.to_owned()),
        }
    }
    entries
}

/// A number of operands.
pub(super) fn read_count<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<usize>, D::Error> {
    String::deserialize(reader)?.parse().map(Some).map_err(D::Error::custom)
}
