//! `import consent-system` and `import permission-bridge`: shows which old grants can be imported, and
//! with `--apply` opens a request for each of them.

use super::args::{ImportConsentSystemArgs, ImportPermissionBridgeArgs};
use super::convert::{ConvertedGrant, convert_grants};
use super::open_engine;
use crate::clock::SystemClock;
use crate::settings::Settings;
use anstyle::Style;
use countersign_console::table::{self, TableCell};
use countersign_console::{BOLD, Exit, Failure, GREEN, NONE, Page, YELLOW, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::Holder;
use countersign_core::model::imported::{EarlierSystem, ImportOutcome, ImportedGrant};
use countersign_core::model::names::{Agent, Project, SessionKey, SessionName};
use countersign_core::model::words::Risk;
use countersign_engine::{Clock, SessionOwner};
use countersign_import::{ImportError, read_consent_system, read_permission_bridge};
use countersign_operations::import::digest;
use countersign_report::RecordOption;
use countersign_setup::files;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn import_consent_system(
    args: &ImportConsentSystemArgs,
    settings: &Settings,
) -> Result<Exit, Failure> {
    let session = match &args.session {
        Some(session) => session.clone(),
        None => session_from_path(&args.old)?,
    };
    let graph = args.graph.search(args.record.data.as_deref(), settings.graph_places()).open()?;
    graph.announce();
    let old = read_consent_system(&args.old).map_err(import_failure)?;
    let origin = EarlierSystem::ConsentSystem;
    ImportBatch {
        origin,
        owner: ImportOwner { session, agent: args.agent.clone(), project: None },
        grants: convert_grants(old, origin, Some(&graph.loaded.graph), SystemClock.now()),
        record: &args.record,
        mode: if args.apply { ImportMode::Apply } else { ImportMode::DryRun },
        json: args.json,
    }
    .run(settings)
}

pub(super) fn import_permission_bridge(
    args: &ImportPermissionBridgeArgs,
    settings: &Settings,
) -> Result<Exit, Failure> {
    let name = args.old.display().to_string();
    let old = read_permission_bridge(&name, &files::read(&args.old)?).map_err(import_failure)?;
    let (agent, project) = (args.agent.clone(), args.project.clone());
    let session = project_session(&agent, &project)?;
    let origin = EarlierSystem::PermissionBridge;
    ImportBatch {
        origin,
        owner: ImportOwner { session, agent, project: Some(project) },
        grants: convert_grants(old, origin, None, SystemClock.now()),
        record: &args.record,
        mode: if args.apply { ImportMode::Apply } else { ImportMode::DryRun },
        json: args.json,
    }
    .run(settings)
}

fn import_failure(error: ImportError) -> Failure {
    Failure::new(error.to_string(), error.help)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ImportMode {
    DryRun,
    Apply,
}

/// The session of a file at `…/agents/NAME/consent.db`.
fn session_from_path(file: &Path) -> Result<SessionName, Failure> {
    let folder = file.parent().filter(|folder| {
        folder.parent().and_then(Path::file_name).is_some_and(|name| name == "agents")
    });
    let name = folder.and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| SessionName::parse(name).ok()).ok_or_else(|| {
        let message =
            format!("`{}` is not in `agents/NAME`, which names the session", file.display());
        Failure::usage(message, "name the session with `--session NAME`")
    })
}

/// Grants of a project have no session, so their requests get one of their own.
fn project_session(agent: &Agent, project: &Project) -> Result<SessionName, Failure> {
    let owner = format!("{agent}\0{project}");
    let hash = Digest::hash_bytes("countersign/import-session/v1", owner.as_bytes()).to_string();
    let short: String = hash.chars().take(12).collect();
    SessionName::parse(&format!("import-{short}"))
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))
}

/// Who owns the imported grants.
struct ImportOwner {
    session: SessionName,
    agent: Agent,
    project: Option<Project>,
}

