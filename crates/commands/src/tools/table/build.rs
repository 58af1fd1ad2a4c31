//! Building, testing, and looking at what runs.

use super::{NOTHING, short};
use crate::tools::{Operands, Style, Tool, Values};

const CARGO: &str = "workspace all lib bins tests benches examples all-targets all-features no-default-features release locked offline frozen quiet verbose no-run no-fail-fast \
           doc keep-going";
const CARGO_VALUED: &str = "package bin test bench example features jobs exclude profile message-format \
           color";
static LIBTEST: Tool = Tool {
    name: "cargo test --",
    long: "nocapture ignored include-ignored exact list show-output test quiet",
    long_valued: "test-threads skip color",
    ..NOTHING
};
static FORMAT: Tool =
    Tool { name: "cargo fmt --", operands: Operands::None, long: "check", ..NOTHING };
static LINTS: Tool =
    Tool { name: "cargo clippy --", operands: Operands::None, valued: "DWAF", ..NOTHING };

const fn cargo(name: &'static str) -> Tool {
    Tool {
        long: CARGO,
        long_valued: CARGO_VALUED,
        operands: Operands::None,
        passed: Some(&LINTS),
        ..short(name, "qvr", "pFj")
    }
}

const PYTEST: Tool = Tool {
    long: "quiet verbose exitfirst last-failed lf failed-first ff no-header no-summary \
           collect-only co showlocals stepwise sw",
    long_valued: "maxfail tb durations color",
    ..short("pytest", "qvxsl", "km")
};

pub(super) const BUILD: &[Tool] = &[
    Tool { passed: Some(&LIBTEST), operands: Operands::Any, ..cargo("cargo test") },
    cargo("cargo build"),
    cargo("cargo check"),
    cargo("cargo clippy"),
    Tool {
        long: "check all",
        operands: Operands::None,
        passed: Some(&FORMAT),
        ..short("cargo fmt", "", "p")
    },
    Tool { long: CARGO, operands: Operands::None, ..short("cargo tree", "d", "pie") },
    Tool {
        style: Style::Single,
        long: "v race short cover failfast json benchmem",
        long_valued: "run count timeout bench cpu parallel tags skip",
        ..short("go test", "", "")
    },
    Tool { style: Style::Single, long: "v", long_valued: "tags", ..short("go vet", "", "") },
    PYTEST,
    Tool { name: "python3 -m pytest", ..PYTEST },
    Tool { name: "python -m pytest", ..PYTEST },
];

pub(super) const OTHERS: &[Tool] = &[
    short("true", "", ""),
    short("false", "", ""),
    Tool { operands: Operands::None, ..short("whoami", "", "") },
    short("id", "ugnGrz", ""),
    Tool { operands: Operands::None, ..short("uname", "asnrvmpio", "") },
    Tool {
        operands: Operands::Format,
        long: "utc",
        long_valued: "iso-8601",
        ..short("date", "uIR", "")
    },
    Tool {
        long: "all quiet no-trunc size latest",
        long_valued: "filter format last",
        operands: Operands::None,
        ..short("docker ps", "aqsl", "fn")
    },
    Tool {
        long: "all quiet no-trunc digests",
        long_valued: "filter format",
        ..short("docker images", "aq", "f")
    },
    Tool {
        long: "timestamps details follow",
        long_valued: "tail since until",
        ..short("docker logs", "tf", "n")
    },
    Tool {
        long: "all-namespaces show-labels no-headers",
        long_valued: "namespace selector output",
        values: Values::NotFromFiles,
        ..short("kubectl get", "A", "nlo")
    },
    Tool {
        long: "all-namespaces",
        long_valued: "namespace selector",
        ..short("kubectl describe", "A", "nl")
    },
    Tool { long: "all json long", long_valued: "depth", ..short("npm ls", "al", "") },
    Tool {
        operands: Operands::Addresses,
        long: "silent show-error fail head include verbose compressed http2",
        ..short("curl", "sSfIiv", "")
    },
];
