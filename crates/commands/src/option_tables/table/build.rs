//! Programs that build, test, or inspect the system.

use super::{EMPTY_TABLE, reader_of_words, short_options};
use crate::option_tables::{
    AllowedOperands, AllowedValues, Effect, OptionStyle, OptionTable, PathOperands,
};

const CARGO: &str = "workspace all lib bins tests benches examples all-targets all-features no-default-features release locked offline frozen quiet verbose no-run no-fail-fast \
           doc keep-going";
const CARGO_VALUED: &str = "package bin test bench example features jobs exclude profile message-format \
           color";
static LIBTEST: OptionTable = OptionTable {
    name: "cargo test --",
    long: "nocapture ignored include-ignored exact list show-output test quiet",
    long_valued: "test-threads skip color",
    ..EMPTY_TABLE
};
static FORMAT: OptionTable = OptionTable {
    name: "cargo fmt --",
    operands: AllowedOperands::None,
    long: "check",
    ..EMPTY_TABLE
};
static LINTS: OptionTable = OptionTable {
    name: "cargo clippy --",
    operands: AllowedOperands::None,
    valued: "DWAF",
    ..EMPTY_TABLE
};

const fn cargo_table(name: &'static str) -> OptionTable {
    OptionTable {
        long: CARGO,
        long_valued: CARGO_VALUED,
        operands: AllowedOperands::None,
        after_double_dash: Some(&LINTS),
        paths: PathOperands::None,
        effect: Effect::Runs,
        ..short_options(name, "qvr", "pFj")
    }
}

const PYTEST: OptionTable = OptionTable {
    long: "quiet verbose exitfirst last-failed lf failed-first ff no-header no-summary \
           collect-only co showlocals stepwise sw",
    long_valued: "maxfail tb durations color",
    effect: Effect::Runs,
    ..short_options("pytest", "qvxsl", "km")
};

pub(super) const BUILD: &[OptionTable] = &[
    OptionTable {
        after_double_dash: Some(&LIBTEST),
        operands: AllowedOperands::Any,
        ..cargo_table("cargo test")
    },
    cargo_table("cargo build"),
    cargo_table("cargo check"),
    cargo_table("cargo clippy"),
    OptionTable {
        long: "check all",
        operands: AllowedOperands::None,
        after_double_dash: Some(&FORMAT),
        effect: Effect::Edits,
        ..short_options("cargo fmt", "", "p")
    },
    OptionTable {
        long: CARGO,
        operands: AllowedOperands::None,
        ..reader_of_words("cargo tree", "d", "pie")
    },
    OptionTable {
        style: OptionStyle::SingleDash,
        long: "v race short cover failfast json benchmem",
        long_valued: "run count timeout bench cpu parallel tags skip",
        effect: Effect::Runs,
        ..short_options("go test", "", "")
    },
    OptionTable {
        style: OptionStyle::SingleDash,
        long: "v",
        long_valued: "tags",
        effect: Effect::Runs,
        ..short_options("go vet", "", "")
    },
    PYTEST,
    OptionTable { name: "python3 -m pytest", ..PYTEST },
    OptionTable { name: "python -m pytest", ..PYTEST },
];

pub(super) const OTHERS: &[OptionTable] = &[
    reader_of_words("true", "", ""),
    reader_of_words("false", "", ""),
    OptionTable { operands: AllowedOperands::None, ..reader_of_words("whoami", "", "") },
    reader_of_words("id", "ugnGrz", ""),
    OptionTable { operands: AllowedOperands::None, ..reader_of_words("uname", "asnrvmpio", "") },
    OptionTable {
        operands: AllowedOperands::Format,
        long: "utc",
        long_valued: "iso-8601",
        ..reader_of_words("date", "uIR", "")
    },
    OptionTable {
        long: "all quiet no-trunc size latest",
        long_valued: "filter format last",
        operands: AllowedOperands::None,
        ..reader_of_words("docker ps", "aqsl", "fn")
    },
    OptionTable {
        long: "all quiet no-trunc digests",
        long_valued: "filter format",
        ..reader_of_words("docker images", "aq", "f")
    },
    OptionTable {
        long: "timestamps details follow",
        long_valued: "tail since until",
        ..reader_of_words("docker logs", "tf", "n")
    },
    OptionTable {
        long: "all-namespaces show-labels no-headers",
        long_valued: "namespace selector output",
        values: AllowedValues::NoFileReferences,
        ..reader_of_words("kubectl get", "A", "nlo")
    },
    OptionTable {
        long: "all-namespaces",
        long_valued: "namespace selector",
        ..reader_of_words("kubectl describe", "A", "nl")
    },
    OptionTable {
        long: "all json long",
        long_valued: "depth",
        ..reader_of_words("npm ls", "al", "")
    },
    OptionTable {
        operands: AllowedOperands::WebAddresses,
        long: "silent show-error fail head include verbose compressed http2",
        ..reader_of_words("curl", "sSfIiv", "")
    },
];
