//! Walks through the commands of a line in their order, with its groups.
//!
//! See docs/decisions/0115-groups-conditions-and-named-folders.md.

use super::SegmentJudge;
use super::folder_changes::{FolderTarget, LinePosition, find_target};
use super::named_folders::replace_named_folders;
use super::path_lists::{find_executed, find_started};
use crate::command_place::CommandPlace;
use crate::segment_judgement::SegmentJudgement;
use crate::strict::{Group, Join, Segment};
use crate::working_folders::{ChangeCertainty, FlowJoin, FolderChange, FolderFlow, FolderSet};
use crate::written_paths::WrittenPaths;

/// A member of a list, and how it is joined to the next one.
struct Member {
    join: Option<Join>,
    content: MemberContent,
}

enum MemberContent {
    Command(Segment),
    Group(Group, Vec<Member>),
}

/// The commands of a line as a tree of its groups.
fn build_list(segments: Vec<Segment>) -> Vec<Member> {
    let mut lists: Vec<(Option<Group>, Vec<Member>)> = vec![(None, Vec::new())];
    for segment in segments {
        lists.extend(segment.opens.iter().map(|group| (Some(*group), Vec::new())));
        let (join, closes) = (segment.join, segment.closes);
        let mut member = Member { join, content: MemberContent::Command(segment) };
        for _ in 0..closes {
            let Some((Some(group), mut members)) = lists.pop() else { break };
            members.push(member);
            // What follows the command follows all groups that end behind it.
            member = Member { join, content: MemberContent::Group(group, members) };
        }
        if let Some((_, list)) = lists.last_mut() {
            list.push(member);
        }
    }
    lists.into_iter().next().map(|(_, list)| list).unwrap_or_default()
}

impl Member {
    /// Every command in it.
    fn list_commands(&self) -> Vec<&Segment> {
        match &self.content {
            MemberContent::Command(segment) => vec![segment],
            MemberContent::Group(_, members) => {
                members.iter().flat_map(Self::list_commands).collect()
            }
        }
    }
}

