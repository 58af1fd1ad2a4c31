//! Go and its linters. Without `-exec`, `-toolexec`, `-vettool`, `-ldflags` and `-overlay`, which run
//! or replace programs, and without `-C` and `-modfile`.

use super::prelude::*;

const fn go(name: &'static str) -> OptionTable {
    runner(name, "", "")
        .single_dash()
        .long("v x n a race msan asan trimpath json work buildvcs linkshared")
        .long_valued("tags p mod buildvcs covermode coverpkg buildmode")
}

/// Shows or changes modules, and may ask the proxy.
const fn module(name: &'static str) -> OptionTable {
    editor(name, "", "")
        .single_dash()
        .long("v x json e")
        .long_valued("go compat")
        .operands(GoModules)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const TEST: OptionTable = go("go test")
    .long("v race short cover failfast json benchmem fullpath x a trimpath work msan asan c")
    .long_valued(
        "run count timeout bench benchtime cpu parallel tags skip shuffle list vet p mod covermode \
         coverpkg coverprofile buildvcs fuzz fuzztime fuzzminimizetime o cpuprofile memprofile \
         blockprofile mutexprofile race v short json cover failfast benchmem",
    )
    .written_values("coverprofile o cpuprofile memprofile blockprofile mutexprofile");

const GOFMT: OptionTable = reader("gofmt", "", "").single_dash().long("l d e s").long_valued("r");
const GOFMT_WRITE: OptionTable =
    editor("gofmt -w", "", "").single_dash().long("l d e s w").long_valued("r");
const GOIMPORTS: OptionTable = GOFMT.with_name("goimports").long("l d e v").long_valued("local");

const LINT: OptionTable = runner("golangci-lint run", "v", "jED")
    .long(
        "verbose fast fast-only new allow-parallel-runners allow-serial-runners show-stats tests \
           disable-all enable-all no-config",
    )
    .long_valued(
        "timeout build-tags new-from-rev new-from-merge-base enable disable enable-only \
                  concurrency max-issues-per-linter max-same-issues color modules-download-mode \
                  new fast tests show-stats presets issues-exit-code uniq-by-line whole-files",
    );

pub(super) const GO: &[OptionTable] = &[
    TEST,
    go("go build")
        .long_valued("tags p mod buildvcs covermode coverpkg buildmode o")
        .written_values("o"),
    go("go vet").long_valued("tags p mod c").effect(ProgramEffect::Reads),
    go("go generate").long_valued("run skip tags"),
    go("go run").operands(LocalProgram).any_later_option().no_head(),
    go("go install").operands(GoModules).contacts(Contacts::Configured).no_head(),
    editor("go fmt", "", "").single_dash().long("n x"),
    GOFMT,
    GOFMT_WRITE,
    GOFMT_WRITE.with_name("gofmt -s -w"),
    GOFMT_WRITE.with_name("gofmt -l -w"),
    GOFMT_WRITE.with_name("gofmt -l -s -w"),
    GOIMPORTS,
    GOIMPORTS.with_name("goimports -w").effect(ProgramEffect::Edits).long("l d e v w"),
    GOFMT.with_name("gofumpt").long("l d e extra").long_valued(""),
    GOFMT
        .with_name("gofumpt -w")
        .effect(ProgramEffect::Edits)
        .long("l d e extra w")
        .long_valued(""),
    reader("go list", "", "")
        .single_dash()
        .long("m json deps test u versions e find retracted compiled")
        .long_valued("f tags mod json")
        .operands(GoModules)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured),
    reader_of_words("go env", "", "").single_dash().long("json changed"),
    reader_of_words("go doc", "", "").single_dash().long("all c cmd short src u"),
    reader("go tool cover", "", "").single_dash().long_valued("func").path_values("func"),
    module("go mod tidy").long("v x e diff").operands(None),
    module("go mod download"),
    module("go mod verify").operands(None),
    module("go mod graph").operands(None),
    module("go mod why").long("m vendor"),
    module("go mod vendor").long("v e").operands(None),
    module("go mod init"),
    module("go work sync").operands(None),
    module("go get").long("u t v x d").long_valued("u").no_head(),
    deleter("go clean", "", "").single_dash().long("testcache cache i r n x").operands(None),
    LINT,
    LINT.with_name("golangci-lint run --fix"),
    reader_of_words("golangci-lint linters", "", "").operands(None),
    reader_of_words("golangci-lint version", "", "").operands(None),
    LINT.with_name("golangci-lint fmt").long("diff verbose").effect(ProgramEffect::Edits),
    runner("staticcheck", "", "")
        .single_dash()
        .long("tests show-ignored")
        .long_valued("checks f tags go"),
    runner("govulncheck", "", "")
        .single_dash()
        .long("json test")
        .long_valued("tags mode show")
        .values(AllowedValues::Plain)
        .contacts(Contacts::Configured),
    runner("gotestsum", "f", "").long("no-color hide-summary").long_valued("format").operands(None),
];
