//! Compilers, linters, formatters and test runners of JavaScript. They load the configuration and
//! the plugins of the workspace, so they run its code. Without options that name another
//! configuration, plugin, reporter or output.

use super::prelude::*;

const TSC: OptionTable = runner("tsc", "bv", "p")
    .separate()
    .long(
        "noEmit skipLibCheck pretty strict build verbose dry incremental diagnostics listFiles \
           extendedDiagnostics noUnusedLocals noUnusedParameters noImplicitAny showConfig \
           traceResolution explainFiles listFilesOnly version quiet",
    )
    .long_valued("project")
    .path_values("p project")
    .operands(Files);
const TSC_CHECK: OptionTable = TSC
    .long(
        "skipLibCheck pretty strict diagnostics listFiles extendedDiagnostics noUnusedLocals \
           noUnusedParameters noImplicitAny noEmit incremental quiet",
    )
    .with_name("tsc --noEmit");

const ESLINT: OptionTable = runner("eslint", "", "f")
    .separate()
    .long(
        "quiet color no-color cache no-error-on-unmatched-pattern no-warn-ignored fix-dry-run \
           report-unused-disable-directives no-inline-config exit-on-fatal-error debug stats \
           pass-on-no-patterns",
    )
    .long_valued("ext max-warnings format ignore-pattern cache-strategy concurrency")
    .values(AllowedValues::Plain);

const PRETTIER_OPTIONS: &str = "check list-different ignore-unknown no-color no-semi single-quote \
    use-tabs no-error-on-unmatched-pattern cache no-editorconfig jsx-single-quote";
const PRETTIER: OptionTable = runner("prettier", "clu", "")
    .separate()
    .long(PRETTIER_OPTIONS)
    .long_valued("log-level print-width tab-width trailing-comma end-of-line prose-wrap")
    .values(AllowedValues::Plain);
const PRETTIER_WRITE: OptionTable =
    PRETTIER.with_name("prettier --write").effect(ProgramEffect::Edits);

const VITEST: OptionTable = runner("vitest run", "u", "t")
    .separate()
    .long(
        "coverage passWithNoTests silent update run globals typecheck logHeapUsage allowOnly \
           no-color no-coverage hideSkippedTests no-file-parallelism isolate no-isolate clearCache \
           changed verbose",
    )
    .long_valued(
        "testNamePattern reporter project shard bail retry testTimeout hookTimeout \
                  maxWorkers minWorkers pool mode exclude maxConcurrency",
    )
    .values(AllowedValues::Plain);

const JEST: OptionTable = runner("jest", "biofeu", "tw")
    .separate()
    .long(
        "bail ci coverage collectCoverage colors color detectOpenHandles expand forceExit json \
           lastCommit listTests logHeapUsage noStackTrace onlyChanged onlyFailures passWithNoTests \
           runInBand runTestsByPath silent updateSnapshot verbose no-cache no-coverage clearCache \
           findRelatedTests showConfig detectLeaks useStderr no-watchman",
    )
    .long_valued(
        "testNamePattern testPathPattern testPathPatterns maxWorkers shard testTimeout \
                  bail changedSince selectProjects seed maxConcurrency",
    )
    .values(AllowedValues::Plain);

const BIOME: OptionTable = reader("biome check", "", "")
    .long("verbose skip-parse-errors no-errors-on-unmatched error-on-warnings staged changed")
    .long_valued(
        "colors max-diagnostics diagnostic-level since only skip reporter \
                  formatter-enabled linter-enabled assist-enabled",
    )
    .values(AllowedValues::Plain);
const BIOME_WRITE: OptionTable = BIOME
    .with_name("biome check --write")
    .effect(ProgramEffect::Edits)
    .long("verbose unsafe fix write no-errors-on-unmatched staged changed");

const PLAYWRIGHT: OptionTable = runner("playwright test", "xu", "gGj")
    .separate()
    .long(
        "quiet list forbid-only fully-parallel last-failed headed pass-with-no-tests no-deps \
           ignore-snapshots fail-on-flaky-tests",
    )
    .long_valued(
        "grep grep-invert project workers retries repeat-each shard timeout max-failures \
                  global-timeout reporter browser trace",
    )
    .values(AllowedValues::Plain);

