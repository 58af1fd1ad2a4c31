//! The client libraries, each with the tools of its own language: types, tests on a running daemon,
//! and the packages in an empty environment.
//!
//! Tools and packages lie below `target/sdk`, by name and version; the ordinary clients install them.

use crate::external::options::SuiteOptions;
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::options::parse_options;
use crate::process::{can_run, cargo, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the Python library is checked, packed and shown with.
const PYTHON_TOOLS: [&str; 5] =
    ["mypy==1.19.0", "setuptools==80.9.0", "wheel==0.45.1", "build==1.3.0", "flask==3.1.2"];
/// The examples that need nothing but the library.
const PLAIN_EXAMPLES: &str = "task_manager,daily_briefing,checkout,publish";

/// Everything about one library.
type LibraryCheck = fn(&SdkFolders) -> Result<(), Failure>;

struct SdkFolders {
    root: PathBuf,
    work: PathBuf,
    program: PathBuf,
}

/// The frameworks whose adapters are tried.
const FRAMEWORKS: [&str; 6] = [
    "mypy==1.19.0",
    "langchain==1.4.7",
    "langgraph==1.2.22",
    "openai-agents==0.24.0",
    "pydantic-ai-slim==2.66.0",
    "fastmcp==4.1.2",
];

/// The step of `ci`.
pub fn step(root: &Path) -> CiResult {
    run_with_options(root, &[])
}

pub fn run_with_options(root: &Path, words: &[&str]) -> CiResult {
    let options: SuiteOptions = parse_options(words)?;
    let folders = SdkFolders::open(root, &options)?;
    let parts: [(&str, LibraryCheck); 3] = [
        ("python", SdkFolders::check_python),
        ("typescript", SdkFolders::check_typescript),
        ("rust", SdkFolders::check_rust),
    ];
    let mut tried = 0;
    for (name, check) in parts {
        if options.only.as_deref().is_none_or(|only| only == name) {
            check(&folders)?;
            tried += 1;
        }
    }
    match tried {
        0 => Err(Failure::new("`--only` takes python, typescript or rust")),
        _ => Ok(Done::new(format!("{tried} libraries do what they say, also from their packages"))),
    }
}

/// The adapters with the real frameworks, and a model that follows a script.
pub fn try_frameworks(root: &Path, words: &[&str]) -> CiResult {
    let folders = SdkFolders::open(root, &parse_options(words)?)?;
    let venv = folders.python_tools("frameworks", &FRAMEWORKS)?;
    let mut types = Command::new(venv.join("bin/mypy"));
    types
        .args(["--strict", "--config-file=", "--cache-dir"])
        .arg(folders.work.join("mypy-frameworks"));
    types.args(["--follow-imports=silent", "countersign/integrations"]);
    run(types.current_dir(root.join("sdk/python")))?;
    let python = venv.join("bin/python");
    run(folders.python_tests(&python).args(["discover", "-t", ".", "-s", "tests_frameworks"]))?;
    Ok(Done::new("every adapter blocks, asks, waits and passes on what the operator says"))
}

impl SdkFolders {
    fn open(root: &Path, options: &SuiteOptions) -> Result<Self, Failure> {
        let work = root.join("target/sdk");
        fs::create_dir_all(&work).map_err(|error| Failure::new(format!("target/sdk: {error}")))?;
        let program = options.find_program(root)?;
        Ok(Self { root: root.to_owned(), work, program })
    }

    fn check_rust(&self) -> Result<(), Failure> {
        let words = ["run", "--quiet", "--package", "countersign-sdk", "--example", "scenarios"];
        run(cargo(&self.root, &words).env("COUNTERSIGN_BINARY", &self.program))
    }

    fn check_python(&self) -> Result<(), Failure> {
        let venv = self.python_tools("venv", &PYTHON_TOOLS)?;
        for library in ["sdk/python", "sdk/python-operator"] {
            let mut types = Command::new(venv.join("bin/mypy"));
            types.env("MYPYPATH", self.root.join("sdk/python"));
            run(types.current_dir(self.root.join(library)))?;
        }
        let python = venv.join("bin/python");
        run(self.python_tests(&python).args(["discover", "-t", ".", "-s", "tests"]))?;
        self.check_python_packages(&python)
    }

    /// The tests, with the libraries as they stand here.
    fn python_tests(&self, python: &Path) -> Command {
        let mut command = Command::new(python);
        let library = self.root.join("sdk/python");
        let both =
            format!("{}:{}", library.display(), self.root.join("sdk/python-operator").display());
        command.args(["-W", "ignore", "-m", "unittest"]).current_dir(library);
        command.env("PYTHONPATH", both).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("COUNTERSIGN_BINARY", &self.program);
        command
    }

    /// Source and wheel are built from a copy, and installed where nothing else is.
    fn check_python_packages(&self, python: &Path) -> Result<(), Failure> {
        let (copy, packed) = (self.work.join("source"), self.work.join("dist"));
        for folder in [&copy, &packed] {
            // A folder that is not there needs no removal.
            let _absent = fs::remove_dir_all(folder);
        }
        run(Command::new("cp").arg("-r").arg(self.root.join("sdk")).arg(&copy))?;
        for library in ["python", "python-operator"] {
            let mut build = Command::new(python);
            build.args(["-m", "build", "--no-isolation", "--outdir"]).arg(&packed);
            run(build.arg(copy.join(library)).env("PIP_QUIET", "1"))?;
        }
        let empty = self.work.join("empty");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&empty))?;
        let mut install = Command::new(empty.join("bin/pip"));
        install.args(["install", "--quiet", "--no-index", "--find-links"]).arg(&packed);
        run(install.arg("countersign-operator"))?;
        let mut examples = self.python_tests(python);
        examples
            .env("COUNTERSIGN_PYTHON", empty.join("bin/python"))
            .env("COUNTERSIGN_EXAMPLES", PLAIN_EXAMPLES);
        run(examples.arg("tests.test_examples"))
    }

    /// A folder of its own, anew if another list of tools made it.
    fn python_tools(&self, name: &str, tools: &[&str]) -> Result<PathBuf, Failure> {
        let venv = self.work.join(name);
        let (mark, wanted) = (venv.join("tools"), tools.join("\n"));
        if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
            return Ok(venv);
        }
        installed::ensure_package("python3-venv", || {
            can_run(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        })?;
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let mut install = Command::new(venv.join("bin/pip"));
        run(install.args(["install", "--quiet"]).args(tools))?;
        fs::write(&mark, wanted).map_err(|error| Failure::new(error.to_string()))?;
        Ok(venv)
    }

    fn check_typescript(&self) -> Result<(), Failure> {
        let library = self.root.join("sdk/typescript");
        let node = self.work.join("node");
        let written = fs::create_dir_all(&node)
            .and_then(|()| fs::copy(library.join("package.json"), node.join("package.json")));
        written.map_err(|error| Failure::new(format!("{}: {error}", node.display())))?;
        run(npm(&node).arg("install"))?;
        let compiler = node.join("node_modules/.bin/tsc");
        run(Command::new(&compiler).current_dir(&library).args(["-p", "tsconfig.test.json"]))?;
        let compiled = self.work.join("typescript");
        let copied = fs::copy(library.join("package.json"), compiled.join("package.json"));
        copied.map_err(|error| Failure::new(format!("{}: {error}", compiled.display())))?;
        let tests =
            ["calls", "arguments", "vectors", "wire"].map(|name| format!("test/{name}.test.js"));
        let mut command = Command::new("node");
        command.arg("--test").args(tests).current_dir(&compiled);
        command
            .env("COUNTERSIGN_BINARY", &self.program)
            .env("COUNTERSIGN_SDK", self.root.join("sdk"));
        run(&mut command)?;
        self.check_npm_package(&compiler)
    }

    fn check_npm_package(&self, compiler: &Path) -> Result<(), Failure> {
        let (copy, empty) = (self.work.join("source/typescript"), self.work.join("empty-node"));
        let types = self.work.join("node/node_modules/@types");
        let mut build = Command::new(compiler);
        run(build.args(["-p", "tsconfig.json", "--typeRoots"]).arg(types).current_dir(&copy))?;
        run(npm(&copy).args(["pack", "--pack-destination"]).arg(self.work.join("dist")))?;
        // A folder that is not there needs no removal.
        let _absent = fs::remove_dir_all(&empty);
        let made = fs::create_dir_all(&empty)
            .and_then(|()| fs::write(empty.join("package.json"), "{\"type\": \"module\"}\n"));
        made.map_err(|error| Failure::new(format!("{}: {error}", empty.display())))?;
        run(npm(&empty)
            .args(["install", "--offline"])
            .arg(self.work.join("dist/countersign-0.1.0.tgz")))?;
        let script =
            "const { Unavailable, configure, requiresConsent } = await import('countersign');
            configure({ socket: '/nonexistent' });
            const gated = requiresConsent({ action: 'tasks.list', name: 'list' }, () => 1);
            const error = await gated().catch((error) => error);
            if (!(error instanceof Unavailable)) throw error;";
        run(Command::new("node").args(["--input-type=module", "-e", script]).current_dir(&empty))
    }
}

fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command.args(["--silent", "--no-audit", "--no-fund"]).current_dir(folder);
    command
}