struct ImportBatch<'a> {
    origin: EarlierSystem,
    owner: ImportOwner,
    grants: Vec<ConvertedGrant>,
    record: &'a RecordOption,
    mode: ImportMode,
    json: bool,
}

type ImportRow<'a> = (&'a ConvertedGrant, ImportResult<'a>);

impl ImportBatch<'_> {
    fn run(&self, settings: &Settings) -> Result<Exit, Failure> {
        let offered = match self.mode {
            ImportMode::DryRun => self.find_earlier(settings)?,
            ImportMode::Apply => self.open_requests(settings)?.into_iter().map(Some).collect(),
        };
        if offered.contains(&Some(ImportOutcome::Foreign)) {
            let message = format!("the session `{}` belongs to another agent", self.owner.session);
            return Err(Failure::new(message, "name the agent that it belongs to"));
        }
        let mut offered = offered.into_iter();
        let rows: Vec<ImportRow<'_>> = self
            .grants
            .iter()
            .map(|grant| match &grant.result {
                Ok(_) => (grant, ImportResult::new(offered.next().flatten(), self.mode)),
                Err(why) => (grant, ImportResult::Skipped(why)),
            })
            .collect();
        if self.json {
            out::show_json(&self.to_json(&rows))?;
        } else {
            out::show(&self.draw(&rows))?;
        }
        Ok(Exit::Allowed)
    }

    fn imports(&self) -> Vec<(ImportedGrant, Risk)> {
        self.grants.iter().filter_map(|grant| grant.result.clone().ok()).collect()
    }

    /// Finds earlier imports of the same grants in the record, if there is one. Writes nothing.
    fn find_earlier(&self, settings: &Settings) -> Result<Vec<Option<ImportOutcome>>, Failure> {
        let imports = self.imports();
        let Some(record) = self.record.open_reader_if_present(&settings.record())? else {
            return Ok(imports.iter().map(|_| None).collect());
        };
        let (state, _) = record.snapshot()?;
        let ImportOwner { session, agent, project } = &self.owner;
        let session = &SessionKey::new(agent, session);
        let holder = Holder { session, agent, project: project.as_ref() };
        let now = SystemClock.now();
        let find = |(imported, _): &(ImportedGrant, Risk)| {
            state.earlier_import(now, &digest(&holder, imported, record.key()))
        };
        Ok(imports.iter().map(find).collect())
    }

    fn open_requests(&self, settings: &Settings) -> Result<Vec<ImportOutcome>, Failure> {
        let imports = self.imports();
        if imports.is_empty() {
            return Ok(Vec::new());
        }
        let ImportOwner { session, agent, project } = &self.owner;
        let engine = open_engine(self.record, settings)?;
        let owner = SessionOwner::new(session, agent.clone());
        Ok(engine.import_grants(&owner, project.as_ref(), &imports)?)
    }

    fn draw(&self, rows: &[ImportRow<'_>]) -> Page {
        let mut page = Page::new();
        let cells = |(grant, result): &ImportRow<'_>| {
            let covers = match &grant.result {
                Ok((imported, _)) => imported.coverage.to_string(),
                Err(_) => String::new(),
            };
            let (style, text) = result.describe();
            vec![
                TableCell::styled(BOLD, grant.old.key.as_str()),
                TableCell::new(covers),
                TableCell::new(grant.old.scope.word()),
                TableCell::new(grant.old.given_at.to_string()),
                TableCell::new(grant.old.ends_at.map_or_else(String::new, |end| end.to_string())),
                TableCell::styled(style, text),
            ]
        };
        let cells: Vec<Vec<TableCell>> = rows.iter().map(cells).collect();
        if !cells.is_empty() {
            let headings = ["OLD GRANT", "COVERS", "SCOPE", "GIVEN", "ENDS", "IMPORTED"];
            table::draw(&mut page, &headings, &cells);
        }
        let new = rows.iter().filter(|(_, result)| result.is_new()).count();
        let (all, owner) = (rows.len(), self.describe_owner());
        let (text, help) = match self.mode {
            ImportMode::DryRun => (
                format!(
                    "dry run: {new} of {all} would be imported for {owner}; nothing was written"
                ),
                "run it again with `--apply`",
            ),
            ImportMode::Apply => (
                format!("imported {new} of {all} for {owner}"),
                "confirm them with `countersign import confirm --all`; before that they allow nothing",
            ),
        };
        page.text(&text).end();
        if new > 0 {
            page.text("  ").styled(BOLD, "help").text(": ").text(help).end();
        }
        page
    }

    fn describe_owner(&self) -> String {
        let ImportOwner { session, agent, project } = &self.owner;
        match project {
            Some(project) => format!("{agent} in the project {project}"),
            None => format!("{agent} in the session {session}"),
        }
    }

    fn to_json(&self, rows: &[ImportRow<'_>]) -> Value {
        let convert = |(grant, result): &ImportRow<'_>| {
            let import = grant.result.as_ref().ok();
            json!({
                "place": grant.old.place,
                "key": grant.old.key,
                "words": grant.old.description,
                "covers": import.map(|(imported, _)| imported.coverage.to_string()),
                "risk": import.map(|(_, risk)| risk),
                "scope": grant.old.scope,
                "given_at": grant.old.given_at.to_string(),
                "ends_at": grant.old.ends_at.map(|end| end.to_string()),
                "result": result.word(),
                "request": result.request(),
                "why": result.skip_reason(),
            })
        };
        json!({
            "v": 1,
            "origin": self.origin,
            "agent": self.owner.agent,
            "session": self.owner.session,
            "project": self.owner.project,
            "applied": self.mode == ImportMode::Apply,
            "grants": rows.iter().map(convert).collect::<Vec<_>>(),
        })
    }
}

