//! Programs that inspect files and folders. Without options that follow links while they go
//! through folders: a link may lead out of the workspace.

use super::{reader, reader_of_words};
use crate::option_tables::{AllowedOperands, OptionStyle, OptionTable};

/// Lists the names in an archive. With a colon, the archive could be on another host.
const fn archive_listing(name: &'static str) -> OptionTable {
    OptionTable { operands: AllowedOperands::NoColon, long: "verbose", ..reader(name, "v", "") }
}

pub(super) const FILES: &[OptionTable] = &[
    OptionTable {
        long: "all almost-all human-readable recursive reverse directory classify inode size \
           full-time",
        long_valued: "color sort time time-style ignore",
        ..reader("ls", "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "I")
    },
    reader_of_words("pwd", "LP", ""),
    OptionTable { long: "all", long_valued: "suffix", ..reader_of_words("basename", "az", "s") },
    reader_of_words("dirname", "z", ""),
    reader("realpath", "emLPqsz", ""),
    reader("readlink", "femnqsvz", ""),
    OptionTable {
        long: "dereference file-system terse",
        long_valued: "format printf",
        ..reader("stat", "Lftx", "c")
    },
    OptionTable { long: "brief mime mime-type mime-encoding", ..reader("file", "biLhN0k", "F") },
    OptionTable {
        long: "human-readable summarize all total apparent-size",
        long_valued: "max-depth exclude",
        ..reader("du", "ahscbkmxlS0", "dt")
    },
    OptionTable { long: "human-readable local all inodes", ..reader("df", "ahikHlPT", "tx") },
    reader("tree", "adfipsugDFrtAnC", "LPI"),
    reader_of_words("which", "a", ""),
    reader("md5sum", "btz", ""),
    reader("sha1sum", "btz", ""),
    reader("sha256sum", "btz", ""),
    reader("sha512sum", "btz", ""),
    reader("cksum", "", ""),
    archive_listing("tar -tf"),
    archive_listing("tar -tvf"),
    archive_listing("tar -tzf"),
    archive_listing("tar -tzvf"),
    archive_listing("tar tf"),
    archive_listing("tar tzf"),
    OptionTable {
        style: OptionStyle::SingleDash,
        operands: AllowedOperands::Folders,
        long: "print print0 empty depth mount xdev true false prune quit not a and o or \
           ls readable writable executable daystart noleaf P",
        long_valued: "name iname path ipath wholename type maxdepth mindepth size mtime mmin ctime \
           cmin atime amin newer user group perm regex iregex regextype printf links inum \
           lname ilname xtype",
        path_values: "newer",
        ..reader("find", "", "")
    },
];