static TASK_WORDS: OptionTable = reader("turbo run --", "", "").paths(PathOperands::All);
const TURBO: OptionTable = runner("turbo run", "", "F")
    .separate()
    .long(
        "force no-cache dry-run continue parallel affected only no-daemon summarize no-color \
           single-package",
    )
    .long_valued("filter concurrency output-logs log-order log-prefix ui dry-run continue")
    .operands(Tasks)
    .paths(PathOperands::None)
    .after_dashes(&TASK_WORDS);

const NX: OptionTable = runner("nx run", "", "tp")
    .separate()
    .long("skip-nx-cache verbose parallel all nxBail")
    .long_valued("configuration parallel target targets projects base head output-style exclude")
    .values(AllowedValues::Plain)
    .operands(Tasks)
    .paths(PathOperands::None);

/// `pnpm exec` and `yarn` start what is installed, npx also downloads what is not.
const fn through(table: OptionTable, name: &'static str) -> OptionTable {
    table.with_name(name).no_head()
}

const fn through_npx(table: OptionTable, name: &'static str) -> OptionTable {
    through(table, name).contacts(Contacts::Configured)
}

pub(super) const NODE_TOOLS: &[OptionTable] = &[
    TSC,
    TSC_CHECK,
    TSC_CHECK.with_name("vue-tsc --noEmit"),
    ESLINT,
    ESLINT.with_name("eslint --fix"),
    ESLINT.with_name("oxlint").long("quiet deny-warnings").long_valued("max-warnings format"),
    PRETTIER,
    PRETTIER.with_name("prettier --check"),
    PRETTIER_WRITE,
    PRETTIER_WRITE.with_name("prettier -w"),
    VITEST,
    VITEST.with_name("vitest --run"),
    JEST,
    BIOME,
    BIOME_WRITE,
    BIOME.with_name("biome lint"),
    BIOME.with_name("biome format"),
    BIOME.with_name("biome ci"),
    BIOME_WRITE.with_name("biome format --write"),
    BIOME_WRITE.with_name("biome lint --write"),
    PLAYWRIGHT,
    runner("vite build", "d", "ml")
        .separate()
        .long("sourcemap minify manifest emptyOutDir ssr profile")
        .long_valued("mode logLevel minify sourcemap target")
        .values(AllowedValues::Plain),
    runner("next build", "d", "").long("debug no-lint profile no-mangling turbopack turbo"),
    runner("next lint", "", "").long("quiet strict no-cache").long_valued("max-warnings"),
    runner("svelte-check", "", "").long("fail-on-warnings").long_valued("threshold output"),
    runner("astro check", "", ""),
    runner("mocha", "bc", "gft")
        .separate()
        .long("bail color no-color exit check-leaks forbid-only parallel recursive")
        .long_valued("grep fgrep timeout retries jobs")
        .operands(Files),
    TURBO,
    TURBO.with_name("turbo build"),
    TURBO.with_name("turbo test"),
    TURBO.with_name("turbo lint"),
    NX,
    NX.with_name("nx test"),
    NX.with_name("nx build"),
    NX.with_name("nx lint"),
    NX.with_name("nx affected"),
    NX.with_name("nx run-many"),
    through(TSC_CHECK, "pnpm exec tsc --noEmit"),
    through(TSC, "pnpm exec tsc"),
    through(ESLINT, "pnpm exec eslint"),
    through(PRETTIER, "pnpm exec prettier"),
    through(VITEST, "pnpm exec vitest run"),
    through(JEST, "pnpm exec jest"),
    through(TSC_CHECK, "pnpm tsc --noEmit"),
    through(VITEST, "pnpm vitest run"),
    through(ESLINT, "pnpm eslint"),
    through(TSC_CHECK, "yarn tsc --noEmit"),
    through(ESLINT, "yarn eslint"),
    through(JEST, "yarn jest"),
    through(VITEST, "yarn vitest run"),
    through_npx(TSC_CHECK, "npx tsc --noEmit"),
    through_npx(TSC, "npx tsc"),
    through_npx(ESLINT, "npx eslint"),
    through_npx(PRETTIER, "npx prettier"),
    through_npx(PRETTIER_WRITE, "npx prettier --write"),
    through_npx(VITEST, "npx vitest run"),
    through_npx(JEST, "npx jest"),
    through_npx(PLAYWRIGHT, "npx playwright test"),
    through_npx(BIOME, "npx biome check"),
    through_npx(TSC_CHECK, "bunx tsc --noEmit"),
    through_npx(ESLINT, "bunx eslint"),
    through_npx(PRETTIER, "bunx prettier"),
    through_npx(VITEST, "bunx vitest run"),
    // Without an installation npx starts what is in the workspace, or fails.
    through(TSC_CHECK, "npx --no-install tsc --noEmit"),
    through(TSC, "npx --no-install tsc"),
    through(ESLINT, "npx --no-install eslint"),
    through(ESLINT, "npx --no-install eslint --fix"),
    through(PRETTIER, "npx --no-install prettier"),
    through(PRETTIER, "npx --no-install prettier --check"),
    through(PRETTIER_WRITE, "npx --no-install prettier --write"),
    through(VITEST, "npx --no-install vitest run"),
    through(JEST, "npx --no-install jest"),
    through(PLAYWRIGHT, "npx --no-install playwright test"),
    through(BIOME, "npx --no-install biome check"),
    through(BIOME, "npx --no-install biome lint"),
    through(BIOME_WRITE, "npx --no-install biome check --write"),
    through(BIOME_WRITE, "npx --no-install biome format --write"),
    through(TSC_CHECK, "npx --no-install vue-tsc --noEmit"),
    through(TSC_CHECK, "npx --no tsc --noEmit"),
    through(TSC, "npx --no tsc"),
    through(ESLINT, "npx --no eslint"),
    through(ESLINT, "npx --no eslint --fix"),
    through(PRETTIER, "npx --no prettier"),
    through(PRETTIER, "npx --no prettier --check"),
    through(PRETTIER_WRITE, "npx --no prettier --write"),
    through(VITEST, "npx --no vitest run"),
    through(JEST, "npx --no jest"),
    through(PLAYWRIGHT, "npx --no playwright test"),
    through(BIOME, "npx --no biome check"),
    through(BIOME, "npx --no biome lint"),
    through(BIOME_WRITE, "npx --no biome check --write"),
    through(BIOME_WRITE, "npx --no biome format --write"),
    through(TSC_CHECK, "npx --no vue-tsc --noEmit"),
    through(ESLINT, "pnpm exec eslint --fix"),
    through(PRETTIER, "pnpm exec prettier --check"),
    through(PRETTIER_WRITE, "pnpm exec prettier --write"),
    through(PLAYWRIGHT, "pnpm exec playwright test"),
    through(BIOME, "pnpm exec biome check"),
    through(BIOME, "pnpm exec biome lint"),
    through(BIOME_WRITE, "pnpm exec biome check --write"),
    through(BIOME_WRITE, "pnpm exec biome format --write"),
    through(TSC_CHECK, "pnpm exec vue-tsc --noEmit"),
    through(TSC, "yarn tsc"),
    through(ESLINT, "yarn eslint --fix"),
    through(PRETTIER, "yarn prettier"),
    through(PRETTIER, "yarn prettier --check"),
    through(PRETTIER_WRITE, "yarn prettier --write"),
    through(PLAYWRIGHT, "yarn playwright test"),
    through(BIOME, "yarn biome check"),
    through(BIOME, "yarn biome lint"),
    through(BIOME_WRITE, "yarn biome check --write"),
    through(BIOME_WRITE, "yarn biome format --write"),
    through(TSC_CHECK, "yarn vue-tsc --noEmit"),
];
