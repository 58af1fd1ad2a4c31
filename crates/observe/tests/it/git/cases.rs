//! Settings that name programs, each with a command that runs them.

pub struct Case {
    /// `PROGRAM` is the planted program, `FOLDER` its folder, `REMOTE` a repository on this machine.
    pub settings: &'static [(&'static str, &'static str)],
    pub line: &'static str,
    pub seen: Seen,
    pub executed: Executed,
}

/// Whether git runs the planted program in a test, without a terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    Always,
    /// Git reads this setting only there.
    FromHome,
    /// Not by every version.
    Sometimes,
    Never,
}

/// Whether the words that `countersign run` executes rule it out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Executed {
    WithoutIt,
    WithIt,
}

const fn ruled_out(settings: &'static [(&'static str, &'static str)], line: &'static str) -> Case {
    Case { settings, line, seen: Seen::Always, executed: Executed::WithoutIt }
}

/// A part of the result, or an option that git does not have.
const fn remaining(settings: &'static [(&'static str, &'static str)], line: &'static str) -> Case {
    Case { settings, line, seen: Seen::Always, executed: Executed::WithIt }
}

/// Runs only on a terminal, with another git, or under circumstances that a test does not have.
const fn unseen(settings: &'static [(&'static str, &'static str)], line: &'static str) -> Case {
    Case { settings, line, seen: Seen::Never, executed: Executed::WithoutIt }
}

pub const LINES: &[&str] = &[
    "git status",
    "git diff",
    "git log",
    "git log -p",
    "git show",
    "git blame a.one",
    "git grep x",
    "git add .",
    "git commit -m x",
    "git fetch",
    "git push origin main",
    "git pull --no-edit",
    "git remote show origin",
    "git worktree list",
    "git diff-tree -p HEAD",
    "git clean -n",
];

