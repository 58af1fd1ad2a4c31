//! Python: tests, linters and formatters. Without options that name plugins, another configuration,
//! interpreter, root or output. Words that begin with `@` would be
//! files with further arguments.

use super::prelude::*;

pub(super) const PYTEST: OptionTable = runner("pytest", "qvxsl", "kmrn")
    .long(
        "quiet verbose exitfirst last-failed lf failed-first ff new-first nf no-header no-summary \
         collect-only co showlocals no-showlocals stepwise sw stepwise-skip strict-markers \
         strict-config disable-warnings runxfail fixtures markers setup-show full-trace cache-clear \
         doctest-modules no-cov cov-append cov-branch cov continue-on-collection-errors",
    )
    .long_valued(
        "maxfail tb durations durations-min color capture show-capture verbosity deselect \
         import-mode log-level log-cli-level cov cov-fail-under numprocesses dist maxprocesses \
         timeout reruns asyncio-mode randomly-seed",
    )
    .operands(Files);

const UNITTEST: OptionTable = runner("python3 -m unittest", "vqfbc", "k")
    .long("verbose quiet failfast buffer locals")
    .paths(PathOperands::All);

const UNITTEST_DISCOVER: OptionTable = runner("python3 -m unittest discover", "vqfb", "kpst")
    .long("verbose quiet failfast buffer")
    .path_values("s t")
    .operands(None);

pub(super) const MYPY: OptionTable = runner("mypy", "v", "")
    .long(
        "strict ignore-missing-imports no-incremental pretty show-error-codes show-error-context \
         show-column-numbers no-error-summary no-color-output check-untyped-defs verbose \
         warn-unused-ignores warn-unreachable no-site-packages explicit-package-bases \
         namespace-packages disallow-untyped-defs no-implicit-optional hide-error-codes",
    )
    .long_valued(
        "python-version platform follow-imports disable-error-code enable-error-code exclude",
    )
    .operands(Files);

const RUFF_VALUED: &str = "select ignore extend-select output-format target-version exclude \
    extend-exclude line-length color per-file-ignores range";
pub(super) const RUFF: OptionTable = reader("ruff check", "nevqs", "")
    .long(
        "diff statistics no-cache preview exit-zero show-fixes quiet verbose silent isolated \
           show-files respect-gitignore force-exclude ignore-noqa no-fix",
    )
    .long_valued(RUFF_VALUED);
pub(super) const RUFF_FIX: OptionTable = RUFF
    .with_name("ruff check --fix")
    .effect(ProgramEffect::Edits)
    .long("unsafe-fixes show-fixes no-cache preview exit-zero quiet verbose exit-non-zero-on-fix");
pub(super) const RUFF_FORMAT: OptionTable = RUFF
    .with_name("ruff format")
    .effect(ProgramEffect::Edits)
    .long("check diff no-cache preview quiet verbose silent isolated force-exclude");
const RUFF_FORMAT_CHECK: OptionTable =
    RUFF_FORMAT.with_name("ruff format --check").effect(ProgramEffect::Reads);

pub(super) const BLACK: OptionTable = editor("black", "qvSCx", "ltW")
    .long("check diff color fast safe preview quiet verbose skip-string-normalization pyi no-cache")
    .long_valued("line-length target-version exclude extend-exclude force-exclude include workers");
const BLACK_CHECK: OptionTable = BLACK.with_name("black --check").effect(ProgramEffect::Reads);

const ISORT: OptionTable = editor("isort", "cqv", "")
    .long("check-only check diff quiet verbose only-modified gitignore color")
    .long_valued("profile skip skip-glob line-length");
const ISORT_CHECK: OptionTable = ISORT.with_name("isort --check-only").effect(ProgramEffect::Reads);

pub(super) const FLAKE8: OptionTable = runner("flake8", "qv", "")
    .long("count statistics show-source quiet verbose exit-zero isolated benchmark")
    .long_valued(
        "select ignore extend-ignore extend-select max-line-length max-complexity exclude \
                  per-file-ignores extend-exclude color",
    )
    .operands(Files);

const PYLINT: OptionTable = runner("pylint", "E", "j")
    .long("errors-only recursive disable-all reports")
    .long_valued("disable enable jobs score recursive max-line-length")
    .operands(Files);

pub(super) const PYRIGHT: OptionTable = runner("pyright", "", "p")
    .long("outputjson stats warnings")
    .long_valued("project level pythonversion pythonplatform")
    .path_values("p project");

const COVERAGE: OptionTable = reader("coverage report", "mi", "")
    .long("show-missing ignore-errors skip-covered skip-empty")
    .long_valued("include omit fail-under precision sort format");

pub(super) const PYTHON: &[OptionTable] = &[
    PYTEST,
    PYTEST.with_name("py.test"),
    PYTEST.with_name("python3 -m pytest"),
    PYTEST.with_name("python -m pytest"),
    UNITTEST,
    UNITTEST.with_name("python -m unittest"),
    UNITTEST_DISCOVER,
    UNITTEST_DISCOVER.with_name("python -m unittest discover"),
    MYPY,
    MYPY.with_name("python3 -m mypy"),
    MYPY.with_name("python -m mypy"),
    RUFF,
    RUFF.with_name("python3 -m ruff check"),
    RUFF_FIX,
    RUFF_FORMAT,
    RUFF_FORMAT_CHECK,
    RUFF_FORMAT_CHECK.with_name("ruff format --diff"),
    BLACK,
    BLACK_CHECK,
    BLACK.with_name("python3 -m black"),
    ISORT,
    ISORT_CHECK,
    ISORT_CHECK.with_name("isort --check"),
    FLAKE8,
    FLAKE8.with_name("python3 -m flake8"),
    PYLINT,
    PYRIGHT,
    PYRIGHT.with_name("basedpyright"),
    COVERAGE,
    reader("python3 -m json.tool", "", "")
        .long("sort-keys compact no-indent tab")
        .operands(AtMost(1)),
    reader("python3 -m py_compile", "q", "").effect(ProgramEffect::Edits),
    reader("python -m py_compile", "q", "").effect(ProgramEffect::Edits),
    reader("python3 -m compileall", "qf", "").effect(ProgramEffect::Edits),
    runner("python3 -m build", "nswx", "")
        .long("sdist wheel no-isolation")
        .contacts(Contacts::Configured),
];
