//! Places whose content other programs execute without being asked, or that configure the agent.
//!
//! Not here: what runs only if somebody starts it (`Makefile`, `package.json`), and instructions for
//! agents.

use super::{PlaceGroup, guarded};

#[rustfmt::skip]
pub(super) const GROUPS: &[PlaceGroup] = &[
    guarded("repositories", "git and others run hooks, filters and helpers from here", &[
        ".git", "*.git/hooks", "*.git/config", ".gitconfig", ".gitconfig.*", ".config/git", "/etc/gitconfig",
        ".gitattributes", ".gitmodules", ".lfsconfig", ".hg", ".hgrc", ".jj",
    ]),
    guarded("hooks", "programs that manage hooks run what is listed here", &[
        ".husky", ".githooks", ".lefthook", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json",
        "lefthook-local.yml", ".lefthook.*", ".lefthook-local.*",
        ".pre-commit-config.yaml", ".pre-commit-config.yml", ".pre-commit-hooks.yaml", ".overcommit.yml",
        ".lintstagedrc", ".lintstagedrc.*", "lint-staged.config.*", ".simple-git-hooks.*", "simple-git-hooks.js",
        "simple-git-hooks.cjs",
    ]),
    guarded("Claude Code", "permissions, hooks, skills, commands and servers of the agent; its worktrees, instructions and plans are not guarded", &[
        ".claude", ".claude.json", ".claude-plugin", "/etc/claude-code", "Library/Application Support/ClaudeCode",
        "claude_desktop_config.json", ".mcp.json", "!.claude/worktrees", "!.claude/CLAUDE.md", "!.claude/rules",
        "!.claude/plans", "!.claude/todos",
    ]),
    guarded("Countersign", "the rules of a repository, which say what agents may do in it", &["countersign.yaml"]),
    guarded("other agents", "settings, hooks, skills and servers; their worktrees, rules and specifications are not guarded", &[
        ".codex", ".cursor", ".gemini", ".opencode", "opencode.json", "opencode.jsonc", ".config/opencode",
        ".goose", ".config/goose", ".windsurf", ".codeium", ".kiro", ".continue", ".cline*", ".roo*", ".aider*",
        ".qwen", ".factory", ".amazonq", ".augment", ".trae", ".crush.json", "crush.json", ".config/crush",
        ".config/amp", ".agents/skills", ".copilot", ".config/github-copilot", ".github/copilot*", ".github/agents",
        ".github/prompts", ".github/chatmodes", ".github/hooks", ".github/skills", "mcp_config.json",
        "!.codex/worktrees", "!.codex/AGENTS.md", "!.cursor/worktrees", "!.cursor/rules", "!.cursor/plans",
        "!.gemini/GEMINI.md", "!.windsurf/rules", "!.windsurfrules", "!.kiro/specs", "!.kiro/steering",
        "!.continue/rules", "!.clinerules", "!.clineignore", "!.roo/rules*", "!.roorules*", "!.rooignore",
        "!.aider.chat.history.md", "!.aider.input.history", "!.github/copilot-instructions.md",
    ]),
    guarded("editors", "editors read settings and run tasks when they open a folder", &[
        ".vscode", "!.vscode/cspell.json", "!.vscode/*.code-snippets", "!.vscode/*.md", "*.code-workspace", ".vscode-server", "Code/User", ".idea", ".fleet",
        ".zed", ".config/zed", ".helix", ".config/helix", ".vimrc", ".gvimrc", ".vim", ".exrc", ".nvimrc",
        ".nvim.lua", ".lvimrc", ".config/nvim", ".dir-locals.el", ".dir-locals-2.el", ".emacs", ".emacs.d",
        ".config/emacs", ".devcontainer", ".devcontainer.json", "devcontainer.json", ".gitpod.yml",
    ]),
    guarded("CI", "a build server runs it, often with secrets", &[
        ".github/workflows", ".github/actions", ".gitea/workflows", ".forgejo/workflows", ".gitlab-ci.yml",
        "*.gitlab-ci.yml", ".gitlab/ci", ".circleci", "Jenkinsfile", "Jenkinsfile.*", ".buildkite",
        "azure-pipelines*.yml", "azure-pipelines*.yaml", ".azure-pipelines", ".travis.yml", ".drone.yml",
        ".woodpecker*", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", ".teamcity",
        ".semaphore", "cloudbuild.yaml", "buildspec.yml", ".build.yml", ".builds", ".tekton",
    ]),
    guarded("shells", "shells and logins run these files when they start", &[
        ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zshrc",
        ".zshrc.local", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".config/zsh", ".oh-my-zsh", ".kshrc",
        ".cshrc", ".tcshrc", ".config/fish", ".config/nushell", ".config/powershell",
        "Microsoft.PowerShell_profile.ps1", ".xonshrc", ".inputrc", ".envrc", ".direnvrc", ".config/direnv",
        ".config/starship.toml", ".tmux.conf", ".config/tmux", ".screenrc", ".xprofile", ".xinitrc", ".xsession",
        ".xsessionrc", ".pam_environment", ".config/environment.d", "/etc/profile", "/etc/profile.d",
        "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshrc", "/etc/zshenv", "/etc/fish",
        "/etc/environment", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    ]),
    guarded("interpreters and debuggers", "they run these files when they start", &[
        "sitecustomize.py", "usercustomize.py", "site-packages/*.pth", "dist-packages/*.pth", ".ipython",
        ".jupyter", ".Rprofile", ".irbrc", ".pryrc", ".iex.exs", ".ghci", ".gdbinit", ".lldbinit", ".pdbrc",
        ".psqlrc", ".sqliterc", ".mongorc.js", ".mongoshrc.js",
    ]),
    guarded("schedules and services", "the system runs them later, or at every start", &[
        "/etc/crontab", "/etc/anacrontab", "/etc/cron.*", "/var/spool/cron", "/var/spool/at", "/etc/systemd",
        "/usr/lib/systemd", "/lib/systemd", "/run/systemd", ".config/systemd", ".local/share/systemd",
        "Library/LaunchAgents", "Library/LaunchDaemons", ".config/autostart", "/etc/xdg/autostart",
        "/etc/init.d", "/etc/rc.local", "/etc/udev/rules.d", ".local/share/dbus-1/services",
    ]),
    guarded("rights", "they say who may log in or act as somebody else", &[
        "/etc/sudoers", "/etc/sudoers.d", "/etc/pam.d", "/etc/polkit-1", ".ssh/authorized_keys*", ".ssh/rc",
        ".ssh/environment",
    ]),
    guarded("choice of programs", "they choose the program, the compiler or the runtime that a command starts", &[
        "rust-toolchain", "rust-toolchain.toml", ".cargo/config", ".cargo/config.toml", ".cargo/env",
        "mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml", ".config/mise", ".tool-versions", ".asdfrc",
        ".prototools", ".sdkmanrc", ".nvmrc", ".node-version", ".python-version", ".ruby-version",
        ".java-version", ".go-version", ".terraform-version", ".bazelversion", ".bazelrc", ".npmrc", ".yarnrc",
        ".yarnrc.yml", ".yarn/releases", ".yarn/plugins", ".pnpmfile.cjs", ".bundle/config", ".mvn",
        "gradle/wrapper",
    ]),
    guarded("settings that name programs", "they name helpers, pagers or proxies that a program starts", &[
        ".ssh/config*", ".gnupg/*.conf", ".aws/config", ".kube/config", ".docker/config.json",
        ".docker/cli-plugins", ".config/gh", ".curlrc", ".wgetrc", ".ripgreprc", ".config/containers",
    ]),
];
