//! The files that have changed and decide what a line executes. A yes accepts their content.

use crate::CardField;
use crate::text::escape_untrusted;
use countersign_core::model::request::Request;
use countersign_core::model::run_file::ChangedRunFile;

/// What changed in each file, from the workspace on.
pub(crate) fn list_changed_files(request: &Request) -> Vec<CardField> {
    let field = |file: &ChangedRunFile| {
        let label = format!("changed {}", escape_untrusted(&name_file(request, file)));
        CardField::multi_line(&label, &file.difference)
    };
    request.run_files.iter().map(field).collect()
}

/// The path of a file, seen from the project.
pub(crate) fn name_file(request: &Request, file: &ChangedRunFile) -> String {
    let project = request.project.as_ref().map_or("", |project| project.as_str());
    let inside = file.path.strip_prefix(project).and_then(|rest| rest.strip_prefix('/'));
    inside.filter(|_| !project.is_empty()).unwrap_or(&file.path).to_owned()
}