impl SegmentJudge<'_> {
    pub(crate) fn judge(&self, segments: Vec<Segment>) -> Vec<SegmentJudgement> {
        let mut state = LinePosition {
            flow: FolderFlow::new(FolderSet::new(self.context.cwd)),
            written: WrittenPaths::default(),
            is_linked: false,
            has_changed_folder: false,
            is_piped: false,
        };
        let mut judged = Vec::new();
        self.judge_list(build_list(segments), &mut state, &mut judged);
        judged
    }

    fn judge_list(
        &self,
        list: Vec<Member>,
        state: &mut LinePosition,
        judged: &mut Vec<SegmentJudgement>,
    ) {
        let mut pipeline = Vec::new();
        for mut member in list {
            if let MemberContent::Command(segment) = &mut member.content {
                replace_named_folders(self.context, segment, state);
            }
            let is_piped = member.join == Some(Join::Pipe);
            pipeline.push(member);
            if !is_piped {
                self.judge_pipeline(std::mem::take(&mut pipeline), state, judged);
            }
        }
        // A line that ends in a pipe is refused, but a group may end behind one of its commands.
        if !pipeline.is_empty() {
            self.judge_pipeline(pipeline, state, judged);
        }
    }

    /// The commands of a pipe run at the same time, so each may meet what the others write.
    fn judge_pipeline(
        &self,
        pipeline: Vec<Member>,
        state: &mut LinePosition,
        judged: &mut Vec<SegmentJudgement>,
    ) {
        let folders = state.flow.folders().clone();
        let pipeline = self.start_lists(pipeline, &folders, &state.written);
        let is_pipe = pipeline.len() > 1;
        let find_writes = |member: &Member| match &member.content {
            // What a group writes by itself is found where it writes that.
            MemberContent::Group(..) if !is_pipe => WrittenPaths::default(),
            _ => self.find_member_writes(member, &folders),
        };
        let writes: Vec<WrittenPaths> = pipeline.iter().map(find_writes).collect();
        let mut written_inside = WrittenPaths::default();
        for (index, member) in pipeline.into_iter().enumerate() {
            let others = writes.iter().enumerate().filter(|(other, _)| *other != index);
            let written = others.fold(state.written.clone(), |all, (other, one)| match other {
                later if later > index => all.union(&one.clone().without_named_edits()),
                _ => all.union(one),
            });
            let join = FlowJoin::from(member.join);
            let is_piped = state.is_piped || is_pipe;
            let change = match member.content {
                MemberContent::Command(segment) if segment.changes_folder() => {
                    let target = match is_piped {
                        true => Err("`cd` in a pipe changes nothing in some shells".to_owned()),
                        false => find_target(self.context, &segment, &folders, state),
                    };
                    state.has_changed_folder = true;
                    let (judgement, change) = judge_folder_change(segment, target, &folders);
                    judged.push(judgement);
                    change
                }
                MemberContent::Command(segment) => {
                    let place = CommandPlace {
                        context: self.context,
                        folders: &folders,
                        written: &written,
                        has_changed_folder: state.has_changed_folder,
                    };
                    judged.push(self.judge_segment(segment, &place));
                    None
                }
                MemberContent::Group(group, members) => {
                    // A subshell is a process of its own in every shell.
                    let is_piped = is_piped && group == Group::Inline;
                    let flow = FolderFlow::new(folders.clone());
                    let mut inner = LinePosition { flow, written, is_piped, ..state.clone() };
                    self.judge_list(members, &mut inner, judged);
                    written_inside = written_inside.union(&inner.written);
                    state.leave_group(group, &inner)
                }
            };
            state.flow.advance(change, join);
        }
        let written = std::mem::take(&mut state.written).union(&written_inside);
        state.written = writes.iter().fold(written, WrittenPaths::union);
    }

    /// Replaces each `xargs` by the reading command that it starts, and adds those of `find -exec`.
    fn start_lists(
        &self,
        mut pipeline: Vec<Member>,
        folders: &FolderSet,
        written: &WrittenPaths,
    ) -> Vec<Member> {
        let place =
            CommandPlace { context: self.context, folders, written, has_changed_folder: false };
        for at in 1..pipeline.len() {
            let (before, rest) = pipeline.split_at(at);
            let Some(MemberContent::Command(xargs)) = rest.first().map(|one| &one.content) else {
                continue;
            };
            let commands: Vec<&Segment> = before.iter().flat_map(Member::list_commands).collect();
            let is_simple = commands.len() == before.len();
            if !is_simple || xargs.argv.first().is_none_or(|program| program != "xargs") {
                continue;
            }
            let started = find_started(&commands, xargs, &place);
            if let (Some(started), Some(member)) = (started, pipeline.get_mut(at)) {
                member.content = MemberContent::Command(started);
            }
        }
        let mut found = Vec::new();
        for member in pipeline {
            let executed = match &member.content {
                MemberContent::Command(find)
                    if find.argv.iter().any(|word| word == "-exec")
                        && find.argv.first().is_some_and(|program| program == "find") =>
                {
                    find_executed(find, &place)
                }
                MemberContent::Command(_) | MemberContent::Group(..) => None,
            };
            let Some(executed) = executed else {
                found.push(member);
                continue;
            };
            let join = member.join;
            let commands = executed.into_iter().map(MemberContent::Command);
            found.extend(commands.map(|content| Member { join: Some(Join::Pipe), content }));
            if let Some(last) = found.last_mut() {
                last.join = join;
            }
        }
        found
    }

    /// What a member of a pipe may write. Where the commands of a group run is not followed here.
    fn find_member_writes(&self, member: &Member, folders: &FolderSet) -> WrittenPaths {
        let commands = member.list_commands();
        let is_moved = commands.len() > 1
            && commands.iter().any(|one| one.changes_folder() || !one.named_folders.is_empty());
        let folders = if is_moved { &FolderSet::unknown() } else { folders };
        commands.iter().fold(WrittenPaths::default(), |written, command| {
            written.union(&self.find_writes(command, folders))
        })
    }
}

impl LinePosition {
    /// Continues behind a group. Where it may have led to counts, unless it was a process of its own.
    fn leave_group(&mut self, group: Group, inner: &Self) -> Option<FolderChange> {
        let is_changed = inner.has_changed_folder && !self.has_changed_folder
            || inner.flow.ends() != *self.flow.folders();
        if group == Group::Subshell || !is_changed {
            return None;
        }
        self.is_linked |= inner.is_linked;
        self.has_changed_folder |= inner.has_changed_folder;
        Some(FolderChange { to: inner.flow.ends(), certainty: ChangeCertainty::MayFail })
    }
}

fn judge_folder_change(
    segment: Segment,
    target: Result<FolderTarget, String>,
    folders: &FolderSet,
) -> (SegmentJudgement, Option<FolderChange>) {
    let to = target.as_ref().ok().map(|target| target.folders.clone());
    let change = to.map(|to| FolderChange { to, certainty: ChangeCertainty::MayFail });
    let judgement = SegmentJudgement {
        leads_to: target.as_ref().ok().map(|target| target.location),
        covering: target.and_then(FolderTarget::cover),
        ..SegmentJudgement::new(segment, folders)
    };
    (judgement, change)
}
