//! Generates lines of the kinds that agents write. Most are accepted, many are not.

/// A small deterministic generator, so that failures are reproducible.
pub struct LineGenerator {
    state: u64,
    /// The number of the next command, by which its record is found.
    pub next_mark: usize,
    /// The line sets the variable `v`.
    sets_variable: bool,
    /// In how many groups the next command is.
    depth: usize,
}

const WORDS: &[&str] = &[
    "a",
    "b.txt",
    "src",
    "src/a.rs",
    "./src",
    "x=y",
    "=",
    "===",
    "'=x'",
    "\"== a ==\"",
    "a=b=c",
    "--color=never",
    "'a b'",
    "\"a b\"",
    "''",
    "'$x'",
    "\"\\$x\"",
    "\"a\\\"b\"",
    "\"\\\\\"",
    "'\\'",
    "'*'",
    "\"*\"",
    "'a\nb'",
    "\"a\nb\"",
    "a#b",
    "'#'",
    "HEAD~1",
    "%1",
    "@",
    "+x",
    ",",
    ":",
    "'größe'",
    "\"'\"",
    "'\"'",
    "'|'",
    "';'",
    "'&&'",
    ".",
    "'~'",
    "a'b'\"c\"",
    "\"\\n\"",
    "'!'",
    "'<<EOF'",
    "\"#\"",
    "'cd'",
    "'>'",
    "2",
    "'2>'",
    "é",
    "\\ ",
    "a\\ b",
    "\\(",
    "\\)",
    "\\;",
    "\\!",
    "!",
    "\\$x",
    "\\\"",
    "\\*",
    "\\\\",
    "\\#",
    "\\~",
    "\\{a,b\\}",
    "a\\\nb",
    "\"a\\\nb\"",
    "a\\;b",
    "\\n",
    "$x",
    "`id`",
    "{a,b}",
    "[a]",
    "=x",
    "!",
    "~",
    "^",
];

const STATUSES: &[&str] = &["$?", "\"$?\"", "\"exit: $?, ${PIPESTATUS[0]}\"", "x$?y"];

const VARIABLE_USES: &[&str] = &["$v", "\"$v\"", "src/$v.x", "\"${v}: x\"", "${v}", "\"$v:h\""];

const LISTS: &[&str] = &[
    "1 2 3",
    "1",
    "a.txt 'b.txt' \\\n c",
    "src/*.rs",
    "./*.txt",
    "missing/*.rs",
    "./*.txt src/?.rs",
];

/// Lists that are not accepted, or not with every body.
const HARD_LISTS: &[&str] = &["'c d' e", "$x", "{1..3}", "", "* x", "\"\" a"];

const BODIES: &[&str] = &[
    "echo mA \"$f\"",
    "cat mA $f",
    "grep -n mA -- \"${f}\"",
    "echo mA \"$f\" $?",
    "head mA \"$f\" | wc mB; ls mC",
    "cat mA $f && echo mB || ls mC $f",
    "cat mA \"$f\" 2>/dev/null",
    "echo mA x$f.y \"<$f>\"",
];

const HARD_BODIES: &[&str] = &["echo mA $f > out/x", "cd src", "echo mA $g", "$f mA", "f=1; ls mA"];

/// What stands in front of a group, between its parts, and behind it.
const GROUPS: &[(&str, &str, &str)] = &[
    ("(", "; ", ")"),
    ("( ", " && ", " )"),
    ("(", "\n", "\n)"),
    ("{ ", "; ", "; }"),
    ("{ ", " || ", "\n}"),
    ("if ", "; then ", "; fi"),
    ("if ", "\nthen # it's\n  ", "\nfi 2>&1"),
    ("if ! ", "; then ", "; fi"),
    ("! ", " | ", ""),
    ("(", "; if ", "; then ls; fi)"),
    ("{ ", " }", "; }"),
];

const NAMED_FOLDERS: &[&str] = &[
    "~",
    "~/a.rs",
    "\"$HOME\"",
    "$HOME/deep",
    "${HOME}/a.rs",
    "$PWD",
    "\"$(pwd)/x\"",
    "$(pwd)",
    "~root",
    "x$PWD",
    "$PWD$PWD",
    "$OLDPWD",
    "$HOME\\\nx",
];

