//! Tools that look at files and folders.

use super::short;
use crate::tools::{Operands, Style, Tool};

/// The names in an archive; with a colon it would be another host's.
const fn listed(name: &'static str) -> Tool {
    Tool { operands: Operands::NoColon, long: "verbose", ..short(name, "v", "") }
}

pub(super) const FILES: &[Tool] = &[
    Tool {
        long: "all almost-all human-readable recursive reverse directory classify inode size \
           full-time",
        long_valued: "color sort time time-style ignore",
        ..short("ls", "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "I")
    },
    short("pwd", "LP", ""),
    Tool { long: "all", long_valued: "suffix", ..short("basename", "az", "s") },
    short("dirname", "z", ""),
    short("realpath", "emLPqsz", ""),
    short("readlink", "femnqsvz", ""),
    Tool {
        long: "dereference file-system terse",
        long_valued: "format printf",
        ..short("stat", "Lftx", "c")
    },
    Tool { long: "brief mime mime-type mime-encoding", ..short("file", "biLhN0k", "F") },
    Tool {
        long: "human-readable summarize all total apparent-size",
        long_valued: "max-depth exclude",
        ..short("du", "ahscbkmxLlS0", "dt")
    },
    Tool { long: "human-readable local all inodes", ..short("df", "ahikHlPT", "tx") },
    short("tree", "adfilpsugDFrtAnC", "LPI"),
    short("which", "a", ""),
    short("md5sum", "btz", ""),
    short("sha1sum", "btz", ""),
    short("sha256sum", "btz", ""),
    short("sha512sum", "btz", ""),
    short("cksum", "", ""),
    listed("tar -tf"),
    listed("tar -tvf"),
    listed("tar -tzf"),
    listed("tar -tzvf"),
    listed("tar tf"),
    listed("tar tzf"),
    Tool {
        style: Style::Single,
        operands: Operands::Folders,
        long: "print print0 empty depth mount xdev follow true false prune quit not a and o or \
           ls readable writable executable daystart noleaf L P H",
        long_valued: "name iname path ipath wholename type maxdepth mindepth size mtime mmin ctime \
           cmin atime amin newer user group perm regex iregex regextype printf links inum \
           lname ilname xtype",
        ..short("find", "", "")
    },
];
