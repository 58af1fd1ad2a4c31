//! The packages of a workspace, by the patterns in its own files.

use super::TaskFolder;
use super::texts::{list_json_patterns, list_toml_members, list_yaml_packages};
use crate::limits;

impl TaskFolder<'_> {
    /// The file of this name in each package.
    pub(super) fn list_member_files(&self, folder: &str, file: &str) -> Vec<String> {
        self.list_members(folder).iter().filter_map(|member| self.read(member, file)).collect()
    }

    /// The folders of the packages, as far as `NAME` and `NAME/*` name them.
    pub(super) fn list_members(&self, folder: &str) -> Vec<String> {
        let mut members = Vec::new();
        for root in self.ancestors(folder) {
            for pattern in self.list_patterns(&root) {
                let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
                let base = pattern.trim_end_matches("/**").trim_end_matches("/*");
                if base.contains(['*', '?', '{', '!']) || base.split('/').any(|part| part == "..") {
                    continue;
                }
                let base_folder = format!("{root}/{base}");
                match base == pattern {
                    true => members.push(base_folder),
                    false => {
                        let names = self.place.context.disk.list_folder(&base_folder);
                        let names = names.unwrap_or_default().into_iter();
                        members.extend(names.map(|name| format!("{base_folder}/{name}")));
                    }
                }
            }
        }
        members.truncate(limits::MAX_TASK_FILES);
        members
    }

    fn list_patterns(&self, root: &str) -> Vec<String> {
        let mut patterns = Vec::new();
        if let Some(text) = self.read(root, "package.json") {
            patterns.extend(list_json_patterns(&text));
        }
        if let Some(text) = self.read(root, "pnpm-workspace.yaml") {
            patterns.extend(list_yaml_packages(&text));
        }
        if let Some(text) = self.read(root, "Cargo.toml") {
            patterns.extend(list_toml_members(&text));
        }
        if self.read(root, "nx.json").is_some() {
            patterns.extend(["apps/*", "libs/*", "packages/*"].map(str::to_owned));
        }
        patterns
    }
}
