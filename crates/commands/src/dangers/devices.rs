//! Raw devices, and programs that make or wipe file systems.

use super::DangerSearch;
use super::arguments::Arguments;
use crate::loose::{UNKNOWN_VALUE, Word};
use countersign_core::model::danger::DangerKind::Catastrophe;

/// The beginnings of the names of disks and memory below `/dev`.
const RAW_DEVICES: &[&str] = &[
    "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md", "loop",
    "ram", "zd", "nbd", "sr", "mem", "kmem", "port", "root", "mtd", "ada", "da0", "nvd", "zvol/",
    "vg", "bcache", "pmem", "fd0", "st0", "nst0", "block/",
];

/// Programs that copy their operands to the last one.
const COPYING: &[&str] = &["cp", "gcp", "mv", "install", "ddrescue", "partclone.dd", "qemu-img"];
/// Programs that write to each operand.
const WRITING: &[&str] = &["tee", "truncate", "shred", "srm", "wipe", "scrub", "nwipe"];
/// Programs that make or erase a file system or a partition table, with the words with which they only
/// look.
const FORMATTING: &[(&str, &[&str])] = &[
    ("mke2fs", &["-n"]),
    ("mkntfs", &["-n"]),
    ("mkdosfs", &[]),
    ("mkswap", &[]),
    ("newfs", &["-N"]),
    ("blkdiscard", &[]),
    ("fdisk", &["-l", "--list", "-s", "-x"]),
    ("sfdisk", &["-l", "-d", "-J", "-s", "--list", "--dump", "--json", "-n", "--no-act", "-V"]),
    ("cfdisk", &[]),
    ("gdisk", &["-l"]),
    ("sgdisk", &["-p", "-i", "-v", "--print", "--info", "--verify"]),
    ("parted", &["-l", "--list", "print", "unit", "align-check"]),
    ("badblocks", &[]),
    ("pvcreate", &["-t", "--test"]),
    ("pvremove", &["-t", "--test"]),
    ("vgremove", &["-t", "--test"]),
    ("lvremove", &["-t", "--test"]),
    ("wipefs", &[]),
];
/// Programs of which one subcommand or option erases.
const ERASING: &[(&str, &[&str])] = &[
    (
        "cryptsetup",
        &["luksformat", "erase", "lukserase", "luksheaderrestore", "reencrypt", "format"],
    ),
    ("nvme", &["format", "sanitize", "write", "write-zeroes", "dsm"]),
    ("hdparm", &["--security-erase", "--security-erase-enhanced", "--trim-sector-ranges"]),
    ("zpool", &["destroy", "create", "labelclear"]),
    ("zfs", &["destroy"]),
    ("mdadm", &["--zero-superblock", "--create", "-c"]),
    (
        "diskutil",
        &[
            "erasedisk",
            "erasevolume",
            "partitiondisk",
            "secureerase",
            "zerodisk",
            "randomdisk",
            "reformat",
        ],
    ),
    ("btrfs", &["delete"]),
    ("dmsetup", &["remove_all", "wipe_table"]),
    ("flashrom", &["-w", "-e", "--erase", "--write"]),
    ("sg_format", &["--format"]),
    ("format", &["c:", "d:", "/q"]),
    ("vgcfgrestore", &["-f"]),
    ("tpm2_clear", &[""]),
];

/// The target of a redirection.
pub(super) fn check_written_device(search: &mut DangerSearch, word: &Word) {
    for text in word.list_readings() {
        if let Some(device) = find_device(&text) {
            search.add(Catastrophe, "writes", format!("the disk {device}"));
        }
        if text == "/proc/sysrq-trigger" {
            search.add(Catastrophe, "halts or restarts", "this machine at once");
        }
    }
}

pub(super) fn check_devices(search: &mut DangerSearch, arguments: &Arguments) {
    if arguments.is_program(&["dd", "dcfldd", "dc3dd", "gdd"]) {
        let readings = arguments.words.iter().flat_map(Word::list_readings);
        for target in readings.filter_map(|text| text.strip_prefix("of=").map(str::to_owned)) {
            let word = Word { text: target, ..Word::default() };
            check_written_device(search, &word);
        }
    }
    if arguments.is_program(COPYING)
        && let Some(target) = arguments.operands().last()
    {
        check_written_device(search, target);
    }
    if arguments.is_program(WRITING) {
        arguments.operands().for_each(|word| check_written_device(search, word));
    }
    check_formatting(search, arguments);
}

