//! Programs that run another command from their own words, as data.
//!
//! Deny rules look through them; allow rules never name them. Where it is unknown whether an
//! option takes a value, both readings are followed. Programs that hand a command to another
//! machine or another process tree (`ssh`, `systemd-run`, `watch` …) are not looked through: they
//! have no table, so that somebody is asked.

/// How the inner command is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner {
    /// After options, assignments and this many operands.
    After(usize),
    /// After each of find's `-exec` and its kin, up to `;` or `+`.
    Find,
    /// Every operand is the text of a script.
    Script,
    /// All words together are the text of a script.
    Joined,
}

pub(crate) struct Wrapper {
    pub(crate) name: &'static str,
    pub(crate) inner: Inner,
    /// Options whose value is the next word; the rest may or may not have one.
    pub(crate) valued: &'static [&'static str],
    /// Options that have none.
    pub(crate) flags: &'static [&'static str],
}

const fn after(
    name: &'static str,
    operands: usize,
    valued: &'static [&'static str],
    flags: &'static [&'static str],
) -> Wrapper {
    Wrapper { name, inner: Inner::After(operands), valued, flags }
}

const fn shell(name: &'static str) -> Wrapper {
    Wrapper { name, inner: Inner::Script, valued: &[], flags: &[] }
}

const fn joined(name: &'static str) -> Wrapper {
    Wrapper { name, inner: Inner::Joined, valued: &[], flags: &[] }
}

const WRAPPERS: &[Wrapper] = &[
    after("env", 0, &["-u", "--unset", "-C", "--chdir", "-P"], &["-i", "-", "-0", "-v"]),
    after(
        "sudo",
        0,
        &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t", "-U", "--user", "--group"],
        &["-n", "-E", "-H", "-S", "-k", "-b", "-A", "-i", "-s", "-P", "-B", "-K", "-N"],
    ),
    after("doas", 0, &["-u", "-C", "-a"], &["-n", "-s", "-L"]),
    after("run0", 0, &[], &[]),
    after("pkexec", 0, &["--user"], &["--disable-internal-agent", "--keep-cwd"]),
    after("please", 0, &["-u"], &[]),
    after("nice", 0, &["-n", "--adjustment"], &[]),
    after("ionice", 0, &["-c", "-n", "--class", "--classdata"], &["-t"]),
    after("chrt", 1, &["-T", "-P", "-D"], &["-b", "-f", "-i", "-o", "-r", "-R", "-d", "-a", "-v"]),
    after("taskset", 1, &[], &["-a", "-c"]),
    after("numactl", 0, &["-m", "-N", "-C", "-p"], &["-l", "-s"]),
    after("nohup", 0, &[], &[]),
    after("setsid", 0, &[], &["-c", "-f", "-w"]),
    after("timeout", 1, &["-k", "-s", "--kill-after", "--signal"], &["-v", "-f", "-p"]),
    after("gtimeout", 1, &["-k", "-s"], &["-v"]),
    after("stdbuf", 0, &["-i", "-o", "-e", "--input", "--output", "--error"], &[]),
    after("unbuffer", 0, &[], &["-p"]),
    after("time", 0, &["-f", "-o", "--format", "--output"], &["-p", "-v", "-a", "-q"]),
    after("command", 0, &[], &["-p", "-v", "-V"]),
    after("builtin", 0, &[], &[]),
    after("exec", 0, &["-a"], &["-c", "-l"]),
    after("noglob", 0, &[], &[]),
    after("nocorrect", 0, &[], &[]),
    after("repeat", 1, &[], &[]),
    after("coproc", 0, &[], &[]),
    after("chroot", 1, &["--userspec", "--groups"], &["--skip-chdir"]),
    after("busybox", 0, &[], &[]),
    after("toybox", 0, &[], &[]),
    after(
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
    after("parallel", 0, &["-j", "-a", "-S", "-N", "-n", "-I", "--jobs"], &["-k", "-0", "-u"]),
    after("caffeinate", 0, &["-t", "-w"], &["-d", "-i", "-m", "-s", "-u"]),
    after("setarch", 1, &[], &[]),
    after("linux64", 0, &[], &[]),
    after("prlimit", 0, &[], &[]),
    after(
        "strace",
        0,
        &["-e", "-o", "-p", "-s", "-u", "-E", "-P"],
        &["-f", "-q", "-v", "-c", "-y"],
    ),
    after("ltrace", 0, &["-e", "-o", "-p", "-s", "-u"], &["-f", "-c", "-S"]),
    after("fakeroot", 0, &["-l", "-s", "-i", "-b"], &["--"]),
    after("faketime", 1, &[], &["-f", "-m"]),
    after("setpriv", 0, &["--reuid", "--regid"], &["--clear-groups"]),
    after("catchsegv", 0, &[], &[]),
    after("dbus-run-session", 0, &[], &["--"]),
    after("xvfb-run", 0, &["-n", "-s", "-e", "-f", "-p"], &["-a", "-l"]),
    Wrapper { name: "find", inner: Inner::Find, valued: &[], flags: &[] },
    joined("eval"),
    joined("iex"),
    joined("invoke-expression"),
    shell("trap"),
    shell("su"),
    shell("runuser"),
    shell("sg"),
];

pub(crate) fn of(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

/// Whether a rule about this program would be a rule about any command. `find` has a table.
pub(crate) fn is_wrapper(name: &str) -> bool {
    OTHERS.contains(&name) || of(name).is_some_and(|wrapper| wrapper.inner != Inner::Find)
}

/// Programs that run a command somewhere deny rules cannot follow it.
const OTHERS: &[&str] = &[
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

pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}
