//! Programs that read text and print it. Without `printf`: in bash its `%n` assigns to a variable
//! and evaluates the subscript.

use super::short_options;
use crate::option_tables::{AllowedOperands, OptionStyle, OptionTable};

pub(super) const TEXT: &[OptionTable] = &[
    short_options("echo", "neE", ""),
    OptionTable {
        name: "cat",
        long: "number show-all squeeze-blank",
        ..short_options("cat", "AbeEnstTuv", "")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..short_options("head", "qvz", "nc")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..short_options("tail", "qvzfF", "nc")
    },
    OptionTable {
        long: "lines words bytes chars max-line-length",
        ..short_options("wc", "lwcmL", "")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        long_valued: GREP_VALUED,
        ..short_options("grep", "nirRvwxlLcohHsqEFGPaIzZbTUy", "eABCm")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        ..short_options("egrep", "nirRvwxlLcohHsqaI", "eABCm")
    },
    OptionTable {
        style: OptionStyle::ClustersAndNumbers,
        long: GREP_LONG,
        ..short_options("fgrep", "nirRvwxlLcohHsqaI", "eABCm")
    },
    OptionTable {
        long: "line-number ignore-case smart-case word-regexp fixed-strings count files files-with-matches files-without-match hidden no-ignore json only-matching invert-match multiline no-heading heading column vimgrep stats trim pcre2 case-sensitive no-line-number no-filename",
        long_valued: "glob type type-not max-count max-depth context after-context before-context \
           color sort regexp max-columns iglob",
        ..short_options("rg", "niSwFclvoNHIULsPp0", "gtTmdCABeMr")
    },
    OptionTable {
        long: "reverse numeric-sort unique ignore-case stable human-numeric-sort general-numeric-sort version-sort month-sort check zero-terminated",
        long_valued: "key field-separator",
        ..short_options("sort", "bdfghiMnRrVsucCz", "kt")
    },
    OptionTable {
        operands: AllowedOperands::AtMostOne,
        long: "count repeated unique ignore-case",
        ..short_options("uniq", "cduDiz", "fsw")
    },
    OptionTable {
        long_valued: "delimiter fields characters bytes",
        ..short_options("cut", "szn", "dfcb")
    },
    short_options("tr", "cCdst", ""),
    short_options("nl", "p", "bhfnswv"),
    short_options("rev", "", ""),
    short_options("tac", "", ""),
    short_options("fold", "sb", "w"),
    short_options("seq", "w", "sf"),
    short_options("comm", "123z", ""),
    short_options("paste", "sz", "d"),
    OptionTable { operands: AllowedOperands::AtMostOne, ..short_options("expand", "i", "t") },
    OptionTable {
        long: "brief unified recursive ignore-all-space ignore-case side-by-side ignore-blank-lines ignore-space-change report-identical-files new-file",
        long_valued: "unified color width exclude",
        ..short_options("diff", "qurwibBEsyaNtp", "UxW")
    },
    short_options("cmp", "slb", "n"),
    OptionTable {
        operands: AllowedOperands::Filter,
        long: "raw-output compact-output null-input slurp sort-keys exit-status ascii-output \
           join-output raw-input tab monochrome-output",
        ..short_options("jq", "rcnsSeajRM", "")
    },
    OptionTable {
        operands: AllowedOperands::PrintedLines,
        long: "quiet silent",
        ..short_options("sed", "nEr", "")
    },
];

const GREP_LONG: &str = "line-number ignore-case recursive invert-match word-regexp line-regexp count \
           files-with-matches files-without-match only-matching no-filename with-filename \
           quiet silent no-messages extended-regexp fixed-strings perl-regexp basic-regexp \
           text null color";
const GREP_VALUED: &str = "include exclude exclude-dir max-count context after-context before-context \
           regexp binary-files color";
