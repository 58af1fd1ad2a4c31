//! Programs that inspect files and folders.

use super::short_options;
use crate::option_tables::{AllowedOperands, OptionStyle, OptionTable};

/// Lists the names in an archive. With a colon, the archive could be on another host.
const fn archive_listing(name: &'static str) -> OptionTable {
    OptionTable {
        operands: AllowedOperands::NoColon,
        long: "verbose",
        ..short_options(name, "v", "")
    }
}

pub(super) const FILES: &[OptionTable] = &[
    OptionTable {
        long: "all almost-all human-readable recursive reverse directory classify inode size \
           full-time",
        long_valued: "color sort time time-style ignore",
        ..short_options("ls", "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "I")
    },
    short_options("pwd", "LP", ""),
    OptionTable { long: "all", long_valued: "suffix", ..short_options("basename", "az", "s") },
    short_options("dirname", "z", ""),
    short_options("realpath", "emLPqsz", ""),
    short_options("readlink", "femnqsvz", ""),
    OptionTable {
        long: "dereference file-system terse",
        long_valued: "format printf",
        ..short_options("stat", "Lftx", "c")
    },
    OptionTable {
        long: "brief mime mime-type mime-encoding",
        ..short_options("file", "biLhN0k", "F")
    },
    OptionTable {
        long: "human-readable summarize all total apparent-size",
        long_valued: "max-depth exclude",
        ..short_options("du", "ahscbkmxLlS0", "dt")
    },
    OptionTable {
        long: "human-readable local all inodes",
        ..short_options("df", "ahikHlPT", "tx")
    },
    short_options("tree", "adfilpsugDFrtAnC", "LPI"),
    short_options("which", "a", ""),
    short_options("md5sum", "btz", ""),
    short_options("sha1sum", "btz", ""),
    short_options("sha256sum", "btz", ""),
    short_options("sha512sum", "btz", ""),
    short_options("cksum", "", ""),
    archive_listing("tar -tf"),
    archive_listing("tar -tvf"),
    archive_listing("tar -tzf"),
    archive_listing("tar -tzvf"),
    archive_listing("tar tf"),
    archive_listing("tar tzf"),
    OptionTable {
        style: OptionStyle::SingleDash,
        operands: AllowedOperands::Folders,
        long: "print print0 empty depth mount xdev follow true false prune quit not a and o or \
           ls readable writable executable daystart noleaf L P H",
        long_valued: "name iname path ipath wholename type maxdepth mindepth size mtime mmin ctime \
           cmin atime amin newer user group perm regex iregex regextype printf links inum \
           lname ilname xtype",
        ..short_options("find", "", "")
    },
];
