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
record() {
  local name=$1 mark= word input=
  for word in "$@"; do case $word in m[0-9]*) mark=$word; break;; esac; done
  if [ -z "$mark" ]; then
    while IFS= read -r word; do printf '%s\n' "$word"; done
    return 0
  fi
  IFS= read -r -d '' input || true
  printf '%s\0' "$mark" "$PWD" "${VA-}" "${VB-}" "$input" "$@" $'\001' >&9
  printf 'O\n'
  printf 'E\n' >&2
  return "$STATUS"
}
for program in cat echo grep wc ls head timeout nice env; do
  eval "$program() { record $program \"\$@\"; }"
done
"#;

/// Runs all lines in `folder` and returns the records by their marks. `status` is what each command
/// returns.
pub fn run_lines(lines: &[String], folder: &Path, status: u8) -> BTreeMap<String, BashRecord> {
    let mut script = format!("STATUS={status}\n{RECORDERS}");
    for line in lines {
        script.push_str(&format!("cd '{}'\n{line}\n", folder.display()));
    }
    let script_file = folder.with_extension(format!("sh{status}"));
    let record_file = folder.with_extension(format!("records{status}"));
    fs::write(&script_file, script).unwrap();
    let script = format!(". '{}' 9>>'{}'", script_file.display(), record_file.display());
    let output = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .env_clear()
        .env("LC_ALL", "C.UTF-8")
        .env("LC_COLLATE", "C")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let complaints: Vec<_> = errors.lines().filter(|line| *line != "E").collect();
    assert!(complaints.is_empty(), "bash complains: {complaints:?}");
    let text = fs::read_to_string(&record_file).unwrap();
    let words: Vec<String> = text.split('\0').map(str::to_owned).collect();
    let records = words.split(|word| word == "\u{1}").filter(|words| words.len() > 5);
    records.map(parse_record).collect()
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
