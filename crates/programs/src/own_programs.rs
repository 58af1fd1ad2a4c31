//! Programs that no table describes: which of them a yes covers beyond one line, and which words say that
//! something leaves the machine, is deleted, or is started.
//!
//! See docs/decisions/0099-heads-for-every-program.md.
//! See docs/decisions/0133-programs-of-ones-own.md.

/// Programs that start others (agents among them), reach other machines or databases, delete, or change
/// the system. Their first word says too little about what a line does.
const WITHOUT_HEAD: &str = "git jj hg svn cargo rustup npm pnpm yarn npx bunx pipx uv uvx poetry \
pdm hatch conda mamba pixi nix nix-shell guix devbox direnv mise asdf rtx corepack volta make ninja \
just task bazel buck2 pants meson cmake ctest rake bundle gem gradle mvn ant sbt dotnet swift \
xcodebuild go docker podman nerdctl buildah skopeo kubectl oc helm k9s k3s k3d kind minikube \
docker-compose podman-compose vagrant packer terraform tofu terragrunt pulumi ansible salt ssh scp \
sftp rsync mosh telnet nc ncat netcat socat ftp lftp curl wget http https xh aria2c lynx links w3m \
openssl gpg age psql mysql mariadb sqlite3 mongosh mongo redis-cli valkey-cli duckdb \
clickhouse-client cqlsh sqlcmd influx etcdctl pg_dump pg_restore dropdb createdb mysqldump aws \
gcloud gsutil bq az doctl heroku fly flyctl vercel netlify wrangler firebase supabase railway rclone \
s3cmd mc restic borg find fd xargs parallel tar unzip zip cpio dd rm rmdir unlink shred srm trash \
mv cp install ln chmod chown chgrp chattr setfacl truncate tee kill pkill killall systemctl service \
launchctl crontab at batch mount umount mkfs fdisk parted lvm zfs btrfs apt apt-get dpkg yum dnf \
rpm pacman apk brew snap flatpak port useradd usermod userdel passwd visudo su vim vi nvim emacs \
nano ed ex code tmux screen byobu zellij script expect gdb lldb strace ltrace perf osascript open \
xdg-open defaults iptables nft ip route ifconfig nmap tcpdump watch entr watchexec nodemon wsl \
claude codex gemini opencode cursor-agent copilot aider goose amp qwen crush countersign";

/// Other programs than these are named by what they belong to.
const STARTS_WITHOUT_HEAD: &[&str] = &["mkfs.", "git-", "docker-", "kubectl-", "cargo-"];

/// Whether no yes covers further words of a program, because it starts others, reaches other machines,
/// deletes, or changes the system.
pub fn has_no_head(program: &str) -> bool {
    let program = program.strip_suffix(".exe").unwrap_or(program);
    WITHOUT_HEAD.split(' ').any(|name| name == program)
        || STARTS_WITHOUT_HEAD.iter().any(|start| program.starts_with(start))
}

/// Long options that take no value in the programs which have them, so that the word behind them is the
/// subcommand.
const SWITCHES: &str = "--json --readonly --read-only --quiet --silent --verbose --debug --no-color \
--no-pager --no-input --no-interactive --non-interactive --plain --porcelain --dry-run --offline \
--local --version --help";

/// Whether a word in front of a subcommand is an option that takes no value.
pub fn is_switch(word: &str) -> bool {
    SWITCHES.split(' ').any(|switch| switch == word)
        || matches!(word, "-q" | "-v" | "-vv" | "-h" | "-V")
}

/// Words that say that something leaves the machine, cannot be taken back easily, changes who may do
/// what, or is started.
const HIGH_WORDS: &str = "push publish deploy release upload send post submit share sync email mail \
notify broadcast invite reply forward tweet delete del destroy drop purge prune wipe erase remove rm \
reset clear truncate nuke uninstall unlink kill terminate force overwrite login logout auth token \
secret secrets credential credentials password key keys exec execute eval shell sh bash ssh run \
spawn tunnel proxy expose apply approve grant revoke pay buy purchase transfer order charge refund \
install upgrade migrate rollback restore import daemon serve";

/// Whether a word of a command says so: as a whole, or as a part of an option or of the first word that
/// is none. Later words are names as well (`show remove-old-workers`).
pub fn leaves_or_deletes(words: &[String]) -> bool {
    // The description of a command is none of its deeds.
    if words.last().is_some_and(|last| last == "--help") {
        return false;
    }
    let first = words.iter().position(|word| !word.starts_with('-'));
    words.iter().enumerate().any(|(at, word)| {
        let name = word.split('=').next().filter(|_| word.starts_with('-'));
        match name.unwrap_or(word) {
            // A path says nothing about what is done.
            path if path.contains('/') => false,
            name if word.starts_with('-') || Some(at) == first => {
                name.split(['-', '_', ':', '.']).any(is_high)
            }
            name => is_high(name),
        }
    })
}

fn is_high(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    HIGH_WORDS.split_ascii_whitespace().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_word_that_leaves_or_deletes_is_found_wherever_it_stands() {
        for line in [
            "push",
            "dolt push",
            "list --delete",
            "pages --force",
            "cache-clear",
            "db:migrate",
            "send a hello",
            "remote-exec x",
        ] {
            assert!(leaves_or_deletes(&split_words(line)), "{line}");
        }
        for line in [
            "list --json",
            "status",
            "capture x -n 180",
            "show a/push.md",
            "show remove-old",
            "pushed",
            "push --help",
        ] {
            assert!(!leaves_or_deletes(&split_words(line)), "{line}");
        }
    }

    #[test]
    fn what_starts_or_reaches_others_has_no_head() {
        for program in
            ["ssh", "git-lfs", "mkfs.ext4", "cargo-binstall", "rm", "psql", "wsl.exe", "claude"]
        {
            assert!(has_no_head(program), "{program}");
        }
        for program in ["bd", "workmux", "openspec", "gitx"] {
            assert!(!has_no_head(program), "{program}");
        }
    }
}
