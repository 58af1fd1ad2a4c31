//! `support create` writes a redacted packet of what happened here; `support share` hands one out.
//!
//! Creating reads and stays on this machine. Sharing is a call of its own, `support.share`, with the
//! critical category `support_packet_share`: the operator types the destination, and the record says
//! so. It copies a file and sends nothing over a network.
//!
//! See docs/decisions/0112-reviews-and-support-packets.md.

use crate::assurance::DaemonFiles;
use crate::context::SetupContext;
use crate::doctor::{DoctorArgs, diagnose};
use crate::graph_file::GraphFile;
use crate::graph_search::GraphSearch;
use crate::limits;
use clap::{Args, Subcommand};
use countersign_api::CheckRequest;
use countersign_console::{Exit, Failure, Page, out};
use countersign_core::encoding::digest::Digest;
use countersign_core::encoding::json;
use countersign_core::model::category::Category;
use countersign_core::model::names::{Action, SessionName};
use countersign_graph::node;
use countersign_report::{PacketEntries, RecordOption, collect_packet_entries, redact_packet};
use serde_json::{Value, json};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

impl SupportCommand {
    pub const EXAMPLES: &str = "\
Examples:
  countersign support create                       write a packet into the current folder
  countersign support create --call c7f2a1 -o p.json   with the entries about one call
  countersign support share p.json --to /media/usb/p.json

A packet has the version, the settings, the graph without its contacts, entries of the ledger without
arguments and people's words, and what `countersign doctor` finds. Read it before you share it. Sharing
asks you to type the destination, copies the file there, and sends nothing by itself.";
}

#[derive(Subcommand)]
pub enum SupportCommand {
    /// Write a redacted packet to a local file
    #[command(before_help = SupportCommand::EXAMPLES)]
    Create(SupportCreateArgs),
    /// Copy a packet to a place that others can reach, after your own confirmation
    #[command(before_help = SupportCommand::EXAMPLES)]
    Share(SupportShareArgs),
}

#[derive(Args)]
pub struct SupportCreateArgs {
    /// The file to write; there must be none [default: countersign-support.json]
    #[arg(short = 'o', long = "out", value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How many entries at the end of the ledger
    #[arg(long, value_name = "COUNT", default_value_t = 100, conflicts_with = "call")]
    pub last: usize,
    /// Only the entries about this call, request, grant or run: its whole id
    #[arg(long, value_name = "ID")]
    pub call: Option<String>,
    #[command(flatten)]
    pub record: RecordOption,
}

#[derive(Args)]
pub struct SupportShareArgs {
    /// The packet that `support create` wrote
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// The file to write; there must be none
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// Seconds to wait for an answer, if there is no terminal to ask at
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    #[arg(value_parser = clap::value_parser!(u64).range(..=limits::MAX_SHARE_WAIT_SECONDS))]
    pub wait: u64,
    /// The daemon's folder [default: COUNTERSIGN_DATA, then the user's data folder]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// What only the binary knows.
pub struct PacketContext {
    pub setup: SetupContext,
    pub settings: Value,
    pub folder: PathBuf,
    pub files: Result<DaemonFiles, Failure>,
}

pub fn create_packet(args: &SupportCreateArgs, context: &PacketContext) -> Result<Exit, Failure> {
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from("countersign-support.json"));
    let packet = build_packet(args, context)?;
    let text = format!("{packet:#}\n");
    write_new_file(&path, text.as_bytes())?;
    let mut page = Page::from_line(&format!(
        "wrote {}: {} bytes, digest {}",
        path.display(),
        text.len(),
        Digest::hash_bytes(PACKET, text.as_bytes()).short()
    ));
    page.text("It stays on this machine. Read it, then: countersign support share ");
    page.text(&path.display().to_string()).text(" --to FILE").end();
    out::show(&page)?;
    Ok(Exit::Allowed)
}

/// What a packet calls itself.
const PACKET: &str = "countersign support packet";

