//! Cargo. Without `--config`, `--target-dir`, `-C` and `-Z`, which lead elsewhere.

use super::prelude::*;

const OPTIONS: &str = "workspace all lib bins tests benches examples all-targets all-features \
    no-default-features release locked offline frozen quiet verbose no-run no-fail-fast doc \
    keep-going ignore-rust-version unit-graph future-incompat-report timings no-deps \
    document-private-items";
const OPTIONS_WITH_VALUE: &str = "package bin test bench example features jobs exclude profile \
    message-format color target manifest-path";

static LIBTEST: OptionTable = reader_of_words("cargo test --", "q", "")
    .long("nocapture no-capture ignored include-ignored exact list show-output test quiet")
    .long_valued("test-threads skip color format");
static FORMAT: OptionTable = reader_of_words("cargo fmt --", "", "").operands(None).long("check");
static LINTS: OptionTable = reader_of_words("cargo clippy --", "", "DWAF").operands(None);
static PROGRAM_WORDS: OptionTable =
    reader("cargo run --", "", "").operands(ProgramWords).any_later_option();

const fn build(name: &'static str) -> OptionTable {
    runner(name, "qvr", "pFj")
        .long(OPTIONS)
        .long_valued(OPTIONS_WITH_VALUE)
        .path_values("manifest-path")
        .values(AllowedValues::Plain)
        .operands(None)
        .paths(PathOperands::None)
        .after_dashes(&LINTS)
}

/// Changes the manifest or the lock file, and asks the registry.
const fn manifest(name: &'static str) -> OptionTable {
    editor(name, "qvn", "pF")
        .long(
            "quiet verbose dry-run locked offline workspace dev build optional no-optional \
               default-features no-default-features precise recursive aggressive breaking",
        )
        .long_valued("package features rename target color")
        .values(AllowedValues::Plain)
        .operands(Packages)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const NEXTEST: OptionTable = build("cargo nextest run")
    .operands(Any)
    .long(
        "workspace all lib bins tests benches examples all-targets all-features \
           no-default-features release locked offline frozen no-run no-fail-fast fail-fast \
           no-capture nocapture ignore-default-filter verbose hide-progress-bar",
    )
    .long_valued(
        "package bin test bench example features build-jobs exclude cargo-profile \
                  color retries test-threads run-ignored partition status-level profile \
                  final-status-level failure-output success-output max-fail no-tests target \
                  manifest-path",
    )
    .after_dashes(&LIBTEST);

const FMT: OptionTable = editor("cargo fmt", "qv", "p")
    .long("check all quiet verbose")
    .long_valued("package message-format manifest-path")
    .path_values("manifest-path")
    .values(AllowedValues::Plain)
    .operands(None)
    .after_dashes(&FORMAT);

/// The option comes first, so that nothing is written.
const FMT_CHECK: OptionTable = FMT.effect(ProgramEffect::Reads);

/// The crates of the registry, as text.
const SEARCH: OptionTable = reader_of_words("cargo search", "qv", "")
    .long("quiet verbose")
    .long_valued("limit color")
    .operands(Packages)
    .contacts(Contacts::Configured);

pub(super) const CARGO: &[OptionTable] = &[
    build("cargo test").operands(Any).after_dashes(&LIBTEST),
    build("cargo t").operands(Any).after_dashes(&LIBTEST),
    build("cargo bench").operands(Any).after_dashes(&LIBTEST),
    NEXTEST,
    NEXTEST.with_name("cargo nextest list"),
    build("cargo build"),
    build("cargo b"),
    build("cargo check"),
    build("cargo c"),
    build("cargo clippy"),
    build("cargo clippy --fix").long(
        "workspace all lib bins tests examples all-targets all-features no-default-features \
         allow-dirty allow-staged allow-no-vcs",
    ),
    build("cargo fix").long(
        "workspace all lib bins tests examples all-targets all-features allow-dirty allow-staged \
         edition allow-no-vcs",
    ),
    build("cargo doc"),
    build("cargo rustdoc"),
    build("cargo run").after_dashes(&PROGRAM_WORDS).no_head(),
    build("cargo r").after_dashes(&PROGRAM_WORDS).no_head(),
    runner("cargo xtask", "", "").operands(Tasks).paths(PathOperands::None),
    FMT,
    FMT_CHECK.with_name("cargo fmt --check"),
    FMT_CHECK.with_name("cargo fmt --all --check"),
    FMT_CHECK.with_name("cargo fmt --all -- --check"),
    FMT_CHECK.with_name("cargo fmt -- --check"),
    reader_of_words("cargo tree", "qvd", "pieF")
        .long(
            "workspace all all-features no-default-features duplicates invert no-dedupe locked \
               offline frozen quiet verbose",
        )
        .long_valued("package invert edges depth features target format prefix charset color prune")
        .values(AllowedValues::Plain)
        .operands(None),
    reader_of_words("cargo metadata", "qv", "F")
        .long("no-deps all-features no-default-features locked offline frozen quiet")
        .long_valued("format-version features filter-platform")
        .values(AllowedValues::Plain)
        .operands(None),
    reader_of_words("cargo pkgid", "", "").operands(None),
    SEARCH,
    SEARCH.with_name("cargo info"),
    manifest("cargo add").no_head(),
    manifest("cargo remove"),
    manifest("cargo update"),
    manifest("cargo fetch").operands(None),
    manifest("cargo generate-lockfile").operands(None),
    build("cargo install")
        .long("locked offline frozen force quiet verbose all-features no-default-features list")
        .long_valued("version bin features profile jobs color")
        .path_values("")
        .operands(Packages)
        .contacts(Contacts::Configured)
        .no_head(),
    changer("cargo publish", "qvn", "pF")
        .long("dry-run allow-dirty no-verify workspace locked quiet verbose")
        .long_valued("package features")
        .values(AllowedValues::Plain)
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    editor("cargo new", "q", "").long("lib bin quiet").long_valued("name edition vcs"),
    editor("cargo init", "q", "").long("lib bin quiet").long_valued("name edition vcs"),
    deleter("cargo clean", "qvrn", "p").long("release quiet dry-run doc").operands(None),
    editor("rustfmt", "qv", "").long("check quiet verbose").long_valued("edition color"),
    reader("rustfmt --check", "qv", "").long("quiet verbose").long_valued("edition color"),
];