const PATTERNS: &[&str] = &[
    "src/*.rs",
    "./*.txt",
    "./*",
    "src/?.rs",
    "src/*",
    "./s*/a.rs",
    "./*/a.rs",
    "-- *.txt",
    "-- *",
    "*.txt",
    "src/*.none",
    "missing/*.rs",
    "src/*/x.none",
    "src/*/..",
    "src/deep/../*.rs",
    "links/in/../*.txt",
    "links/in/*.rs",
    "./.h*",
    "./.*",
    "links/*",
    "dashes/*",
    "./d*/*",
];

const FOLDERS: &[&str] = &[
    "src",
    "./src",
    "src/deep",
    "deep",
    "..",
    "../src",
    "dashes",
    "links/in",
    "links/out",
    "missing",
    "ROOT/src",
    "ROOT",
    "a.txt",
    "src/../dashes",
    "links/in/..",
    ".",
];

const TEXTS: &[&str] = &[
    "",
    "x",
    "it's",
    "$(id) `id`",
    "E",
    "EOF ",
    " EOF",
    "# no comment",
    "a\n\nb",
    "(x) y",
    "\\n\\",
    "\"q\"",
    "1) x",
    "\ttab",
    "<<'EOF'",
    "; ls",
    "!x",
    "trailing\n\n",
    // A reader that ends the document here goes on with a command that it accepts.
    "EOF \nls <<'EOF'",
    " EOF\nls <<'EOF'",
    "EOF\t\nls <<'EOF'",
];

const COMMENTS: &[&str] = &[" # it's", " # \"x", "#x", " # $(id) `", " #", " # cat <<'EOF'"];

impl LineGenerator {
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, next_mark: 0, sets_variable: false, depth: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap() % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn next_line(&mut self) -> String {
        let mut line = String::new();
        if self.chance(10) {
            line.push_str("# Let's look\n");
        }
        self.sets_variable = self.chance(25);
        if self.sets_variable {
            let value = self.pick(&["1", "a.txt", "a", "'a'", "'b'", "c", "'a b'", "*"]);
            let join = self.pick(&["; ", "\n", " && ", ";", "; ", " || "]);
            line.push_str(&format!("v={value}{join}"));
        }
        // Texts of here-documents that follow the next line end.
        let mut pending = String::new();
        let count = 1 + self.below(4);
        for index in 0..count {
            let (command, documents) = self.next_command();
            line.push_str(&command);
            pending.push_str(&documents);
            let is_last = index + 1 == count;
            let join = match is_last {
                true => ["", "\n", " ;"][self.below(3)],
                false => [" && ", " && ", "; ", " | ", " || ", "\n", " &&\n", "&&"][self.below(8)],
            };
            if join.contains('\n') && !join.contains('&') && self.chance(15) {
                line.push_str(self.pick(COMMENTS));
            }
            line.push_str(join);
            if join.ends_with('\n') {
                line.push_str(&std::mem::take(&mut pending));
            }
        }
        if !pending.is_empty() {
            line.push('\n');
            line.push_str(&pending);
        } else if self.chance(10) && !line.ends_with('\n') {
            line.push_str(self.pick(COMMENTS));
        }
        line
    }

