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
const fn started_with(table: OptionTable, name: &'static str) -> OptionTable {
    table.with_name(name).no_head()
}

const fn through_npx(table: OptionTable, name: &'static str) -> OptionTable {
    started_with(table, name).contacts(Contacts::Configured)
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
    started_with(TSC_CHECK, "pnpm exec tsc --noEmit"),
    started_with(TSC, "pnpm exec tsc"),
    started_with(ESLINT, "pnpm exec eslint"),
    started_with(PRETTIER, "pnpm exec prettier"),
    started_with(VITEST, "pnpm exec vitest run"),
    started_with(JEST, "pnpm exec jest"),
    started_with(TSC_CHECK, "pnpm tsc --noEmit"),
    started_with(VITEST, "pnpm vitest run"),
    started_with(ESLINT, "pnpm eslint"),
    started_with(TSC_CHECK, "yarn tsc --noEmit"),
    started_with(ESLINT, "yarn eslint"),
    started_with(JEST, "yarn jest"),
    started_with(VITEST, "yarn vitest run"),
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
    started_with(TSC_CHECK, "npx --no-install tsc --noEmit"),
    started_with(TSC, "npx --no-install tsc"),
    started_with(ESLINT, "npx --no-install eslint"),
    started_with(ESLINT, "npx --no-install eslint --fix"),
    started_with(PRETTIER, "npx --no-install prettier"),
    started_with(PRETTIER, "npx --no-install prettier --check"),
    started_with(PRETTIER_WRITE, "npx --no-install prettier --write"),
    started_with(VITEST, "npx --no-install vitest run"),
    started_with(JEST, "npx --no-install jest"),
    started_with(PLAYWRIGHT, "npx --no-install playwright test"),
    started_with(BIOME, "npx --no-install biome check"),
    started_with(BIOME, "npx --no-install biome lint"),
    started_with(BIOME_WRITE, "npx --no-install biome check --write"),
    started_with(BIOME_WRITE, "npx --no-install biome format --write"),
    started_with(TSC_CHECK, "npx --no-install vue-tsc --noEmit"),
    started_with(TSC_CHECK, "npx --no tsc --noEmit"),
    started_with(TSC, "npx --no tsc"),
    started_with(ESLINT, "npx --no eslint"),
    started_with(ESLINT, "npx --no eslint --fix"),
    started_with(PRETTIER, "npx --no prettier"),
    started_with(PRETTIER, "npx --no prettier --check"),
    started_with(PRETTIER_WRITE, "npx --no prettier --write"),
    started_with(VITEST, "npx --no vitest run"),
    started_with(JEST, "npx --no jest"),
    started_with(PLAYWRIGHT, "npx --no playwright test"),
    started_with(BIOME, "npx --no biome check"),
    started_with(BIOME, "npx --no biome lint"),
    started_with(BIOME_WRITE, "npx --no biome check --write"),
    started_with(BIOME_WRITE, "npx --no biome format --write"),
    started_with(TSC_CHECK, "npx --no vue-tsc --noEmit"),
    started_with(ESLINT, "pnpm exec eslint --fix"),
    started_with(PRETTIER, "pnpm exec prettier --check"),
    started_with(PRETTIER_WRITE, "pnpm exec prettier --write"),
    started_with(PLAYWRIGHT, "pnpm exec playwright test"),
    started_with(BIOME, "pnpm exec biome check"),
    started_with(BIOME, "pnpm exec biome lint"),
    started_with(BIOME_WRITE, "pnpm exec biome check --write"),
    started_with(BIOME_WRITE, "pnpm exec biome format --write"),
    started_with(TSC_CHECK, "pnpm exec vue-tsc --noEmit"),
    started_with(TSC, "yarn tsc"),
    started_with(ESLINT, "yarn eslint --fix"),
    started_with(PRETTIER, "yarn prettier"),
    started_with(PRETTIER, "yarn prettier --check"),
    started_with(PRETTIER_WRITE, "yarn prettier --write"),
    started_with(PLAYWRIGHT, "yarn playwright test"),
    started_with(BIOME, "yarn biome check"),
    started_with(BIOME, "yarn biome lint"),
    started_with(BIOME_WRITE, "yarn biome check --write"),
    started_with(BIOME_WRITE, "yarn biome format --write"),
    started_with(TSC_CHECK, "yarn vue-tsc --noEmit"),
];
