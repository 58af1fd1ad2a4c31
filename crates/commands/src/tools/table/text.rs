//! Tools that read text and print it. `printf` is not among them: in bash its `%n` assigns to a
//! variable, and evaluates what stands in its subscript.

use super::short;
use crate::tools::{Operands, Style, Tool};

pub(super) const TEXT: &[Tool] = &[
    short("echo", "neE", ""),
    Tool { name: "cat", long: "number show-all squeeze-blank", ..short("cat", "AbeEnstTuv", "") },
    Tool {
        style: Style::Numbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..short("head", "qvz", "nc")
    },
    Tool {
        style: Style::Numbers,
        long_valued: "lines bytes",
        long: "quiet verbose",
        ..short("tail", "qvzfF", "nc")
    },
    Tool { long: "lines words bytes chars max-line-length", ..short("wc", "lwcmL", "") },
    Tool {
        style: Style::Numbers,
        long: GREP_LONG,
        long_valued: GREP_VALUED,
        ..short("grep", "nirRvwxlLcohHsqEFGPaIzZbTUy", "eABCm")
    },
    Tool { style: Style::Numbers, long: GREP_LONG, ..short("egrep", "nirRvwxlLcohHsqaI", "eABCm") },
    Tool { style: Style::Numbers, long: GREP_LONG, ..short("fgrep", "nirRvwxlLcohHsqaI", "eABCm") },
    Tool {
        long: "line-number ignore-case smart-case word-regexp fixed-strings count files files-with-matches files-without-match hidden no-ignore json only-matching invert-match multiline no-heading heading column vimgrep stats trim pcre2 case-sensitive no-line-number no-filename",
        long_valued: "glob type type-not max-count max-depth context after-context before-context \
           color sort regexp max-columns iglob",
        ..short("rg", "niSwFclvoNHIULsPp0", "gtTmdCABeMr")
    },
    Tool {
        long: "reverse numeric-sort unique ignore-case stable human-numeric-sort general-numeric-sort version-sort month-sort check zero-terminated",
        long_valued: "key field-separator",
        ..short("sort", "bdfghiMnRrVsucCz", "kt")
    },
    Tool {
        operands: Operands::AtMostOne,
        long: "count repeated unique ignore-case",
        ..short("uniq", "cduDiz", "fsw")
    },
    Tool { long_valued: "delimiter fields characters bytes", ..short("cut", "szn", "dfcb") },
    short("tr", "cCdst", ""),
    short("nl", "p", "bhfnswv"),
    short("rev", "", ""),
    short("tac", "", ""),
    short("fold", "sb", "w"),
    short("seq", "w", "sf"),
    short("comm", "123z", ""),
    short("paste", "sz", "d"),
    Tool { operands: Operands::AtMostOne, ..short("expand", "i", "t") },
    Tool {
        long: "brief unified recursive ignore-all-space ignore-case side-by-side ignore-blank-lines ignore-space-change report-identical-files new-file",
        long_valued: "unified color width exclude",
        ..short("diff", "qurwibBEsyaNtp", "UxW")
    },
    short("cmp", "slb", "n"),
    Tool {
        operands: Operands::Filter,
        long: "raw-output compact-output null-input slurp sort-keys exit-status ascii-output \
           join-output raw-input tab monochrome-output",
        ..short("jq", "rcnsSeajRM", "")
    },
    Tool { operands: Operands::PrintedLines, long: "quiet silent", ..short("sed", "nEr", "") },
];

const GREP_LONG: &str = "line-number ignore-case recursive invert-match word-regexp line-regexp count \
           files-with-matches files-without-match only-matching no-filename with-filename \
           quiet silent no-messages extended-regexp fixed-strings perl-regexp basic-regexp \
           text null color";
const GREP_VALUED: &str = "include exclude exclude-dir max-count context after-context before-context \
           regexp binary-files color";
