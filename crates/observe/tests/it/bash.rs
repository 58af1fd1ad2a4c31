//! Lets bash run lines with recorders in place of the programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What bash gave a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BashRecord {
    pub folder: String,
    pub variables: [String; 2],
    pub input: String,
    pub argv: Vec<String>,
}

/// Functions in place of the programs. The second word of a command is its mark. `cat` without one
/// is the `cat` of a substitution.
const RECORDERS: &str = r#"
# The next command of a pipe may not read what this one prints.
trap '' PIPE
record() {
  local name=$1 mark= word input=
  for word in "$@"; do case $word in m[0-9]*) mark=$word; break;; esac; done
  if [[ -z $mark ]]; then
    while IFS= read -r word; do printf '%s\n' "$word"; done
    return 0
  fi
  IFS= read -r -d '' input || true
  # A loop runs a command several times.
  local count=0
  while [[ -e $RECORDS/$mark.$count ]]; do count=$((count + 1)); done
  printf '%s\0' "$mark" "$PWD" "${VA-}" "${VB-}" "$input" "$@" >"$RECORDS/$mark.$count"
  printf 'O\n' 2>/dev/null
  printf 'E\n' >&2 2>/dev/null
  return "$STATUS"
}
for program in cat echo grep wc ls head timeout nice env test '['; do
  eval "function $program { record '$program' \"\$@\"; }"
done
"#;

/// Runs all lines in `folder` and returns the records by their marks. `status` is what each command
/// returns.
pub fn run_lines(lines: &[String], folder: &Path, status: u8) -> BTreeMap<String, Vec<BashRecord>> {
    let mut script = format!("STATUS={status}\n{RECORDERS}");
    for line in lines {
        script.push_str(&format!("cd '{}'\n{line}\n", folder.display()));
    }
    let script_file = folder.with_extension(format!("sh{status}"));
    // Each record has a file of its own: the commands of a pipe write at the same time.
    let records = folder.with_extension(format!("records{status}"));
    fs::create_dir(&records).unwrap();
    fs::write(&script_file, script).unwrap();
    let output = Command::new("bash")
        .args(["--norc", "--noprofile"])
        .arg(&script_file)
        .env_clear()
        .env("RECORDS", &records)
        .env("HOME", folder.join("src"))
        .env("LC_ALL", "C.UTF-8")
        .env("LC_COLLATE", "C")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<_> = errors.lines().filter(|line| *line != "E").collect();
    assert!(complaints.is_empty(), "bash complains: {complaints:?}");
    let read = |entry: std::io::Result<fs::DirEntry>| {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let words = text.strip_suffix('\0').unwrap().split('\0');
        parse_record(&words.map(str::to_owned).collect::<Vec<_>>())
    };
    let mut found: BTreeMap<String, Vec<BashRecord>> = BTreeMap::new();
    for (mark, record) in fs::read_dir(&records).unwrap().map(read) {
        found.entry(mark).or_default().push(record);
    }
    found
}

fn parse_record(words: &[String]) -> (String, BashRecord) {
    let [mark, folder, first, second, input, argv @ ..] = words else { panic!("{words:?}") };
    let record = BashRecord {
        folder: fs::canonicalize(folder).unwrap().to_str().unwrap().to_owned(),
        variables: [first.clone(), second.clone()],
        input: input.clone(),
        argv: argv.to_vec(),
    };
    (mark.clone(), record)
}
