//! Programs that show the state of the system. Without those that print the environment: it holds
//! secrets.

use super::prelude::*;

/// Prints its version and does nothing else.
const fn version_of(name: &'static str) -> OptionTable {
    reader_of_words(name, "", "").operands(None)
}

pub(super) const SYSTEM: &[OptionTable] = &[
    reader_of_words("true", "", ""),
    reader_of_words("false", "", ""),
    reader_of_words("sleep", "", ""),
    reader_of_words("which", "a", ""),
    reader_of_words("whereis", "bms", ""),
    reader_of_words("whoami", "", "").operands(None),
    reader_of_words("id", "ugnGrz", "").long("user group groups name real"),
    reader_of_words("groups", "", ""),
    reader_of_words("uname", "asnrvmpio", "")
        .long("all kernel-name nodename kernel-release machine operating-system")
        .operands(None),
    reader_of_words("arch", "", "").operands(None),
    reader_of_words("hostname", "sfidI", "").operands(None),
    reader_of_words("date", "uIR", "d")
        .long("utc universal rfc-email iso-8601")
        .long_valued("iso-8601 date rfc-3339")
        .operands(Format),
    reader_of_words("cal", "13jmy", ""),
    reader_of_words("uptime", "ps", "").operands(None),
    reader_of_words("free", "bkmghtwlv", "").long("human mega giga total wide").operands(None),
    reader_of_words("nproc", "", "").long("all").operands(None),
    reader_of_words("lscpu", "epJ", "").long("json").operands(None),
    reader_of_words("vmstat", "swatn", "S"),
    reader_of_words("ps", "AaeFfljdTxwHc", "oOpCUuGgtqk")
        .values(AllowedValues::NoEnvironment)
        .long("forest no-headers headers")
        .long_valued("sort format pid ppid user")
        .operands(ProcessSelection),
    reader_of_words("pgrep", "flaxnocviw", "uUgGPstd")
        .long("full list-name list-full exact newest oldest count inverse")
        .long_valued("parent euid delimiter"),
    reader("lsof", "PnltRU", "ipuc"),
    reader_of_words("ss", "tulnpaHeimsxo46", "").operands(None),
    reader_of_words("netstat", "tulnpaersic46", "").operands(None),
    version_of("node --version"),
    version_of("node -v"),
    version_of("python --version"),
    version_of("python3 --version"),
    version_of("go version"),
    version_of("cargo --version"),
    version_of("rustc --version"),
    version_of("git --version"),
    version_of("npm --version"),
    version_of("npm -v"),
    version_of("pnpm --version"),
    version_of("yarn --version"),
    version_of("bun --version"),
    version_of("docker --version"),
    version_of("gh --version"),
    version_of("java -version"),
    version_of("java --version"),
    version_of("ruby --version"),
    version_of("php --version"),
    version_of("make --version"),
    version_of("cmake --version"),
    version_of("uv --version"),
    version_of("pip --version"),
];