pub const CASES: &[Case] = &[
    ruled_out(&[("core.fsmonitor", "PROGRAM")], "git status"),
    ruled_out(&[("core.fsmonitor", "PROGRAM")], "git diff"),
    ruled_out(&[("core.fsmonitor", "PROGRAM")], "git ls-files"),
    ruled_out(&[("core.fsmonitor", "PROGRAM")], "git rev-parse :b.txt"),
    ruled_out(&[("core.hooksPath", "FOLDER")], "git commit -m x"),
    remaining(&[("filter.one.clean", "PROGRAM")], "git add ."),
    remaining(&[("filter.one.clean", "PROGRAM")], "git status"),
    remaining(&[("filter.one.clean", "PROGRAM")], "git diff"),
    remaining(&[("filter.one.smudge", "PROGRAM")], "git checkout -q -- a.one b.txt"),
    remaining(&[("filter.one.process", "PROGRAM")], "git add ."),
    ruled_out(&[("diff.external", "PROGRAM")], "git diff"),
    ruled_out(&[("diff.one.command", "PROGRAM")], "git diff"),
    ruled_out(&[("diff.one.textconv", "PROGRAM")], "git diff"),
    ruled_out(&[("diff.one.textconv", "PROGRAM")], "git log -p"),
    ruled_out(&[("diff.one.textconv", "PROGRAM")], "git blame a.one"),
    remaining(&[("merge.one.driver", "PROGRAM")], "git merge --no-edit other"),
    unseen(&[("blame.ignoreRevsFile", ".env")], "git blame a.one"),
    unseen(&[("core.pager", "PROGRAM")], "git log"),
    unseen(&[("pager.status", "PROGRAM")], "git status"),
    ruled_out(&[("core.editor", "PROGRAM")], "git commit -a"),
    ruled_out(&[("sequence.editor", "PROGRAM")], "git rebase -i HEAD~1"),
    remaining(&[("gpg.program", "PROGRAM"), ("commit.gpgSign", "true")], "git commit -m x"),
    remaining(&[("gpg.openpgp.program", "PROGRAM"), ("commit.gpgSign", "1")], "git commit -m x"),
    remaining(&[("gpg.program", "PROGRAM"), ("tag.gpgSign", "true")], "git tag -m x v2"),
    remaining(
        &[
            ("gpg.format", "ssh"),
            ("gpg.ssh.defaultKeyCommand", "PROGRAM"),
            ("commit.gpgSign", "true"),
        ],
        "git commit -m x",
    ),
    ruled_out(&[("gpg.program", "PROGRAM"), ("log.showSignature", "true")], "git log"),
    ruled_out(&[("gpg.program", "PROGRAM"), ("format.pretty", "%G?")], "git log"),
    ruled_out(
        &[("gpg.program", "PROGRAM"), ("format.pretty", "a"), ("pretty.a", "%GK")],
        "git log",
    ),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git fetch"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git push origin main"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git ls-remote origin"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git pull --no-edit"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git remote show origin"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git remote prune origin"),
    ruled_out(&[("core.sshCommand", "PROGRAM")], "git remote update"),
    remaining(&[("filter.one.smudge", "PROGRAM")], "git worktree add -q ../other other"),
    remaining(&[("diff.one.textconv", "PROGRAM")], "git diff-tree -p --textconv HEAD~1 HEAD"),
    ruled_out(&[("core.fsmonitor", "PROGRAM")], "git clean -n"),
    ruled_out(&[("core.gitProxy", "PROGRAM")], "git ls-remote git://127.0.0.1:1/x"),
    ruled_out(&[("credential.helper", "PROGRAM")], "git ls-remote http://127.0.0.1:PORT/x"),
    ruled_out(
        &[("credential.http://127.0.0.1:PORT.helper", "PROGRAM")],
        "git ls-remote http://127.0.0.1:PORT/x",
    ),
    ruled_out(&[("core.askPass", "PROGRAM")], "git ls-remote http://127.0.0.1:PORT/x"),
    ruled_out(
        &[("remote.near.url", "REMOTE"), ("remote.near.uploadpack", "PROGRAM")],
        "git fetch near",
    ),
    ruled_out(
        &[("remote.near.url", "REMOTE"), ("remote.near.receivepack", "PROGRAM")],
        "git push near main",
    ),
    remaining(&[("remote.origin.vcs", "planted")], "git fetch"),
    ruled_out(
        &[("url.ext::PROGRAM .insteadOf", "ssh://"), ("protocol.ext.allow", "always")],
        "git fetch",
    ),
    ruled_out(
        &[("branch.main.remote", "ext::PROGRAM x"), ("protocol.ext.allow", "always")],
        "git fetch",
    ),
    Case {
        settings: &[("remote.near.url", "REMOTE"), ("uploadpack.packObjectsHook", "PROGRAM")],
        line: "git fetch near",
        seen: Seen::FromHome,
        executed: Executed::WithIt,
    },
    Case {
        settings: &[
            ("interactive.diffFilter", "PROGRAM"),
            ("color.diff", "always"),
            ("color.ui", "always"),
            ("color.interactive", "always"),
        ],
        line: "git add -p",
        seen: Seen::Sometimes,
        executed: Executed::WithoutIt,
    },
    remaining(&[("difftool.x.cmd", "PROGRAM"), ("diff.tool", "x")], "git difftool -y"),
    remaining(&[("trailer.x.command", "PROGRAM")], "git commit -m x --trailer a=b"),
    remaining(&[("man.viewer", "x"), ("man.x.cmd", "PROGRAM")], "git help -m status"),
    remaining(&[("tar.x.command", "PROGRAM")], "git archive --format=x HEAD"),
    unseen(&[("gc.recentObjectsHook", "PROGRAM")], "git gc --quiet"),
    unseen(&[("alias.status", "!PROGRAM")], "git status"),
    unseen(&[("hook.x.command", "PROGRAM"), ("hook.x.event", "pre-commit")], "git commit -m x"),
    unseen(&[("diff.submodule", "log")], "git diff"),
    unseen(&[("status.submoduleSummary", "true")], "git status"),
    unseen(&[("submodule.x.update", "!PROGRAM")], "git submodule update"),
    unseen(&[("mergetool.x.cmd", "PROGRAM"), ("merge.tool", "x")], "git mergetool"),
    unseen(&[("browser.x.cmd", "PROGRAM"), ("web.browser", "x")], "git help -w nothing"),
    unseen(&[("sendemail.smtpServer", "PROGRAM")], "git send-email --dry-run x"),
    unseen(&[("init.templateDir", "FOLDER")], "git init -q new"),
    unseen(&[("http.proxy", "http://127.0.0.1:1")], "git fetch"),
    unseen(&[("http.https://x/.cookieFile", "x")], "git fetch"),
    unseen(&[("http.sslCAInfo", "x")], "git fetch"),
    unseen(&[("remote.origin.proxy", "http://127.0.0.1:1")], "git fetch"),
    unseen(&[("transfer.bundleURI", "true")], "git fetch"),
    unseen(&[("core.alternateRefsCommand", "PROGRAM")], "git fetch"),
    unseen(&[("push.gpgSign", "if-asked")], "git push origin main"),
    unseen(&[("trace2.eventTarget", "/dev/null")], "git version"),
    unseen(&[("core.worktree", "/")], "git log"),
];
