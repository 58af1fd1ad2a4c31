//! Task runners and build systems: they run what the files of the workspace say. Operands are names
//! of targets, never assignments. Without options that name another file of rules, shell or tool.

use super::prelude::*;

/// Nothing may follow `--`: another program would read it.
static NO_WORDS: OptionTable = reader("make --", "", "").operands(None);

/// What a task of the repository may get: options of test runners.
static TASK_WORDS: OptionTable = reader("mise run --", "", "")
    .any_dashes()
    .long(
        "v vv verbose q quiet race short failfast cover coverage no-coverage check list ci bail x \
         s no-color runInBand passWithNoTests nocapture no-capture exact ignored",
    )
    .long_valued(
        "run count timeout bench benchtime parallel p t k m tags skip filter grep reporter shard \
         testNamePattern maxfail tb workers retries test-threads short v race",
    )
    .values(AllowedValues::Patterns);

const MAKE: OptionTable = runner("make", "kBsnqiwtj0123456789", "C")
    .long(
        "keep-going always-make silent quiet dry-run just-print no-print-directory question \
           print-directory output-sync trace jobs",
    )
    .long_valued("jobs directory output-sync")
    .path_values("C directory")
    .operands(Tasks)
    .paths(PathOperands::None);

const MISE_RUN: OptionTable = runner("mise run", "fnq", "j")
    .long("force dry-run quiet silent raw timings")
    .long_valued("jobs output")
    .operands(TaskAndPaths)
    .paths(PathOperands::AfterFirst)
    .after_dashes(&TASK_WORDS);

const MISE_LIST: OptionTable =
    reader_of_words("mise ls", "cgiJ", "").long("current installed json global missing outdated");

const BAZEL: OptionTable = runner("bazel build", "k", "cj")
    .long("keep_going nobuild verbose_failures stamp nocache_test_results test_verbose_timeout_warnings")
    .long_valued("compilation_mode jobs test_output test_filter runs_per_test test_timeout \
                  test_tag_filters build_tag_filters cache_test_results test_size_filters")
    .values(AllowedValues::Plain)
    .operands(Targets)
    .paths(PathOperands::None)
    .after_dashes(&NO_WORDS);

pub(super) const TASKS: &[OptionTable] = &[
    MAKE,
    MAKE.with_name("gmake"),
    runner("just", "lnqvy", "")
        .long("list summary dry-run quiet verbose dump variables groups unsorted")
        .operands(Tasks)
        .paths(PathOperands::None)
        .after_dashes(&NO_WORDS),
    reader_of_words("just --list", "", "").operands(None),
    reader_of_words("just --summary", "", "").operands(None),
    runner("task", "lanpsv", "")
        .long("list list-all dry parallel silent verbose status summary json")
        .operands(Tasks)
        .paths(PathOperands::None)
        .after_dashes(&TASK_WORDS),
    reader_of_words("task --list", "", "").operands(None),
    MISE_RUN,
    MISE_RUN.with_name("mise r"),
    MISE_LIST,
    MISE_LIST.with_name("mise list"),
    MISE_LIST.with_name("mise current"),
    MISE_LIST.with_name("mise tasks").operands(None),
    MISE_LIST.with_name("mise tasks ls").operands(None),
    MISE_LIST.with_name("mise which"),
    MISE_LIST.with_name("mise outdated").contacts(Contacts::Configured),
    runner("mise install", "fvn", "j")
        .long("force verbose dry-run")
        .long_valued("jobs")
        .operands(Packages)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
        .no_head(),
    runner("cmake --build", "vj0123456789", "t")
        .long("clean-first verbose parallel")
        .long_valued("target parallel config preset")
        .values(AllowedValues::Plain)
        .after_dashes(&NO_WORDS),
    runner("cmake", "", "SBG").path_values("S").written_values("B").after_dashes(&NO_WORDS),
    runner("ctest", "VQN", "RELjC")
        .long("output-on-failure verbose rerun-failed stop-on-failure progress show-only quiet")
        .long_valued(
            "test-dir tests-regex exclude-regex label-regex parallel timeout build-config \
                      repeat preset",
        )
        .path_values("test-dir")
        .operands(None),
    runner("ninja", "vn", "jlCk").path_values("C").operands(Tasks).paths(PathOperands::None),
    runner("meson compile", "v", "Cj")
        .long("verbose clean")
        .path_values("C")
        .operands(Tasks)
        .paths(PathOperands::None),
    runner("meson test", "vq", "C")
        .long("verbose quiet print-errorlogs list")
        .long_valued("suite")
        .path_values("C")
        .operands(Tasks)
        .paths(PathOperands::None),
    BAZEL,
    BAZEL.with_name("bazel test"),
    BAZEL.with_name("bazelisk build"),
    BAZEL.with_name("bazelisk test"),
    BAZEL.with_name("bazel run").no_head(),
    reader_of_words("bazel query", "k", "").long("keep_going").long_valued("output"),
];