fn build_packet(args: &SupportCreateArgs, context: &PacketContext) -> Result<Value, Failure> {
    let record = args.record.open_reader_if_present(&context.setup.record)?;
    let chosen = match &args.call {
        Some(id) => PacketEntries::About(id),
        None => PacketEntries::Last(args.last),
    };
    let entries = match &record {
        Some(record) => collect_packet_entries(&**record, chosen)?,
        None => Vec::new(),
    };
    if let (Some(id), true) = (&args.call, entries.is_empty()) {
        let message = format!("no entry of the ledger is about `{id}`");
        return Err(Failure::usage(message, "give the whole id; `countersign log` shows the ids"));
    }
    let data = args.record.data.as_deref();
    let search = GraphSearch { named: None, data, places: context.setup.graphs.clone() };
    let PacketContext { setup, settings, folder, files } = context;
    let doctor = DoctorArgs::for_record(args.record.data.clone(), args.record.store.clone());
    let mut packet = json!({
        "v": 1,
        "kind": PACKET,
        "made_at": setup.now().to_string(),
        "version": env!("CARGO_PKG_VERSION"),
        "settings": settings,
        "graph": search.open_if_any().ok().flatten().map(|graph| describe_graph(&graph)),
        "doctor": diagnose(&doctor, setup, folder, files).to_json(),
        "entries": entries,
    });
    redact_packet(&mut packet, setup.home.as_deref());
    Ok(packet)
}

/// The graph without the contacts, which are addresses of people.
fn describe_graph(file: &GraphFile) -> Value {
    let mut text = node::parse(&file.bytes, file.format).map_or(Value::Null, |node| node.to_json());
    if let Some(contacts) = text.get_mut("vip_contacts") {
        *contacts = json!("left out");
    }
    json!({"file": file.name, "hash": file.loaded.graph.hash, "text": text})
}

/// A packet that is about to be shared, and the call that asks for it.
pub struct PacketShare {
    pub request: CheckRequest,
    pub session: SessionName,
    to: PathBuf,
    bytes: Vec<u8>,
    digest: Digest,
}

impl PacketShare {
    pub fn new(args: &SupportShareArgs) -> Result<Self, Failure> {
        let bytes = read_packet(&args.packet)?;
        let to = std::path::absolute(&args.to)
            .map_err(|error| Failure::file("name", &args.to, &error, "name a file"))?;
        let invalid =
            |error: &dyn std::fmt::Display| Failure::usage(error.to_string(), "name another file");
        let session = SessionName::parse("support").map_err(|error| invalid(&error))?;
        let action = Action::parse("support.share").map_err(|error| invalid(&error))?;
        let category = Category::parse("support_packet_share").map_err(|error| invalid(&error))?;
        let digest = Digest::hash_bytes(PACKET, &bytes);
        let target = vec![to.display().to_string()];
        let request = CheckRequest {
            actions: vec![action].try_into().map_err(|error| invalid(&error))?,
            categories: vec![category].try_into().map_err(|error| invalid(&error))?,
            target: target.try_into().map_err(|error| invalid(&error))?,
            args: json!({"packet": digest.to_string(), "bytes": bytes.len()}),
            irreversible: true,
            ..CheckRequest::new(session.clone())
        };
        Ok(Self { request, session, to, bytes, digest })
    }

    /// Copies the packet, after the operator's yes. Returns the line that says so.
    pub fn copy(&self) -> Result<String, Failure> {
        write_new_file(&self.to, &self.bytes)?;
        let (count, to, digest) = (self.bytes.len(), self.to.display(), self.digest.short());
        Ok(format!("shared: {count} bytes at {to}, digest {digest}"))
    }
}

/// The bytes of a file that is a packet, so that nothing else is shared by a slip.
fn read_packet(path: &Path) -> Result<Vec<u8>, Failure> {
    let help = "name a file that `countersign support create` wrote";
    let size =
        std::fs::metadata(path).map_err(|error| Failure::file("read", path, &error, help))?;
    if !size.is_file() || size.len() > limits::MAX_PACKET_BYTES {
        return Err(Failure::usage(format!("{} is no support packet", path.display()), help));
    }
    let bytes = std::fs::read(path).map_err(|error| Failure::file("read", path, &error, help))?;
    match json::parse(&bytes).ok().and_then(|packet| packet.get("kind").cloned()) {
        Some(kind) if kind == PACKET => Ok(bytes),
        _ => Err(Failure::usage(format!("{} is no support packet", path.display()), help)),
    }
}

/// Writes a file that does not exist yet, readable for its owner only.
fn write_new_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let help = "name a file that does not exist, in a folder that does";
    let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let written = opened.and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::usage(format!("{} exists already", path.display()), help)
        }
        _ => Failure::file("write", path, &error, help),
    })
}
