//! Programs that read text and print it. Without options that follow links while they go through
//! folders: a link may lead out of the workspace.

use super::prelude::*;

const GREP: OptionTable = reader("grep", "nirvwxlLcohHsqEFGPaIzZbTUy", "eABCmdf")
    .numbers()
    .long(
        "line-number ignore-case recursive invert-match word-regexp line-regexp count text null \
         files-with-matches files-without-match only-matching no-filename with-filename quiet \
         silent no-messages extended-regexp fixed-strings perl-regexp basic-regexp color colour \
         byte-offset initial-tab line-buffered no-ignore-case null-data",
    )
    .long_valued(
        "include exclude exclude-dir max-count context after-context before-context regexp \
         binary-files color colour directories label file",
    )
    .path_values("f file")
    .pattern_first("e regexp f file");

const RIPGREP: OptionTable = reader("rg", "niSwFclvoNHIUsPp0xabq.u", "gtTmdCABeMrjEf")
    .long(
        "line-number ignore-case smart-case word-regexp fixed-strings count files text \
         files-with-matches files-without-match hidden no-ignore json only-matching invert-match \
         multiline no-heading heading column vimgrep stats trim pcre2 case-sensitive binary quiet \
         no-line-number no-filename with-filename line-regexp count-matches multiline-dotall null \
         no-ignore-vcs no-ignore-parent no-messages pretty passthru one-file-system no-config \
         type-list max-columns-preview byte-offset unrestricted no-require-git include-zero crlf \
         no-ignore-global no-ignore-dot no-ignore-exclude no-ignore-files glob-case-insensitive \
         line-buffered block-buffered null-data stop-on-nonmatch no-context-separator sort-files \
         no-unicode mmap no-mmap auto-hybrid-regex no-multiline no-hidden no-json",
    )
    .long_valued(
        "glob type type-not max-count max-depth context after-context before-context color sort \
         sortr regexp max-columns iglob replace threads encoding engine max-filesize colors \
         context-separator field-match-separator field-context-separator file \
         regex-size-limit dfa-size-limit path-separator",
    )
    .path_values("f file")
    .pattern_first("e regexp f file files type-list");

const SED: OptionTable = reader("sed", "nErszu", "e")
    .long("quiet silent regexp-extended separate null-data unbuffered posix")
    .long_valued("expression")
    .values(AllowedValues::SedScripts)
    .operands(SedScript)
    .pattern_first("e expression");

const HEAD: OptionTable = reader("head", "qvz", "nc")
    .numbers()
    .long("quiet silent verbose zero-terminated")
    .long_valued("lines bytes");

const DIGEST: OptionTable = reader("md5sum", "btz", "").long("binary text zero tag");

pub(super) const TEXT: &[OptionTable] = &[
    reader_of_words("echo", "neE", ""),
    reader_of_words("printf", "", "").operands(PlainFormat),
    reader("cat", "AbeEnstTuv", "")
        .long("number show-all squeeze-blank number-nonblank show-ends show-tabs show-nonprinting"),
    HEAD,
    reader("tail", "qvzfF", "nc")
        .numbers()
        .long("quiet silent verbose follow retry zero-terminated")
        .long_valued("lines bytes"),
    reader("wc", "lwcmL", "").long("lines words bytes chars max-line-length").long_valued("total"),
    GREP,
    GREP.with_name("egrep"),
    GREP.with_name("fgrep"),
    RIPGREP,
    SED,
    editor("sed -i", "nErsz", "e")
        .long("quiet silent regexp-extended separate null-data")
        .long_valued("expression")
        .values(AllowedValues::SedScripts)
        .operands(SedScript)
        .pattern_first("e expression"),
    reader("awk", "", "Fv").operands(AwkProgram).pattern_first(""),
    reader("sort", "bdfghiMnRrVsucCzm", "ktS")
        .long(
            "reverse numeric-sort unique ignore-case stable human-numeric-sort merge random-sort \
             general-numeric-sort version-sort month-sort check zero-terminated \
             ignore-leading-blanks dictionary-order",
        )
        .long_valued("key field-separator sort check parallel buffer-size"),
    reader("uniq", "cduDiz", "fsw")
        .long("count repeated unique ignore-case zero-terminated all-repeated")
        .long_valued("skip-fields skip-chars check-chars")
        .operands(AtMost(1)),
    reader("cut", "szn", "dfcb")
        .long("only-delimited complement zero-terminated")
        .long_valued("delimiter fields characters bytes output-delimiter"),
    reader_of_words("tr", "cCdst", "").long("complement delete squeeze-repeats truncate-set1"),
    reader("nl", "p", "bhfnswvlid")
        .long("no-renumber")
        .long_valued("body-numbering number-format number-width starting-line-number"),
    reader("rev", "", ""),
    reader("tac", "b", "s"),
    reader("fold", "sb", "w").long("spaces bytes").long_valued("width"),
    reader_of_words("seq", "w", "sf").long("equal-width").long_valued("separator format"),
    reader("comm", "123z", "").long("total check-order nocheck-order zero-terminated"),
    reader("paste", "sz", "d").long("serial").long_valued("delimiters"),
    reader("join", "iz", "12tjaveo"),
    reader("expand", "i", "t").operands(AtMost(1)),
    reader("column", "tnxJd", "scoNHRTW")
        .long("table json table-noheadings")
        .long_valued("separator output-separator table-columns output-width"),
    reader("diff", "quwibBEsyaNtp", "UCxWI")
        .numbers()
        .long(
            "brief unified ignore-all-space ignore-case side-by-side ignore-blank-lines \
             ignore-space-change report-identical-files new-file suppress-common-lines text \
             minimal color no-dereference strip-trailing-cr context",
        )
        .long_valued("unified color width exclude context label ignore-matching-lines"),
    reader("cmp", "slb", "n").long("silent quiet print-bytes verbose").long_valued("bytes"),
    reader("jq", "rcnsSeajRMC", "")
        .long(
            "raw-output compact-output null-input slurp sort-keys exit-status ascii-output tab \
             join-output raw-input monochrome-output color-output seq stream",
        )
        .long_valued("indent")
        .long_pairs("arg argjson")
        .operands(Filter)
        .pattern_first(""),
    reader("yq", "rPMCN", "oI")
        .long("raw-output prettyPrint no-colors no-doc unwrapScalar")
        .long_valued("output-format indent")
        .operands(PathFilter)
        .pattern_first(""),
    reader("xxd", "pbuierE", "lscgo").operands(AtMost(1)),
    reader("od", "abcdfhilosxv", "AjNtS").long_valued("address-radix skip-bytes read-bytes format"),
    reader("hexdump", "bcCdovx", "ns"),
    reader("strings", "aw", "ntes").long("all").long_valued("bytes radix encoding").operands(Files),
    DIGEST,
    DIGEST.with_name("sha1sum"),
    DIGEST.with_name("sha256sum"),
    DIGEST.with_name("sha512sum"),
    reader("md5", "qr", ""),
    reader("shasum", "bt", "a"),
    reader("cksum", "", "").long("tag untagged"),
    reader("base64", "di", "w")
        .long("decode ignore-garbage")
        .long_valued("wrap")
        .operands(AtMost(1)),
];
