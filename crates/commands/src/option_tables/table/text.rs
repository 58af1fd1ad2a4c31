//! Programs that read text and print it. Without options that follow links while they go through
//! folders: a link may lead out of the workspace. Without `printf`: in bash its `%n` assigns to a variable
//! and evaluates the subscript.

use super::{reader, reader_of_words};
use crate::option_tables::{AllowedOperands, OptionStyle, OptionTable, PathOperands};

pub(super) const TEXT: &[OptionTable] = &[
    reader_of_words("echo", "neE", ""),
    OptionTable {
        name: "cat",
        long: "number show-all squeeze-blank",
        ..reader("cat", "AbeEnstTuv", "")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..reader("head", "qvz", "nc")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..reader("tail", "qvzfF", "nc")
    },
    OptionTable { long: "lines words bytes chars max-line-length", ..reader("wc", "lwcmL", "") },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        long_valued: GREP_VALUED,
        paths: PathOperands::AfterFirst,
        first_by_option: "e regexp",
        ..reader("grep", "nirvwxlLcohHsqEFGPaIzZbTUy", "eABCm")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        paths: PathOperands::AfterFirst,
        first_by_option: "e regexp",
        ..reader("egrep", "nirvwxlLcohHsqaI", "eABCm")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        paths: PathOperands::AfterFirst,
        first_by_option: "e regexp",
        ..reader("fgrep", "nirvwxlLcohHsqaI", "eABCm")
    },
    OptionTable {
        long: "line-number ignore-case smart-case word-regexp fixed-strings count files files-with-matches files-without-match hidden no-ignore json only-matching invert-match multiline no-heading heading column vimgrep stats trim pcre2 case-sensitive no-line-number no-filename",
        long_valued: "glob type type-not max-count max-depth context after-context before-context \
           color sort regexp max-columns iglob",
        paths: PathOperands::AfterFirst,
        first_by_option: "e regexp files",
        ..reader("rg", "niSwFclvoNHIUsPp0", "gtTmdCABeMr")
    },
    OptionTable {
        long: "reverse numeric-sort unique ignore-case stable human-numeric-sort general-numeric-sort version-sort month-sort check zero-terminated",
        long_valued: "key field-separator",
        ..reader("sort", "bdfghiMnRrVsucCz", "kt")
    },
    OptionTable {
        operands: AllowedOperands::AtMostOne,
        long: "count repeated unique ignore-case",
        ..reader("uniq", "cduDiz", "fsw")
    },
    OptionTable {
        long_valued: "delimiter fields characters bytes",
        ..reader("cut", "szn", "dfcb")
    },
    reader_of_words("tr", "cCdst", ""),
    reader("nl", "p", "bhfnswv"),
    reader("rev", "", ""),
    reader("tac", "", ""),
    reader("fold", "sb", "w"),
    reader_of_words("seq", "w", "sf"),
    reader("comm", "123z", ""),
    reader("paste", "sz", "d"),
    OptionTable { operands: AllowedOperands::AtMostOne, ..reader("expand", "i", "t") },
    OptionTable {
        long: "brief unified ignore-all-space ignore-case side-by-side ignore-blank-lines ignore-space-change report-identical-files new-file",
        long_valued: "unified color width exclude",
        ..reader("diff", "quwibBEsyaNtp", "UxW")
    },
    reader("cmp", "slb", "n"),
    OptionTable {
        operands: AllowedOperands::Filter,
        long: "raw-output compact-output null-input slurp sort-keys exit-status ascii-output \
           join-output raw-input tab monochrome-output",
        paths: PathOperands::AfterFirst,
        ..reader("jq", "rcnsSeajRM", "")
    },
    OptionTable {
        operands: AllowedOperands::PrintedLines,
        long: "quiet silent",
        paths: PathOperands::AfterFirst,
        ..reader("sed", "nEr", "")
    },
];

const GREP_LONG: &str = "line-number ignore-case recursive invert-match word-regexp line-regexp count \
           files-with-matches files-without-match only-matching no-filename with-filename \
           quiet silent no-messages extended-regexp fixed-strings perl-regexp basic-regexp \
           text null color";
const GREP_VALUED: &str = "include exclude exclude-dir max-count context after-context before-context \
           regexp binary-files color";
