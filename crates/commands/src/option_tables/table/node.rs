//! Package managers of JavaScript: the scripts of the repository, packages and their registry.
//! Without `--prefix`, `-C`, `--dir`, `--cwd`, `--registry`, `--userconfig`, `--script-shell`,
//! `--node-options` and global installs.

use super::prelude::*;

const SCRIPT_OPTIONS: &str = "run coverage no-coverage verbose silent bail passWithNoTests ci \
    runInBand check list help changed";
/// What a script of the repository may get.
static SCRIPT_WORDS: OptionTable = reader("npm run --", "", "t")
    .separate()
    .long(SCRIPT_OPTIONS)
    .long_valued("testNamePattern grep reporter shard maxWorkers project watch")
    .values(AllowedValues::Plain);

const fn npm_script(name: &'static str) -> OptionTable {
    runner(name, "s", "w")
        .separate()
        .long(
            "silent if-present workspaces include-workspace-root ignore-scripts foreground-scripts",
        )
        .long_valued("workspace loglevel")
        .after_dashes(&SCRIPT_WORDS)
}

/// Pnpm, yarn and bun pass on what they do not know, so the options of scripts are listed too.
const fn script(name: &'static str) -> OptionTable {
    runner(name, "s", "t")
        .separate()
        .long(SCRIPT_OPTIONS)
        .long_valued("testNamePattern grep reporter shard maxWorkers project watch")
        .values(AllowedValues::Plain)
        .after_dashes(&SCRIPT_WORDS)
}

const fn named_script(name: &'static str) -> OptionTable {
    script(name).operands(ScriptName).paths(PathOperands::AfterFirst)
}

/// One script in a package of the workspace: `pnpm --filter NAME test`.
const fn filtered(name: &'static str) -> OptionTable {
    script(name).operands(FilteredScript).paths(PathOperands::None)
}

const fn info(name: &'static str) -> OptionTable {
    reader_of_words(name, "alrD", "")
        .long("all json long production parseable workspaces recursive dev prod depth silent")
        .long_valued("depth omit workspace loglevel")
}

/// Asks the registry about packages.
const fn lookup(name: &'static str) -> OptionTable {
    info(name).operands(Packages).contacts(Contacts::Configured)
}

/// Installs what the lock file names.
const fn locked_install(name: &'static str) -> OptionTable {
    editor(name, "sP", "")
        .long(
            "silent no-audit no-fund ignore-scripts legacy-peer-deps prefer-offline offline \
             frozen-lockfile no-frozen-lockfile immutable production dev prod no-optional \
             prefer-frozen-lockfile include-workspace-root workspaces package-lock-only \
             lockfile-only no-progress",
        )
        .long_valued("omit include workspace loglevel")
        .values(AllowedValues::Plain)
        .operands(None)
        .paths(PathOperands::None)
        .effect(ProgramEffect::Runs)
        .contacts(Contacts::Configured)
        .no_head()
}

/// Installs packages that the command names.
const fn install(name: &'static str) -> OptionTable {
    let table = locked_install(name).operands(Packages).no_head();
    OptionTable { flags: "sDEOPSd", ..table }.long(
        "silent no-audit no-fund ignore-scripts legacy-peer-deps prefer-offline offline save \
         save-dev save-exact save-optional save-peer dev exact optional peer production no-save \
         frozen-lockfile package-lock-only workspace-root",
    )
}

pub(super) const NODE: &[OptionTable] = &[
    npm_script("npm test"),
    npm_script("npm t"),
    npm_script("npm run").operands(ScriptName).paths(PathOperands::AfterFirst),
    npm_script("npm run-script").operands(ScriptName).paths(PathOperands::AfterFirst),
    npm_script("npm start"),
    npm_script("npm run test"),
    npm_script("npm run build"),
    npm_script("npm run lint"),
    script("pnpm test"),
    script("pnpm t"),
    named_script("pnpm run"),
    script("pnpm build"),
    script("pnpm lint"),
    script("pnpm typecheck"),
    script("pnpm check"),
    script("pnpm format"),
    script("pnpm run test"),
    script("pnpm run build"),
    script("pnpm run lint"),
    filtered("pnpm --filter"),
    filtered("pnpm -F"),
    script("yarn test"),
    named_script("yarn run"),
    script("yarn build"),
    script("yarn lint"),
    script("yarn typecheck"),
    script("yarn check"),
    script("yarn format"),
    filtered("yarn workspace"),
    filtered("bun --filter"),
    filtered("bun run --filter"),
    script("pnpm -r test"),
    script("pnpm -r build"),
    script("pnpm -r lint"),
    script("pnpm -r typecheck"),
    named_script("pnpm -r run"),
    named_script("pnpm -w run"),
    runner("node --test", "", "")
        .separate()
        .long(
            "test-only experimental-test-coverage experimental-strip-types no-warnings \
             test-force-exit watch",
        )
        .long_valued(
            "test-name-pattern test-skip-pattern test-reporter test-concurrency test-timeout \
             test-shard",
        )
        .values(AllowedValues::Plain)
        .no_head(),
    reader("node --check", "", "").no_head(),
    script("bun test")
        .long("coverage bail only todo rerun-each update-snapshots watch")
        .long_valued("timeout test-name-pattern bail rerun-each"),
    named_script("bun run"),
    script("bun run test"),
    script("bun run build"),
    script("bun run lint"),
    info("npm ls"),
    info("npm list"),
    info("pnpm ls"),
    info("pnpm list"),
    info("pnpm why"),
    info("yarn list"),
    info("yarn why"),
    info("bun pm ls"),
    info("npm explain"),
    info("npm root").operands(None),
    info("npm prefix").operands(None),
    lookup("npm view"),
    lookup("npm info"),
    lookup("pnpm view"),
    lookup("yarn info"),
    lookup("npm outdated"),
    lookup("pnpm outdated"),
    lookup("bun outdated"),
    lookup("npm search"),
    lookup("npm audit").operands(None),
    lookup("pnpm audit").operands(None),
    locked_install("npm ci"),
    install("npm install"),
    install("npm i"),
    install("npm add"),
    install("npm update"),
    install("npm uninstall"),
    install("npm remove"),
    install("pnpm install"),
    install("pnpm i"),
    install("pnpm add"),
    install("pnpm update"),
    install("pnpm remove"),
    locked_install("yarn install"),
    install("yarn add"),
    install("yarn remove"),
    install("bun install"),
    install("bun i"),
    install("bun add"),
    install("bun remove"),
    changer("npm publish", "", "")
        .long("dry-run")
        .long_valued("tag access")
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    changer("pnpm publish", "r", "")
        .long("dry-run no-git-checks")
        .long_valued("tag access")
        .operands(None)
        .contacts(Contacts::Configured)
        .no_head(),
    editor("npm version", "", "m")
        .long("no-git-tag-version")
        .operands(Names)
        .paths(PathOperands::None)
        .effect(ProgramEffect::Runs)
        .no_head(),
    editor("npm pack", "", "").long("dry-run json").operands(None).effect(ProgramEffect::Runs),
];