    /// A command, and the text of its here-document.
    fn next_command(&mut self) -> (String, String) {
        if self.depth < 3 && self.chance(12) {
            return (self.next_group(), String::new());
        }
        if self.chance(18) {
            let folder = self.pick(FOLDERS);
            return (format!("cd {folder}"), String::new());
        }
        if self.chance(10) {
            return (self.next_loop(), String::new());
        }
        if self.sets_variable && self.chance(8) {
            return (
                self.pick(&["v=b", "v='c'", "PATH=x", "v=a w=b", "v=$PWD", "v=~/deep"]).to_owned(),
                String::new(),
            );
        }
        let mut command = String::new();
        if self.chance(12) {
            let value = ["1", "'a b'", "", "\"x\"", "a=b", "$x"][self.below(6)];
            command.push_str(&format!("{}={value} ", ["VA", "VB", "PATH"][self.below(3)]));
        }
        if self.chance(10) {
            let wrapper =
                ["timeout 5", "timeout -k 1 2s", "nice", "nice -n 5", "env VA=2", "env PATH=x"];
            command.push_str(&format!("{} ", wrapper[self.below(6)]));
        }
        if self.chance(10) {
            command.push_str(&self.next_test());
            return (command, String::new());
        }
        let program = self.pick(&["cat", "echo", "grep", "'wc'", "l\"s\"", "head", "echo"]);
        command.push_str(program);
        command.push_str(&format!(" m{}", self.next_mark));
        let mark = self.next_mark;
        self.next_mark += 1;
        for _ in 0..self.below(4) {
            let word = match self.below(10) {
                0 | 1 => self.pick(PATTERNS).to_owned(),
                2 if self.chance(50) => self.pick(NAMED_FOLDERS).to_owned(),
                2 => self.next_cat_document(),
                3 if program == "echo" => self.pick(STATUSES).to_owned(),
                3..=7 if self.sets_variable => self.pick(VARIABLE_USES).to_owned(),
                _ => self.pick(WORDS).to_owned(),
            };
            command.push_str([" ", "  ", "\t", " ", " \\\n  ", "\\\n "][self.below(6)]);
            command.push_str(&word);
        }
        for _ in 0..self.below(3) {
            let redirection = match self.below(8) {
                0 => " 2>&1".to_owned(),
                1 => " >/dev/null".to_owned(),
                2 => " 2> /dev/null".to_owned(),
                3 => format!(" > out/f{mark}"),
                4 => format!(" >>'out/g{mark}'"),
                5 => format!(" 2>out/h{mark}"),
                6 => format!(" 2>> ROOT/out/i{mark}"),
                _ => " <a.txt".to_owned(),
            };
            if self.chance(40) {
                command.push_str(&redirection);
            }
        }
        if self.chance(15) {
            let text = self.next_text();
            let delimiter = self.pick(&["'EOF'", "\"EOF\"", " 'EOF'", "EOF", "'EOF '"]);
            command.push_str(&format!(" <<{delimiter}"));
            return (command, format!("{text}EOF\n"));
        }
        (command, String::new())
    }

    /// Two commands in a group. One with a here-document is left out.
    fn next_group(&mut self) -> String {
        self.depth += 1;
        let (open, middle, close) = GROUPS[self.below(GROUPS.len())];
        let mut commands = [self.next_command(), self.next_command()];
        for (command, documents) in &mut commands {
            if !documents.is_empty() {
                *command = "ls".to_owned();
            }
        }
        self.depth -= 1;
        let [(first, _), (second, _)] = commands;
        let branch = if open.starts_with("if") && self.chance(30) { "; else ls src" } else { "" };
        format!("{open}{first}{middle}{second}{branch}{close}")
    }

    fn next_loop(&mut self) -> String {
        let mark = self.next_mark;
        self.next_mark += 3;
        let name = if self.chance(6) { "path" } else { "f" };
        let list = if self.chance(15) { self.pick(HARD_LISTS) } else { self.pick(LISTS) };
        let body = if self.chance(15) { self.pick(HARD_BODIES) } else { self.pick(BODIES) };
        let numbered = ["mA", "mB", "mC"]
            .iter()
            .zip(mark..)
            .fold(body.to_owned(), |body, (name, mark)| body.replace(name, &format!("m{mark}")));
        let open = self.pick(&["; do ", "\ndo\n  ", " ; do # each\n"]);
        let close = self.pick(&["; done", "\ndone", " # it's\ndone 2>&1"]);
        format!("for {name} in {list}{open}{numbered}{close}")
    }

    fn next_test(&mut self) -> String {
        let mark = self.next_mark;
        self.next_mark += 1;
        let expression = self.pick(&[
            "-f src/a.rs -a",
            "! -d src -o",
            "-e src/*.rs -o",
            "$? -eq 0 -a",
            "\"$?\" -ne 0 -o",
            "-z '' -o",
            "a = b -o",
            "a != 'b c' \\\n -a",
            "-f ../x -a",
            "\\( a \\) -a",
            "",
        ]);
        match self.below(3) {
            0 => format!("test {expression} m{mark}"),
            1 => format!("[ {expression} -n m{mark} ]"),
            _ => format!("[ {expression} m{mark} = 'm' ]"),
        }
    }

    fn next_text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.below(4) {
            text.push_str(self.pick(TEXTS));
            text.push('\n');
        }
        text
    }

    fn next_cat_document(&mut self) -> String {
        let text = self.next_text();
        let end = ["\n)", "\n)", "\n  )", ")", "\n; id)"][self.below(5)];
        let front = ["", "", "-m", "x="][self.below(4)];
        format!("{front}\"$(cat <<'EOF'\n{text}EOF{end}\"")
    }
}
