//! Package managers of JavaScript with their own options in front, wherever they stand: the folder,
//! the packages of the workspace, and silence.
//!
//! `pnpm -C web --filter=api run build` is `pnpm --filter api build` in `web`.

/// A command without the options in front of its subcommand.
pub(super) struct PackageCommand {
    pub(super) argv: Vec<String>,
    /// The folder that an option names.
    pub(super) folder: Option<String>,
}

/// Options that only change what is printed, or in which order.
const QUIET: &[&str] = &["-s", "--silent", "--color", "--no-color", "--stream", "--if-present"];

/// Scripts that no package manager has a command of its own for, besides running them.
const SCRIPTS: &[&str] = &["test", "t", "build", "lint", "typecheck", "check", "format", "dev"];

/// `None` if nothing stands in front of the subcommand.
pub(super) fn order_package_command(argv: &[String]) -> Option<PackageCommand> {
    let (program, words) = argv.split_first()?;
    let folder_options: &[&str] = match program.as_str() {
        "npm" => &["--prefix", "-C"],
        "pnpm" => &["--dir", "-C"],
        "yarn" | "bun" => &["--cwd"],
        _ => return None,
    };
    let mut options = FrontOptions::default();
    let mut at = 0;
    while let Some(word) = words.get(at).map(String::as_str) {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word, None),
        };
        let value = || attached.clone().or_else(|| words.get(at + 1).cloned());
        let width = if attached.is_some() { 1 } else { 2 };
        if folder_options.contains(&name) && options.folder.is_none() {
            options.folder = Some(value()?);
            at += width;
        } else if program == "pnpm" && matches!(name, "--filter" | "-F") && options.filter.is_none()
        {
            options.filter = Some(name_package(&value()?)?);
            at += width;
        } else if program == "pnpm" && matches!(word, "-r" | "--recursive") {
            options.is_recursive = true;
            at += 1;
        } else if program == "pnpm" && matches!(word, "-w" | "--workspace-root") {
            options.is_root = true;
            at += 1;
        } else if QUIET.contains(&word) {
            options.is_quiet = true;
            at += 1;
        } else if word == "run" && !options.runs {
            options.runs = true;
            at += 1;
        } else {
            break;
        }
    }
    options.build(program, words.get(at..)?)
}

#[derive(Default)]
struct FrontOptions {
    folder: Option<String>,
    filter: Option<String>,
    is_recursive: bool,
    is_root: bool,
    is_quiet: bool,
    runs: bool,
}

impl FrontOptions {
    fn build(self, program: &str, rest: &[String]) -> Option<PackageCommand> {
        let is_plain = self.folder.is_none()
            && self.filter.is_none()
            && !(self.is_recursive || self.is_root || self.is_quiet);
        let script = rest.first()?.as_str();
        // `pnpm add` with a script of that name still adds a package.
        let is_script = self.runs || SCRIPTS.contains(&script);
        let needs_script = self.filter.is_some() || self.is_recursive || self.is_root;
        if is_plain || (needs_script && !is_script) || (self.is_root && self.is_recursive) {
            return None;
        }
        let front: Vec<&str> = match &self.filter {
            Some(filter) => vec!["--filter", filter],
            None if self.is_recursive => vec!["-r", "run"],
            None if self.is_root => vec!["-w", "run"],
            None if self.runs => vec!["run"],
            None => Vec::new(),
        };
        let words = std::iter::once(program).chain(front).map(str::to_owned);
        Some(PackageCommand {
            argv: words.chain(rest.iter().cloned()).collect(),
            folder: self.folder,
        })
    }
}

/// A package by its name; `./web/api` is the package in that folder.
fn name_package(filter: &str) -> Option<String> {
    let Some(folder) = filter.strip_prefix("./") else {
        return (!filter.starts_with(['.', '/', '-'])).then(|| filter.to_owned());
    };
    let is_inside = folder.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_inside.then(|| folder.replace('/', "-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(line: &str) -> Option<String> {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let found = order_package_command(&argv)?;
        let folder = found.folder.map_or(String::new(), |folder| format!(" in {folder}"));
        Some(format!("{}{folder}", found.argv.join(" ")))
    }

    #[test]
    fn options_in_front_of_a_subcommand_are_put_in_order() {
        for (line, expected) in [
            ("npm --prefix web test", "npm test in web"),
            ("npm -C web run build", "npm run build in web"),
            ("pnpm --filter=api run build", "pnpm --filter api build"),
            ("pnpm run --filter api test", "pnpm --filter api test"),
            ("pnpm --filter ./web/api build", "pnpm --filter web-api build"),
            ("pnpm -r --filter api build", "pnpm --filter api build"),
            ("pnpm -C web -s test", "pnpm test in web"),
            ("pnpm -w test", "pnpm -w run test"),
            ("pnpm -r run x", "pnpm -r run x"),
            ("yarn --cwd web lint", "yarn lint in web"),
            ("bun run --cwd web build", "bun run build in web"),
            ("bun --cwd=web test", "bun test in web"),
        ] {
            assert_eq!(order(line).as_deref(), Some(expected), "{line}");
        }
        for line in [
            "npm test",
            "pnpm run x",
            "pnpm -w add x",
            "pnpm --filter api add x",
            "pnpm --filter api exec sh",
            "pnpm --filter ../x test",
            "pnpm --filter ./../x test",
            "pnpm -r exec sh",
            "pnpm -r publish",
            "pnpm -C",
            "npm --prefix",
            "npm --script-shell x test",
            "yarn dlx x",
            "git -C x status",
        ] {
            let found = order(line);
            assert_eq!(found, None, "{line}");
        }
        // A second folder, and what is no such option, stays where it is: no table knows it.
        assert_eq!(order("npm -C a -C b test").as_deref(), Some("npm -C b test in a"));
        assert_eq!(order("npm -s --userconfig x test").as_deref(), Some("npm --userconfig x test"));
    }
}
