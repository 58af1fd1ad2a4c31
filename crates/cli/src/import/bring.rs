//! `import 000` and `import 002`: what would come in, and with `--apply` the questions for it.

use super::engine;
use super::weigh::{Weighed, weigh};
use crate::args::{ImportConsentSystemArgs, ImportPermissionBridgeArgs};
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::graph_file::GraphFile;
use crate::page::{BOLD, GREEN, NONE, Page, YELLOW};
use crate::record::RecordOption;
use crate::settings::Settings;
use crate::table::{self, Cell};
use crate::{files, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::model::grant::Holder;
use countersign_core::model::imported::Offered;
use countersign_core::model::imported::{Imported, Origin};
use countersign_core::model::names::{Agent, Project, SessionName};
use countersign_core::model::words::Risk;
use countersign_core::steps::import::digest;
use countersign_engine::Clock;
use countersign_import::{read_consent_system, read_permission_bridge};
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn consent_system(
    args: &ImportConsentSystemArgs,
    settings: &Settings,
) -> Result<Exit, Failure> {
    let session = match &args.session {
        Some(session) => session.clone(),
        None => session_of(&args.old)?,
    };
    let graph = GraphFile::open(args.graph.file.as_deref(), settings)?;
    let old = read_consent_system(&args.old)?;
    let facts = (Some(&graph.loaded.graph), SystemClock.now());
    let weighed = weigh(old, Origin::ConsentSystem, facts);
    let form = if args.json { Form::Json } else { Form::Table };
    let whose = Whose { session, agent: args.agent.clone(), project: None };
    Bringing { origin: Origin::ConsentSystem, whose, weighed, record: &args.record }.bring(
        settings,
        if args.apply { Act::Apply } else { Act::Try },
        form,
    )
}

pub(super) fn permission_bridge(
    args: &ImportPermissionBridgeArgs,
    settings: &Settings,
) -> Result<Exit, Failure> {
    let name = args.old.display().to_string();
    let old = read_permission_bridge(&name, &files::read(&args.old)?)?;
    let weighed = weigh(old, Origin::PermissionBridge, (None, SystemClock.now()));
    let (agent, project) = (args.agent.clone(), args.project.clone());
    let session = session_for(&agent, &project)?;
    let form = if args.json { Form::Json } else { Form::Table };
    let whose = Whose { session, agent, project: Some(project) };
    Bringing { origin: Origin::PermissionBridge, whose, weighed, record: &args.record }.bring(
        settings,
        if args.apply { Act::Apply } else { Act::Try },
        form,
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Try,
    Apply,
}

#[derive(Clone, Copy)]
enum Form {
    Table,
    Json,
}

/// `…/agents/NAME/consent.db` says whose session it was.
fn session_of(file: &Path) -> Result<SessionName, Failure> {
    let folder = file.parent().filter(|folder| {
        folder.parent().and_then(Path::file_name).is_some_and(|name| name == "agents")
    });
    let name = folder.and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| SessionName::parse(name).ok()).ok_or_else(|| {
        Failure::usage(
            format!(
                "`{}` does not lie in `agents/NAME`, so the session is not known",
                file.display()
            ),
            "name it with `--session NAME`",
        )
    })
}

/// What holds in a project is asked in a session of its own.
fn session_for(agent: &Agent, project: &Project) -> Result<SessionName, Failure> {
    let whose = format!("{agent}\0{project}");
    let hash = Digest::of_bytes("countersign/import-session/v1", whose.as_bytes()).to_string();
    let short: String = hash.chars().take(12).collect();
    SessionName::parse(&format!("import-{short}"))
        .map_err(|error| Failure::new(error.to_string(), "report this as a bug"))
}

struct Whose {
    session: SessionName,
    agent: Agent,
    project: Option<Project>,
}

struct Bringing<'a> {
    origin: Origin,
    whose: Whose,
    weighed: Vec<Weighed>,
    record: &'a RecordOption,
}

