//! Heads of programs without an option table: the program and its first word.
//!
//! Every developer has tools of their own, and tables will never name them all. What the further
//! words mean is unknown, so a yes reaches only to words that cannot lead elsewhere: no other program,
//! no host, no path outside of the workspace.
//!
//! See docs/decisions/0099-heads-for-every-program.md.

use crate::breadth::always_runs_workspace_code;
use crate::command_place::CommandPlace;
use crate::context::ProgramFile;
use crate::limits::MAX_OPEN_HEAD_WORDS;
use crate::option_tables;
use crate::subject::{can_run_other_programs, explain_untrusted_program};

/// Programs that start others, reach other machines or databases, delete, or change the system. Their
/// first word says too little about what a line does.
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
xdg-open defaults iptables nft ip route ifconfig nmap tcpdump watch entr watchexec nodemon \
countersign";

/// The head of a command whose program has no table, if a yes may cover further words.
pub(crate) fn find_open_head(
    argv: &[String],
    program_file: &ProgramFile,
    place: &CommandPlace,
) -> Option<Vec<String>> {
    let [program, first, further @ ..] = argv else { return None };
    let is_named = option_tables::find_table(argv).is_some() || is_without_head(program);
    if is_named || !is_plain_word(first) || further.len() > MAX_OPEN_HEAD_WORDS {
        return None;
    }
    let is_fixed = match program_file {
        ProgramFile::Protected { .. } => true,
        ProgramFile::Replaceable { files, .. } => files.iter().all(|file| file.hash.is_ok()),
        ProgramFile::Unknown | ProgramFile::Absent { .. } | ProgramFile::NotFound { .. } => false,
    };
    let is_trusted = explain_untrusted_program(program, program_file, place.context).is_none();
    let stays = argv.iter().skip(1).all(|word| stays_here(word, place));
    (is_fixed && is_trusted && stays).then(|| vec![program.clone(), first.clone()])
}

fn is_without_head(program: &str) -> bool {
    program.contains('/')
        || can_run_other_programs(program)
        || always_runs_workspace_code(program)
        || WITHOUT_HEAD.split(' ').any(|name| name == program)
        || ["mkfs.", "git-", "docker-", "kubectl-", "cargo-"]
            .iter()
            .any(|start| program.starts_with(start))
}

fn is_plain_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

/// Whether a word cannot lead to another program, another machine or a path that is not inside.
fn stays_here(word: &str, place: &CommandPlace) -> bool {
    if word == "--" {
        return false;
    }
    match word.starts_with('-').then(|| word.split_once('=')) {
        // An option alone. With a slash, a path may be attached to it.
        Some(None) => !word.contains(['/', '~', ':', '@']),
        Some(Some((_, value))) => value.is_empty() || is_local_value(value, place),
        None => is_local_value(word, place),
    }
}

fn is_local_value(word: &str, place: &CommandPlace) -> bool {
    !is_remote(word)
        && !word.starts_with('~')
        && !names_program(word, place)
        && place.find_inside(word).is_some()
}

/// A URL, `user@host` or `host:path`. Behind the colon of a sentence stands a blank.
fn is_remote(word: &str) -> bool {
    let is_location = word.split_once(':').is_some_and(|(before, after)| {
        !before.contains(char::is_whitespace) && !after.starts_with(char::is_whitespace)
    });
    let has_user = !word.contains(char::is_whitespace) && word.contains('@');
    word.contains("://") || is_location || has_user
}

fn names_program(word: &str, place: &CommandPlace) -> bool {
    let is_name = !word.is_empty() && !word.contains(['/', ' ', '\n']);
    is_name
        && place.folders.known.iter().any(|folder| {
            let found = place.context.disk.find_program(word, Some(folder));
            !matches!(found, ProgramFile::Absent { .. })
        })
}
