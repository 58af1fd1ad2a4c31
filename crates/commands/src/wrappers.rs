//! A table of wrappers: programs that run another command, given in their arguments.
//!
//! Deny rules look at the inner command; allow rules may not name a wrapper. If it is unknown
//! whether an option takes a value, both possibilities are checked. Programs that hand a command to
//! another machine or process tree (`ssh`, `systemd-run`, `watch` …) have no entry: deny rules do
//! not see their inner command, and such a line asks.

/// Where a wrapper's inner command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InnerCommand {
    /// After options, assignments and this many operands.
    AfterOperands(usize),
    /// After each `-exec`, `-execdir`, `-ok` and `-okdir` of `find`, up to `;` or `+`.
    FindExec,
    /// Every argument may be the text of a script.
    Script,
    /// All arguments joined are the text of a script.
    Joined,
}

pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    pub(crate) inner: InnerCommand,
    /// Options whose value is the next word. Options in neither list may or may not have one.
    pub(crate) options_with_value: &'static [&'static str],
    /// Options without a value.
    pub(crate) flags: &'static [&'static str],
}

const fn prefix_wrapper(
    name: &'static str,
    operands: usize,
    valued: &'static [&'static str],
    flags: &'static [&'static str],
) -> Wrapper {
    Wrapper {
        name,
        inner: InnerCommand::AfterOperands(operands),
        options_with_value: valued,
        flags,
    }
}

const fn script_wrapper(name: &'static str) -> Wrapper {
    Wrapper { name, inner: InnerCommand::Script, options_with_value: &[], flags: &[] }
}

const fn joined_wrapper(name: &'static str) -> Wrapper {
    Wrapper { name, inner: InnerCommand::Joined, options_with_value: &[], flags: &[] }
}

