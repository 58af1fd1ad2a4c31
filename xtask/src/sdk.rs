//! The client libraries, each with the tools of its own language: types, tests on a running daemon,
//! and the packages in an empty environment.
//!
//! Tools and packages lie below `target/sdk`, by name and version; the ordinary clients install them.

use crate::built::build_program;
use crate::failure::{CiResult, Done, Failure};
use crate::installed;
use crate::process::{can_run, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the Python library is checked, packed and shown with.
const PYTHON_TOOLS: [&str; 5] =
    ["mypy==1.19.0", "setuptools==80.9.0", "wheel==0.45.1", "build==1.3.0", "flask==3.1.2"];
/// The examples that need nothing but the library.
const PLAIN_EXAMPLES: &str = "task_manager,daily_briefing,checkout,publish";

struct SdkFolders {
    root: PathBuf,
    work: PathBuf,
    program: PathBuf,
}

pub fn step(root: &Path) -> CiResult {
    let work = root.join("target/sdk");
    fs::create_dir_all(&work).map_err(|error| Failure::new(format!("target/sdk: {error}")))?;
    let folders = SdkFolders { root: root.to_owned(), work, program: build_program(root)? };
    folders.check_python()?;
    folders.check_typescript()?;
    Ok(Done::new("both libraries do what they say, also from their packages"))
}

impl SdkFolders {
    fn check_python(&self) -> Result<(), Failure> {
        let venv = self.python_tools()?;
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
    fn python_tools(&self) -> Result<PathBuf, Failure> {
        let venv = self.work.join("venv");
        let (mark, wanted) = (venv.join("tools"), PYTHON_TOOLS.join("\n"));
        if fs::read_to_string(&mark).is_ok_and(|found| found == wanted) {
            return Ok(venv);
        }
        installed::ensure_package("python3-venv", || {
            can_run(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        })?;
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
        let mut install = Command::new(venv.join("bin/pip"));
        run(install.args(["install", "--quiet"]).args(PYTHON_TOOLS))?;
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
