//! Build tools of Scala, Haskell, OCaml, Erlang, Gleam, Nix and Apple's platforms: what builds, tests
//! and looks. Without options that name another file, compiler or source of packages.

use super::prelude::*;

const fn sbt(name: &'static str) -> OptionTable {
    runner(name, "", "").operands(None).contacts(Contacts::Configured)
}

const fn haskell(name: &'static str) -> OptionTable {
    runner(name, "v", "j")
        .long("fast pedantic test bench no-run-tests no-run-benchmarks dry-run keep-going haddock")
        .long_valued("jobs test-show-details color")
        .values(AllowedValues::Plain)
        .operands(Names)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const DUNE: OptionTable = runner("dune build", "f", "jp")
    .long("force verbose release no-buffer")
    .long_valued("profile display")
    .values(AllowedValues::Plain);

const fn rebar(name: &'static str) -> OptionTable {
    runner(name, "vc", "")
        .long("verbose cover")
        .long_valued("module suite group case app")
        .values(AllowedValues::Plain)
        .operands(None)
        .contacts(Contacts::Configured)
}

const fn nix(name: &'static str) -> OptionTable {
    runner(name, "Lv", "")
        .long("print-build-logs show-trace no-build all-systems keep-going verbose no-link offline json")
        .operands(LocalFlake)
        .paths(PathOperands::None)
        .contacts(Contacts::Configured)
}

const XCODE: OptionTable = runner("xcodebuild", "", "")
    .single_dash()
    .long("quiet showBuildTimingSummary json list showBuildSettings")
    .long_valued(
        "scheme configuration sdk destination target arch project workspace testPlan \
         parallel-testing-enabled",
    )
    .path_values("project workspace")
    .values(AllowedValues::Patterns)
    .operands(XcodeActions)
    .paths(PathOperands::None)
    .contacts(Contacts::Configured);

const fn gleam(name: &'static str) -> OptionTable {
    runner(name, "", "").operands(None).contacts(Contacts::Configured)
}

pub(super) const OTHER_LANGUAGES: &[OptionTable] = &[
    sbt("sbt test"),
    sbt("sbt compile"),
    sbt("sbt Test/compile"),
    sbt("sbt scalafmtCheck"),
    sbt("sbt scalafmtCheckAll"),
    sbt("sbt scalafmtAll"),
    haskell("stack build"),
    haskell("stack test"),
    haskell("cabal build"),
    haskell("cabal test"),
    reader_of_words("cabal check", "", "").operands(None),
    DUNE,
    DUNE.with_name("dune test"),
    DUNE.with_name("dune runtest"),
    DUNE.with_name("dune fmt"),
    rebar("rebar3 compile"),
    rebar("rebar3 eunit"),
    rebar("rebar3 ct"),
    rebar("rebar3 dialyzer"),
    rebar("rebar3 xref"),
    rebar("rebar3 tree"),
    gleam("gleam test"),
    gleam("gleam build"),
    gleam("gleam check"),
    gleam("gleam format").long("check"),
    nix("nix flake check"),
    nix("nix flake show"),
    nix("nix flake metadata"),
    nix("nix build"),
    XCODE,
    XCODE.with_name("xcodebuild -list").operands(None),
    XCODE.with_name("xcodebuild -showBuildSettings").operands(None),
    reader_of_words("xcodebuild -version", "", "").operands(None),
    reader_of_words("swift --version", "", "").operands(None),
    runner("swift package describe", "", "").long_valued("type").operands(None),
    runner("swift package show-dependencies", "", "").long_valued("format").operands(None),
];
