//! Applies an erasure to the state: it blanks the fields that the ledger keeps in sealed parts.

use super::State;
use crate::model::call::CallTarget;
use crate::model::change::ErasedObjects;
use crate::model::grant::Coverage;
use crate::model::request::Subject;
use std::sync::Arc;

impl State {
    pub(super) fn erase(&mut self, erased: &ErasedObjects) {
        for id in &erased.calls {
            if let Some(record) = self.calls.get_mut(id) {
                Arc::make_mut(&mut record.call).erase_content();
            }
        }
        for id in &erased.requests {
            let lasting = self.requests.get(id).map(|request| request.lasting);
            if let Some(declined) = lasting.and_then(|lasting| self.declined.get_mut(&lasting)) {
                declined.note.clear();
                declined.target = CallTarget::Named(Vec::new());
            }
            if let Some(request) = self.requests.get_mut(id) {
                request.programs.clear();
                request.run_files.clear();
                request.note.clear();
                request.items.iter_mut().for_each(|item| item.bounds = None);
                match &mut request.subject {
                    Subject::Ahead(ahead) => {
                        ahead.text.clear();
                        ahead.reason.clear();
                        ahead.fallback.clear();
                    }
                    Subject::Standing(coverage) => blank_coverage(coverage),
                    Subject::Imported(imported) => imported.words.clear(),
                    Subject::Calls(_)
                    | Subject::Start(_)
                    | Subject::Slash(_)
                    | Subject::Proposal(_) => {}
                }
            }
        }
        for id in &erased.notices {
            if let Some(notice) = self.notices.get_mut(id) {
                notice.text.clear();
            }
        }
        for id in &erased.grants {
            if let Some(grant) = self.grants.get_mut(*id) {
                blank_coverage(&mut grant.coverage);
                grant.within = None;
            }
        }
    }
}

fn blank_coverage(coverage: &mut Coverage) {
    match coverage {
        Coverage::Command { argv, cwd, .. } => {
            argv.clear();
            *cwd = None;
        }
        Coverage::Step { commands, .. } => commands.clear(),
        Coverage::Program(program) => program.path.clear(),
        Coverage::Digest { .. }
        | Coverage::Head { .. }
        | Coverage::Action(_)
        | Coverage::Category(_)
        | Coverage::Run { .. }
        | Coverage::Class { .. }
        | Coverage::Everything => {}
    }
}
