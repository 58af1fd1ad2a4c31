//! Linters and viewers that belong to no single language. Without options that name another
//! configuration, plugin or output.

use super::prelude::*;

const BAT: OptionTable = reader("bat", "pnAPs", "lrH")
    .long("plain number show-all no-pager squeeze-blank list-languages list-themes diff")
    .long_valued(
        "language line-range highlight-line style color paging theme tabs wrap decorations",
    )
    .values(AllowedValues::Plain);

const MARKDOWN: OptionTable = runner("markdownlint-cli2", "", "").long("no-globs");

const BUF: OptionTable = runner("buf lint", "", "")
    .long_valued("error-format")
    .values(AllowedValues::Plain)
    .operands(Folder)
    .contacts(Contacts::Configured);

const SWIFTLINT: OptionTable = runner("swiftlint", "", "")
    .long("strict lenient quiet no-cache")
    .long_valued("reporter")
    .values(AllowedValues::Plain);

pub(super) const LINTERS: &[OptionTable] = &[
    BAT,
    BAT.with_name("batcat"),
    MARKDOWN,
    MARKDOWN.with_name("markdownlint-cli2 --fix"),
    runner("vale", "", "")
        .long("no-exit no-wrap")
        .long_valued("minAlertLevel output ext glob")
        .values(AllowedValues::Plain)
        .operands(DottedPaths),
    reader_of_words("vale ls-config", "", "").operands(None),
    runner("typos", "", "").long("hidden no-ignore sort files").long_valued("format color"),
    runner("codespell", "fHsd", "LSq")
        .long("check-filenames check-hidden summary disable-colors")
        .long_valued("ignore-words-list skip quiet-level")
        .values(AllowedValues::Plain),
    reader("stylua --check", "", "").long("verify"),
    runner("luacheck", "qg", "").long("quiet codes ranges no-color").long_valued("std"),
    BUF,
    BUF.with_name("buf build"),
    BUF.with_name("buf format -d").long("exit-code").long_valued(""),
    SWIFTLINT.operands(None),
    SWIFTLINT.with_name("swiftlint lint"),
    reader("swiftformat --lint", "", "").long("quiet verbose"),
    runner("ktlint", "", "").long("relative color verbose").operands(DottedPaths),
    runner("ktlint -F", "", "").long("relative color verbose").operands(DottedPaths),
    runner("detekt", "", "i")
        .long("build-upon-default-config all-rules parallel")
        .long_valued("input")
        .path_values("i input")
        .operands(None),
    runner("tflint", "", "").long("recursive no-color force").long_valued("format").operands(None),
    runner("ty check", "qv", "").long("quiet verbose").long_valued("output-format color"),
    runner("bandit", "rqvl", "s")
        .long("recursive quiet verbose")
        .long_valued("skip tests severity-level confidence-level"),
    runner("vulture", "", "").long("sort-by-size").long_valued("min-confidence exclude"),
];