impl Bringing<'_> {
    fn bring(&self, settings: &Settings, act: Act, form: Form) -> Result<Exit, Failure> {
        let became = match act {
            Act::Try => self.would_become(settings)?,
            Act::Apply => self.become_questions(settings)?.into_iter().map(Some).collect(),
        };
        if became.contains(&Some(Offered::Foreign)) {
            let message = format!("the session `{}` belongs to another agent", self.whose.session);
            return Err(Failure::new(message, "name the agent that it belongs to"));
        }
        let mut became = became.into_iter();
        let rows: Vec<(&Weighed, Became)> = self
            .weighed
            .iter()
            .map(|one| match &one.fit {
                Ok(_) => (one, Became::of(became.next().flatten(), act)),
                Err(why) => (one, Became::Left(why)),
            })
            .collect();
        match form {
            Form::Json => out::show_json(&self.json(&rows, act))?,
            Form::Table => out::show(&self.page(&rows, act))?,
        }
        Ok(Exit::Allowed)
    }

    fn offers(&self) -> Vec<(Imported, Risk)> {
        self.weighed.iter().filter_map(|one| one.fit.clone().ok()).collect()
    }

    /// Looks at the record, if there is one, and writes nothing.
    fn would_become(&self, settings: &Settings) -> Result<Vec<Option<Offered>>, Failure> {
        let offers = self.offers();
        let Some(record) = self.record.if_any(settings)? else {
            return Ok(offers.iter().map(|_| None).collect());
        };
        let (state, _) = record.snapshot()?;
        let Whose { session, agent, project } = &self.whose;
        let holder = Holder { session, agent, project: project.as_ref() };
        let foreign = state.sessions.get(session).is_some_and(|open| open.agent != *agent);
        let now = SystemClock.now();
        let one = |(imported, _): &(Imported, Risk)| {
            if foreign {
                return Some(Offered::Foreign);
            }
            state.earlier_import(now, &digest(&holder, imported, record.key()))
        };
        Ok(offers.iter().map(one).collect())
    }

    fn become_questions(&self, settings: &Settings) -> Result<Vec<Offered>, Failure> {
        let offers = self.offers();
        if offers.is_empty() {
            return Ok(Vec::new());
        }
        let Whose { session, agent, project } = &self.whose;
        Ok(engine(self.record, settings)?.import((session, agent), project.as_ref(), &offers)?)
    }

    fn page(&self, rows: &[(&Weighed, Became<'_>)], act: Act) -> Page {
        let mut page = Page::new();
        let cells = |(one, became): &(&Weighed, Became<'_>)| {
            let covers = match &one.fit {
                Ok((imported, _)) => imported.coverage.to_string(),
                Err(_) => String::new(),
            };
            let (style, said) = became.said();
            vec![
                Cell::styled(BOLD, one.old.key.as_str()),
                Cell::new(covers),
                Cell::new(one.old.scope.word()),
                Cell::new(one.old.given_at.to_string()),
                Cell::new(one.old.ends_at.map_or_else(String::new, |end| end.to_string())),
                Cell::styled(style, said),
            ]
        };
        let cells: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
        if !cells.is_empty() {
            let headings = ["OLD GRANT", "COVERS", "HOLDS", "GIVEN", "ENDS", "COMES IN"];
            table::draw(&mut page, &headings, &cells);
        }
        let new = rows.iter().filter(|(_, became)| became.is_new()).count();
        let all = rows.len();
        match act {
            Act::Try => {
                page.text(&format!("dry run: {new} of {all} would come in as questions, for "));
                page.text(&self.where_to()).text("; nothing was written").end();
                if new > 0 {
                    page.text("  ").styled(BOLD, "help").text(": ");
                    page.text("run it again with `--apply`").end();
                }
            }
            Act::Apply => {
                page.text(&format!("{new} of {all} came in as questions, for "));
                page.text(&self.where_to());
                if new == 0 {
                    page.end();
                } else {
                    page.text("; nothing carries before it is confirmed")
                        .end()
                        .text("  ")
                        .styled(BOLD, "help")
                        .text(": ");
                    page.text("`countersign import confirm --all` asks about them").end();
                }
            }
        }
        page
    }

    fn where_to(&self) -> String {
        let Whose { session, agent, project } = &self.whose;
        match project {
            Some(project) => format!("{agent} in the project {project}"),
            None => format!("{agent} in the session {session}"),
        }
    }

    fn json(&self, rows: &[(&Weighed, Became<'_>)], act: Act) -> Value {
        let one = |(one, became): &(&Weighed, Became<'_>)| {
            let (result, request, why) = became.parts();
            json!({
                "place": one.old.place,
                "key": one.old.key,
                "words": one.old.description,
                "covers": one.fit.as_ref().ok().map(|(imported, _)| imported.coverage.to_string()),
                "risk": one.fit.as_ref().ok().map(|(_, risk)| risk),
                "scope": one.old.scope,
                "given_at": one.old.given_at.to_string(),
                "ends_at": one.old.ends_at.map(|end| end.to_string()),
                "result": result,
                "request": request,
                "why": why,
            })
        };
        json!({
            "v": 1,
            "origin": self.origin,
            "agent": self.whose.agent,
            "session": self.whose.session,
            "project": self.whose.project,
            "applied": act == Act::Apply,
            "grants": rows.iter().map(one).collect::<Vec<_>>(),
        })
    }
}

/// What became of one grant, or would.
enum Became<'a> {
    New(Option<String>),
    Waiting(String),
    Settled(&'static str),
    Left(&'a str),
}

impl<'a> Became<'a> {
    fn of(offered: Option<Offered>, act: Act) -> Self {
        match offered {
            None if act == Act::Try => Self::New(None),
            Some(Offered::Opened(id)) => Self::New(Some(id.to_string())),
            Some(Offered::Waiting(id)) => Self::Waiting(id.to_string()),
            Some(Offered::Settled(ending)) => Self::Settled(ending.word()),
            Some(Offered::Foreign) | None => Self::Left("the session belongs to another agent"),
        }
    }

    fn is_new(&self) -> bool {
        matches!(self, Self::New(_))
    }

    fn said(&self) -> (anstyle::Style, String) {
        match self {
            Self::New(None) => (GREEN, "yes".to_owned()),
            Self::New(Some(id)) => (GREEN, format!("as {id}")),
            Self::Waiting(id) => (NONE, format!("already there, as {id}")),
            Self::Settled(ending) => (NONE, format!("already {ending}")),
            Self::Left(why) => (YELLOW, format!("no: {why}")),
        }
    }

    fn parts(&self) -> (&'static str, Option<&str>, Option<&str>) {
        match self {
            Self::New(id) => ("comes_in", id.as_deref(), None),
            Self::Waiting(id) => ("waiting", Some(id), None),
            Self::Settled(ending) => (ending, None, None),
            Self::Left(why) => ("left_out", None, Some(why)),
        }
    }
}
