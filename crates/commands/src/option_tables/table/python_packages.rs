//! Package managers of Python, and the tools that they start. Without options that name another
//! index, folder, interpreter or configuration.

use super::prelude::*;
use super::python::{BLACK, FLAKE8, MYPY, PYRIGHT, PYTEST, RUFF, RUFF_FIX, RUFF_FORMAT};

const PIP_LIST: OptionTable = reader_of_words("pip list", "olveq", "")
    .long("outdated uptodate editable local user verbose quiet not-required")
    .long_valued("format exclude")
    .contacts(Contacts::Configured);
const PIP_INSTALL: OptionTable = runner("pip install", "Uqv", "rec")
    .long(
        "upgrade quiet verbose no-deps dry-run no-cache-dir force-reinstall user pre \
           no-build-isolation break-system-packages require-hashes disable-pip-version-check",
    )
    .long_valued("requirement editable constraint upgrade-strategy progress-bar")
    .path_values("r e c requirement editable constraint")
    .operands(Packages)
    .paths(PathOperands::None)
    .contacts(Contacts::Configured)
    .no_head();
const PIP_UNINSTALL: OptionTable =
    changer("pip uninstall", "yq", "").long("yes quiet").operands(Packages).no_head();

/// Uv brings the environment up to date first, so it may ask the index.
const fn through_uv(table: OptionTable, name: &'static str) -> OptionTable {
    table.with_name(name).effect(ProgramEffect::Runs).contacts(Contacts::Configured)
}

const UV_SYNC: OptionTable = runner("uv sync", "qvn", "")
    .long(
        "all-extras no-dev only-dev no-default-groups all-groups locked frozen dry-run \
           all-packages no-install-project inexact quiet verbose offline no-progress check \
           compile-bytecode reinstall refresh no-cache",
    )
    .long_valued("extra group no-group only-group package no-extra color resolution")
    .values(AllowedValues::Plain)
    .operands(None)
    .contacts(Contacts::Configured)
    .no_head();

const UV_ADD: OptionTable = UV_SYNC
    .with_name("uv add")
    .long("dev no-sync locked frozen quiet verbose offline no-cache raw")
    .long_valued("group optional extra package bounds")
    .operands(Packages)
    .paths(PathOperands::None)
    .no_head();

static NO_WORDS: OptionTable = reader("tox --", "", "").operands(None);

pub(super) const PYTHON_PACKAGES: &[OptionTable] = &[
    PIP_LIST,
    PIP_LIST.with_name("pip freeze").operands(None),
    PIP_LIST.with_name("pip show").long("files verbose"),
    PIP_LIST.with_name("pip check").operands(None),
    PIP_LIST.with_name("pip3 list"),
    PIP_LIST.with_name("python3 -m pip list"),
    PIP_LIST.with_name("uv pip list"),
    PIP_LIST.with_name("uv pip show"),
    PIP_LIST.with_name("uv pip freeze"),
    PIP_INSTALL,
    PIP_INSTALL.with_name("pip3 install"),
    PIP_INSTALL.with_name("python3 -m pip install"),
    PIP_INSTALL.with_name("python -m pip install"),
    PIP_INSTALL.with_name("uv pip install"),
    PIP_UNINSTALL,
    PIP_UNINSTALL.with_name("uv pip uninstall"),
    UV_SYNC,
    UV_SYNC
        .with_name("uv lock")
        .long("check locked upgrade dry-run quiet verbose offline")
        .effect(ProgramEffect::Edits),
    UV_SYNC.with_name("uv build").long("sdist wheel all quiet verbose"),
    UV_ADD,
    UV_ADD.with_name("uv remove"),
    reader_of_words("uv tree", "", "")
        .long("frozen locked outdated invert")
        .long_valued("depth package")
        .operands(None),
    reader_of_words("uv python list", "", "").long("only-installed").operands(None),
    editor("uv venv", "q", "").long("seed clear quiet").effect(ProgramEffect::Runs),
    through_uv(PYTEST, "uv run pytest"),
    through_uv(PYTEST, "uv run python -m pytest"),
    through_uv(PYTEST, "uv run -m pytest"),
    through_uv(MYPY, "uv run mypy"),
    through_uv(RUFF, "uv run ruff check"),
    through_uv(RUFF_FIX, "uv run ruff check --fix"),
    through_uv(RUFF_FORMAT, "uv run ruff format"),
    through_uv(RUFF_FORMAT, "uv run ruff format --check"),
    through_uv(BLACK, "uv run black"),
    through_uv(PYRIGHT, "uv run pyright"),
    through_uv(FLAKE8, "uv run flake8"),
    runner("uvx", "", "")
        .operands(Packages)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
        .no_head(),
    PYTEST.with_name("poetry run pytest"),
    MYPY.with_name("poetry run mypy"),
    RUFF.with_name("poetry run ruff check").effect(ProgramEffect::Runs),
    RUFF_FORMAT.with_name("poetry run ruff format").effect(ProgramEffect::Runs),
    BLACK.with_name("poetry run black").effect(ProgramEffect::Runs),
    runner("poetry install", "nqv", "E")
        .long("no-root dry-run sync all-extras all-groups only-root no-interaction quiet no-ansi")
        .long_valued("with without only extras")
        .values(AllowedValues::Plain)
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    runner("poetry add", "nqv", "GE")
        .long("dev dry-run lock optional")
        .long_valued("group extras")
        .operands(Packages)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
        .no_head(),
    runner("poetry lock", "nqv", "")
        .long("no-update regenerate")
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    reader_of_words("poetry show", "tlo", "")
        .long("tree latest outdated only-top")
        .long_valued("only with"),
    reader_of_words("poetry check", "", "").long("lock strict").operands(None),
    runner("tox", "qvrp", "e")
        .long("recreate parallel")
        .operands(None)
        .after_dashes(&NO_WORDS)
        .contacts(Contacts::Configured),
    runner("tox run", "qvr", "e")
        .long("recreate")
        .operands(None)
        .after_dashes(&NO_WORDS)
        .contacts(Contacts::Configured),
    runner("nox", "rRxlv", "se")
        .long("list no-install")
        .long_valued("sessions session")
        .operands(None)
        .after_dashes(&NO_WORDS)
        .contacts(Contacts::Configured),
    runner("pre-commit run", "av", "")
        .long("all-files verbose show-diff-on-failure files")
        .long_valued("hook-stage from-ref to-ref color")
        .contacts(Contacts::Configured),
];
