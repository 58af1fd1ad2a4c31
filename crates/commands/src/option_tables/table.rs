//! The option tables, one module per family of tools.
//!
//! To add a program, read its whole manual and leave out every option that runs a program, writes
//! elsewhere, reads operands from files, or changes configuration, directory or host. Then add a
//! covered and a refused line to `tests/lines`: a table without them fails the tests.

mod cargo;
mod changes;
mod cloud;
mod cluster;
mod containers;
mod data;
mod files;
mod forge;
mod git_local;
mod git_read;
mod git_remote;
mod go;
mod installs;
mod jvm;
mod languages;
mod linters;
mod network;
mod node;
mod node_tools;
mod other_languages;
mod processes;
mod python;
mod python_packages;
mod system;
mod tasks;
mod terraform;
mod text;

use super::{
    AllowedOperands, AllowedValues, Contacts, HeadUse, LaterOptions, OptionStyle, OptionTable,
    PathOperands, ProgramEffect, StandardInput,
};

/// What the modules of the families need.
mod prelude {
    pub(super) use super::super::AllowedOperands::*;
    pub(super) use super::super::{
        AllowedValues, Contacts, OptionTable, PathOperands, ProgramEffect,
    };
    pub(super) use super::{changer, deleter, editor, reader, reader_of_words, runner};
}

/// Nothing is known about what the program does, and no head is offered.
const EMPTY_TABLE: OptionTable = OptionTable {
    name: "",
    flags: "",
    valued: "",
    long: "",
    long_valued: "",
    long_pairs: "",
    values: AllowedValues::Any,
    style: OptionStyle::Clusters,
    operands: AllowedOperands::Any,
    paths: PathOperands::All,
    path_values: "",
    written_values: "",
    input_values: "",
    first_by_option: "",
    effect: ProgramEffect::Unknown,
    input: StandardInput::Unknown,
    contacts: Contacts::Nobody,
    head: HeadUse::Never,
    later_options: LaterOptions::Known,
    after_double_dash: None,
};

const fn table(
    name: &'static str,
    (flags, valued): (&'static str, &'static str),
    effect: ProgramEffect,
) -> OptionTable {
    OptionTable { name, flags, valued, effect, head: HeadUse::Offered, ..EMPTY_TABLE }
}

/// A program that only reads, its standard input too. Given are its short options without and with
/// a value.
const fn reader(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    OptionTable { input: StandardInput::Data, ..table(name, (flags, valued), ProgramEffect::Reads) }
}

/// The same, for operands that are no paths.
const fn reader_of_words(
    name: &'static str,
    flags: &'static str,
    valued: &'static str,
) -> OptionTable {
    reader(name, flags, valued).paths(PathOperands::None)
}

/// A program that builds or runs the code of the workspace.
const fn runner(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    table(name, (flags, valued), ProgramEffect::Runs)
}

/// A program that changes the files that its operands name, or others in the workspace.
const fn editor(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    table(name, (flags, valued), ProgramEffect::Edits)
}

/// A program that deletes files or discards changes.
const fn deleter(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    table(name, (flags, valued), ProgramEffect::Deletes).no_head()
}

/// A program that changes something outside the workspace. Its operands are no paths.
const fn changer(name: &'static str, flags: &'static str, valued: &'static str) -> OptionTable {
    table(name, (flags, valued), ProgramEffect::ChangesElsewhere).paths(PathOperands::None)
}

impl OptionTable {
    const fn with_name(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    const fn long(self, long: &'static str) -> Self {
        Self { long, ..self }
    }

    const fn long_valued(self, long_valued: &'static str) -> Self {
        Self { long_valued, ..self }
    }

    const fn long_pairs(self, long_pairs: &'static str) -> Self {
        Self { long_pairs, ..self }
    }

    const fn values(self, values: AllowedValues) -> Self {
        Self { values, ..self }
    }

    const fn style(self, style: OptionStyle) -> Self {
        Self { style, ..self }
    }

    const fn numbers(self) -> Self {
        self.style(OptionStyle::ClustersAndNumbers)
    }

    const fn separate(self) -> Self {
        self.style(OptionStyle::SeparateValues)
    }

    const fn single_dash(self) -> Self {
        self.style(OptionStyle::SingleDash)
    }

    const fn any_dashes(self) -> Self {
        self.style(OptionStyle::AnyDashes)
    }

    const fn operands(self, operands: AllowedOperands) -> Self {
        Self { operands, ..self }
    }

    const fn paths(self, paths: PathOperands) -> Self {
        Self { paths, ..self }
    }

    const fn path_values(self, path_values: &'static str) -> Self {
        Self { path_values, ..self }
    }

    const fn written_values(self, written_values: &'static str) -> Self {
        Self { written_values, ..self }
    }

    const fn input_values(self, input_values: &'static str) -> Self {
        Self { input_values, ..self }
    }

    /// The first operand is a pattern or a script, unless one of these options gives it.
    const fn pattern_first(self, first_by_option: &'static str) -> Self {
        Self { first_by_option, paths: PathOperands::AfterFirst, ..self }
    }

    const fn effect(self, effect: ProgramEffect) -> Self {
        Self { effect, ..self }
    }

    const fn reads_input(self) -> Self {
        Self { input: StandardInput::Data, ..self }
    }

    const fn contacts(self, contacts: Contacts) -> Self {
        Self { contacts, ..self }
    }

    const fn no_head(self) -> Self {
        Self { head: HeadUse::Never, ..self }
    }

    const fn any_later_option(self) -> Self {
        Self { later_options: LaterOptions::AnyName, ..self }
    }

    const fn after_dashes(self, inner: &'static OptionTable) -> Self {
        Self { after_double_dash: Some(inner), ..self }
    }
}

const FAMILIES: &[&[OptionTable]] = &[
    cargo::CARGO,
    changes::CHANGES,
    cloud::CLOUD,
    cluster::CLUSTER,
    containers::CONTAINERS,
    data::DATA,
    files::FILES,
    forge::FORGE,
    git_local::GIT_LOCAL,
    git_read::GIT_READ,
    git_remote::GIT_REMOTE,
    go::GO,
    installs::INSTALLS,
    jvm::JVM,
    languages::LANGUAGES,
    linters::LINTERS,
    network::NETWORK,
    node::NODE,
    node_tools::NODE_TOOLS,
    other_languages::OTHER_LANGUAGES,
    processes::PROCESSES,
    python::PYTHON,
    python_packages::PYTHON_PACKAGES,
    system::SYSTEM,
    tasks::TASKS,
    terraform::TERRAFORM,
    text::TEXT,
];

pub(super) fn all_tables() -> impl Iterator<Item = &'static OptionTable> {
    FAMILIES.iter().copied().flatten()
}
