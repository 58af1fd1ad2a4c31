//! Programs that list and inspect files and folders. Without options that follow links while they
//! go through folders: a link may lead out of the workspace.

use super::prelude::*;

/// Lists the names in an archive. With a colon, the archive could be on another host.
const fn archive_listing(name: &'static str) -> OptionTable {
    reader(name, "v", "").long("verbose").operands(NoColon)
}

/// Without `-l`, which runs `ls`.
const FD: OptionTable = reader("fd", "HIusigFap0q1", "dEteScj")
    .long(
        "hidden no-ignore no-ignore-vcs no-ignore-parent unrestricted case-sensitive ignore-case \
         glob regex fixed-strings absolute-path full-path print0 prune quiet \
         show-errors strip-cwd-prefix one-file-system",
    )
    .long_valued(
        "and max-depth min-depth exact-depth exclude type extension size changed-within \
         changed-before color threads max-results",
    )
    .pattern_first("");

/// Without `-v` and `-R`: bash runs the substitutions in the index of a variable.
const TEST: OptionTable = reader_of_words("test", "", "")
    .single_dash()
    .long("a o")
    .long_valued("b c d e f g h k p r s u w x G L N O S z n eq ne lt le gt ge")
    .path_values("b c d e f g h k p r s u w x G L N O S")
    .operands(TestExpression);

pub(super) const FILES: &[OptionTable] = &[
    reader("ls", "aAbBcCdfFgGhHiklmnNopqQrRsStuUvxXZ1@eO", "IwT")
        .long(
            "all almost-all human-readable recursive reverse directory classify inode size \
             full-time color group-directories-first no-group si author escape literal \
             numeric-uid-gid file-type",
        )
        .long_valued("color sort time time-style ignore hide format width block-size classify"),
    reader("tree", "adfipsugDFrtAnCxqNQhvcUSXJ", "LPIT")
        .long(
            "gitignore ignore-case matchdirs metafirst prune noreport si du inodes device \
             dirsfirst filesfirst nolinks",
        )
        .long_valued("charset filelimit sort timefmt"),
    reader("find", "", "")
        .single_dash()
        .operands(Folders)
        .long(
            "print print0 empty depth mount xdev true false prune quit not a and o or ls readable \
             writable executable daystart noleaf P nouser nogroup E s x X d",
        )
        .long_valued(
            "name iname path ipath wholename type maxdepth mindepth size mtime mmin ctime cmin \
             atime amin newer user group perm regex iregex regextype printf links inum lname ilname \
             xtype newermt fstype uid gid anewer cnewer",
        )
        .path_values("newer anewer cnewer"),
    FD,
    FD.with_name("fdfind"),
    TEST,
    TEST.with_name("["),
    reader_of_words("pwd", "LP", ""),
    reader_of_words("basename", "az", "s").long("multiple zero").long_valued("suffix"),
    reader_of_words("dirname", "z", "").long("zero"),
    reader("realpath", "emLPqsz", "")
        .long("canonicalize-existing canonicalize-missing no-symlinks quiet zero"),
    reader("readlink", "femnqsvz", "").long("canonicalize no-newline"),
    reader("stat", "Lftx", "c").long("dereference file-system terse").long_valued("format printf"),
    reader("file", "biLhN0knrs", "F")
        .long("brief mime mime-type mime-encoding dereference no-dereference extension"),
    reader("du", "ahscbkmxlS0", "dtB")
        .long("human-readable summarize all total apparent-size bytes si one-file-system inodes")
        .long_valued("max-depth exclude block-size threshold"),
    reader("df", "ahikHlPT", "txB")
        .long("human-readable local all inodes print-type total si output")
        .long_valued("type exclude-type output block-size"),
    archive_listing("tar -tf"),
    archive_listing("tar -tvf"),
    archive_listing("tar -tzf"),
    archive_listing("tar -tzvf"),
    archive_listing("tar tf"),
    archive_listing("tar tzf"),
    archive_listing("tar -ztf"),
    reader("unzip -l", "q", "").operands(AtMost(1)),
    reader("zipinfo", "12smlthzT", "").operands(AtMost(1)),
];