/// What happened to one grant, or would happen with `--apply`.
enum ImportResult<'a> {
    /// With its request, unless this is a dry run.
    New(Option<String>),
    /// An earlier import of it waits as this request.
    Waiting(String),
    /// An earlier import of it was answered in this way.
    Answered(&'static str),
    Skipped(&'a str),
}

impl ImportResult<'_> {
    fn new(offered: Option<ImportOutcome>, mode: ImportMode) -> Self {
        match offered {
            None if mode == ImportMode::DryRun => Self::New(None),
            Some(ImportOutcome::Opened(id)) => Self::New(Some(id.to_string())),
            Some(ImportOutcome::Waiting(id)) => Self::Waiting(id.to_string()),
            Some(ImportOutcome::Settled(ending)) => Self::Answered(ending.word()),
            Some(ImportOutcome::Foreign) | None => {
                Self::Skipped("the session belongs to another agent")
            }
        }
    }

    fn is_new(&self) -> bool {
        matches!(self, Self::New(_))
    }

    fn describe(&self) -> (Style, String) {
        match self {
            Self::New(None) => (GREEN, "yes".to_owned()),
            Self::New(Some(id)) => (GREEN, format!("as {id}")),
            Self::Waiting(id) => (NONE, format!("already, as {id}")),
            Self::Answered(ending) => (NONE, format!("already {ending}")),
            Self::Skipped(why) => (YELLOW, format!("no: {why}")),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::New(_) => "new",
            Self::Waiting(_) => "waiting",
            Self::Answered(ending) => ending,
            Self::Skipped(_) => "skipped",
        }
    }

    fn request(&self) -> Option<&str> {
        match self {
            Self::New(id) => id.as_deref(),
            Self::Waiting(id) => Some(id),
            Self::Answered(_) | Self::Skipped(_) => None,
        }
    }

    fn skip_reason(&self) -> Option<&str> {
        match self {
            Self::Skipped(why) => Some(why),
            Self::New(_) | Self::Waiting(_) | Self::Answered(_) => None,
        }
    }
}