fn check_formatting(search: &mut DangerSearch, arguments: &Arguments) {
    let name = arguments.program.as_str();
    let lower: Vec<String> = arguments.texts().map(str::to_ascii_lowercase).collect();
    if let Some((_, words)) = ERASING.iter().find(|(program, _)| *program == name) {
        let erases = words.contains(&"") || lower.iter().any(|word| words.contains(&word.as_str()));
        let target = arguments.operands().last().map(|word| word.text.as_str());
        if erases && !arguments.is_dry() {
            search.add(Catastrophe, "erases", name_target(target.unwrap_or_default()));
        }
        return;
    }
    let is_mkfs = name == "mkfs" || name.starts_with("mkfs.") || name.starts_with("newfs_");
    let listed = FORMATTING.iter().find(|(program, _)| *program == name);
    if !is_mkfs && listed.is_none() || arguments.is_dry() {
        return;
    }
    let looks =
        listed.is_some_and(|(_, looking)| arguments.texts().any(|text| looking.contains(&text)));
    let only_lists = match name {
        // Without these it lists signatures, or reads blocks.
        "wipefs" => {
            !(arguments.has_letter(&['a', 'o']) || arguments.has_option(&["--all", "--offset"]))
                || arguments.has_letter(&['n'])
        }
        "badblocks" => !arguments.has_letter(&['w']),
        _ => looks,
    };
    if only_lists {
        return;
    }
    let does = match name {
        "wipefs" | "blkdiscard" | "badblocks" => "erases",
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" | "sgdisk" | "parted" => "repartitions",
        "pvremove" | "vgremove" | "lvremove" => "removes",
        _ => "makes a new file system on",
    };
    let by_group = ["vgremove", "lvremove", "pvremove"].contains(&name);
    for text in arguments.operands().flat_map(Word::list_readings) {
        let is_target = text.starts_with("/dev/") || text.contains(UNKNOWN_VALUE) || by_group;
        if is_target {
            search.add(Catastrophe, does, name_target(&text));
        }
    }
}

fn name_target(text: &str) -> String {
    match text.is_empty() || text.contains(UNKNOWN_VALUE) {
        true => "a disk that the line does not name".to_owned(),
        false => text.to_owned(),
    }
}

/// The raw device that a path names.
pub(super) fn find_device(path: &str) -> Option<&str> {
    let windows = path.to_ascii_lowercase().contains("\\\\.\\physicaldrive");
    let name = path.trim_start_matches('/').strip_prefix("dev/").filter(|_| path.starts_with('/'));
    let is_raw = name.is_some_and(|name| {
        let name = name.trim_start_matches('/');
        RAW_DEVICES.iter().any(|start| {
            let rest = name.strip_prefix(start);
            // `sda`, `nvme0n1` and `disk/by-id/x`, and not `stdin` or `random`.
            rest.is_some_and(|rest| is_device_rest(start, rest))
        })
    });
    (is_raw || windows).then_some(path)
}

fn is_device_rest(start: &str, rest: &str) -> bool {
    match start {
        _ if start.ends_with('/') => !rest.is_empty(),
        "mem" | "kmem" | "port" | "root" | "fd0" | "st0" | "nst0" => rest.is_empty(),
        "sd" | "hd" | "vd" | "xvd" => {
            rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '*' || c == '?' || c == '[')
                || rest.starts_with(UNKNOWN_VALUE)
        }
        "disk" => rest.starts_with('/') || rest.starts_with(|c: char| c.is_ascii_digit()),
        _ => rest.starts_with(|c: char| c.is_ascii_digit() || c == '*' || c == UNKNOWN_VALUE),
    }
}

#[cfg(test)]
mod tests {
    use super::find_device;

    #[test]
    fn disks_are_raw_devices_and_terminals_are_not() {
        for path in [
            "/dev/sda",
            "/dev/sda1",
            "/dev/nvme0n1",
            "/dev/disk/by-id/x",
            "/dev/disk2",
            "/dev/mapper/vg-root",
            "/dev/mmcblk0",
            "/dev/mem",
            "/dev/md0",
            "//dev/sdb",
            "/dev/vda",
        ] {
            assert!(find_device(path).is_some(), "{path}");
        }
        for path in [
            "/dev/null",
            "/dev/stdout",
            "/dev/stdin",
            "/dev/tty",
            "/dev/random",
            "/dev/shm/x",
            "/dev/fd/3",
            "/dev/pts/0",
            "/dev/zero",
            "sda",
            "/dev/tcp/host/80",
            "/tmp/dev/sda",
            "/dev/ptmx",
        ] {
            assert!(find_device(path).is_none(), "{path}");
        }
    }
}
