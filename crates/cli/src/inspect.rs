//! `countersign inspect`: what became of permissions and tools, read from the ledger.

mod permissions;
mod question;
mod seen;
mod tools;
mod trace;

pub(crate) use seen::tools_in;

use crate::args::InspectArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::ledger::{Seen, each};
use crate::settings::Settings;

pub(crate) fn inspect(args: &InspectArgs, settings: &Settings) -> Result<Exit, Failure> {
    if args.trace {
        trace::trace(args, settings)
    } else if args.permissions {
        permissions::permissions(args, settings)
    } else {
        tools::tools(args, settings)
    }
}

/// The entries of the session that is named, or of all.
fn entries(
    args: &InspectArgs,
    settings: &Settings,
    mut then: impl FnMut(&Seen) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let record = args.record.to_read(settings)?;
    each(&*record, |seen| {
        let meant = |named| seen.about.session.as_ref() == Some(named);
        if args.session.as_ref().is_none_or(meant) { then(&seen) } else { Ok(()) }
    })
}