const WRAPPERS: &[Wrapper] = &[
    prefix_wrapper("env", 0, &["-u", "--unset", "-C", "--chdir", "-P"], &["-i", "-", "-0", "-v"]),
    prefix_wrapper(
        "sudo",
        0,
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U", "--user", "--group"],
        &["-n", "-E", "-H", "-S", "-k", "-b", "-A", "-i", "-s", "-P", "-B", "-K", "-N"],
    ),
    prefix_wrapper("doas", 0, &["-u", "-C", "-a"], &["-n", "-s", "-L"]),
    prefix_wrapper("run0", 0, &[], &[]),
    prefix_wrapper("pkexec", 0, &["--user"], &["--disable-internal-agent", "--keep-cwd"]),
    prefix_wrapper("please", 0, &["-u"], &[]),
    prefix_wrapper("nice", 0, &["-n", "--adjustment"], &[]),
    prefix_wrapper("ionice", 0, &["-c", "-n", "--class", "--classdata"], &["-t"]),
    prefix_wrapper(
        "chrt",
        1,
        &["-T", "-P", "-D"],
        &["-b", "-f", "-i", "-o", "-r", "-R", "-d", "-a", "-v"],
    ),
    prefix_wrapper("taskset", 1, &[], &["-a", "-c"]),
    prefix_wrapper("numactl", 0, &["-m", "-N", "-C", "-p"], &["-l", "-s"]),
    prefix_wrapper("nohup", 0, &[], &[]),
    prefix_wrapper("rtk", 0, &[], &["-v", "-u"]),
    prefix_wrapper("setsid", 0, &[], &["-c", "-f", "-w"]),
    prefix_wrapper("timeout", 1, &["-k", "-s", "--kill-after", "--signal"], &["-v", "-f", "-p"]),
    prefix_wrapper("gtimeout", 1, &["-k", "-s"], &["-v"]),
    prefix_wrapper("stdbuf", 0, &["-i", "-o", "-e", "--input", "--output", "--error"], &[]),
    prefix_wrapper("unbuffer", 0, &[], &["-p"]),
    prefix_wrapper("time", 0, &["-f", "-o", "--format", "--output"], &["-p", "-v", "-a", "-q"]),
    prefix_wrapper("command", 0, &[], &["-p", "-v", "-V"]),
    prefix_wrapper("builtin", 0, &[], &[]),
    prefix_wrapper("exec", 0, &["-a"], &["-c", "-l"]),
    prefix_wrapper("noglob", 0, &[], &[]),
    prefix_wrapper("nocorrect", 0, &[], &[]),
    prefix_wrapper("repeat", 1, &[], &[]),
    prefix_wrapper("coproc", 0, &[], &[]),
    prefix_wrapper("chroot", 1, &["--userspec", "--groups"], &["--skip-chdir"]),
    prefix_wrapper("busybox", 0, &[], &[]),
    prefix_wrapper("toybox", 0, &[], &[]),
    prefix_wrapper(
        "xargs",
        0,
        &[
            "-I",
            "-L",
            "-n",
            "-P",
            "-s",
            "-d",
            "-a",
            "-E",
            "--max-args",
            "--max-procs",
            "--arg-file",
            "--delimiter",
            "--replace",
        ],
        &["-0", "-r", "-t", "-p", "-x", "-i", "-e", "-l", "--null", "--no-run-if-empty"],
    ),
    prefix_wrapper(
        "parallel",
        0,
        &["-j", "-a", "-S", "-N", "-n", "-I", "--jobs"],
        &["-k", "-0", "-u"],
    ),
    prefix_wrapper("caffeinate", 0, &["-t", "-w"], &["-d", "-i", "-m", "-s", "-u"]),
    prefix_wrapper("setarch", 1, &[], &[]),
    prefix_wrapper("linux64", 0, &[], &[]),
    prefix_wrapper("prlimit", 0, &[], &[]),
    prefix_wrapper(
        "strace",
        0,
        &["-e", "-o", "-p", "-s", "-u", "-E", "-P"],
        &["-f", "-q", "-v", "-c", "-y"],
    ),
    prefix_wrapper("ltrace", 0, &["-e", "-o", "-p", "-s", "-u"], &["-f", "-c", "-S"]),
    prefix_wrapper("fakeroot", 0, &["-l", "-s", "-i", "-b"], &["--"]),
    prefix_wrapper("faketime", 1, &[], &["-f", "-m"]),
    prefix_wrapper("setpriv", 0, &["--reuid", "--regid"], &["--clear-groups"]),
    prefix_wrapper("catchsegv", 0, &[], &[]),
    prefix_wrapper("dbus-run-session", 0, &[], &["--"]),
    prefix_wrapper("xvfb-run", 0, &["-n", "-s", "-e", "-f", "-p"], &["-a", "-l"]),
    Wrapper { name: "find", inner: InnerCommand::FindExec, options_with_value: &[], flags: &[] },
    joined_wrapper("eval"),
    joined_wrapper("iex"),
    joined_wrapper("invoke-expression"),
    script_wrapper("trap"),
    script_wrapper("su"),
    script_wrapper("runuser"),
    script_wrapper("sg"),
];

pub(crate) fn find_wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

/// Whether an allow rule for this program would allow any command. `find` is not one: its option
/// table excludes `-exec`.
pub(crate) fn is_wrapper(name: &str) -> bool {
    OPAQUE_WRAPPERS.contains(&name)
        || find_wrapper(name).is_some_and(|wrapper| wrapper.inner != InnerCommand::FindExec)
}

/// Whether a program runs a command that deny rules do not see.
pub(crate) fn is_opaque(name: &str) -> bool {
    OPAQUE_WRAPPERS.contains(&name)
}

/// Programs that run a command where deny rules cannot follow it.
const OPAQUE_WRAPPERS: &[&str] = &[
    "watch",
    "flock",
    "ssh",
    "systemd-run",
    "unshare",
    "nsenter",
    "script",
    "at",
    "batch",
    "crontab",
    "docker-exec",
    "screen",
    "tmux",
    "entr",
    "rsh",
    "mosh",
    "toolbox",
    "firejail",
    "bwrap",
    "setuidgid",
    "chpst",
    "softlimit",
    "daemonize",
    "start-stop-daemon",
];

pub(crate) use countersign_programs::base_name;
