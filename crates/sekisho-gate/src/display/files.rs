//! Changes of files as diffs against the files as they are now.

use std::collections::BTreeMap;

use sekisho_policy::{Call, Facts, Verdict, paths};

use super::edits::{self, Asked, Replacement};
use super::limit::{LARGEST_SHOWN, Limit};
use super::patch::{self, Section};
use super::{Change, FileDiff, FileMark, Form, Hunk, Layout, apply, diff, visible};
use crate::premises::FileNow;

/// The form of a call to a write tool; none where its input is not of a known form.
pub(super) fn form(
    (call, verdict): (&Call, &Verdict),
    files: &dyn Fn(&str) -> FileNow,
    limit: &mut Limit,
    marks: &mut Vec<FileMark>,
) -> Option<Form> {
    let mut desk = Desk { call, files, seen: BTreeMap::new(), marks, unseen: Vec::new() };
    let mut diffs = match edits::read(call)? {
        Asked::Write { path, content } => vec![desk.write(path, content)],
        Asked::Append { path, content } => vec![desk.append(path, content)],
        Asked::Replace { path, edits } => vec![desk.replace(path, &edits)],
        Asked::Delete { paths } => paths.into_iter().map(|path| desk.delete(path)).collect(),
        Asked::Patch { text } => desk.patch(text)?,
        Asked::Sketch { path, text } => vec![desk.sketch(path, text)],
    };
    limit.left_out.append(&mut desk.unseen);
    diffs.iter_mut().for_each(|file| follow(file, &verdict.facts));
    cut(&mut diffs, limit);
    Some(Form::Diff { files: diffs })
}

/// Where a call's changes are laid out. What one section of a patch does to a file, the next finds done.
struct Desk<'a> {
    call: &'a Call,
    files: &'a dyn Fn(&str) -> FileNow,
    seen: BTreeMap<String, FileNow>,
    marks: &'a mut Vec<FileMark>,
    /// Files that are changed and could not be shown.
    unseen: Vec<String>,
}

/// A file, found.
struct Found {
    path: String,
    now: Result<FileNow, String>,
}

impl Desk<'_> {
    fn find(&mut self, text: &str) -> Found {
        match located(self.call, text) {
            Err(why) => Found { path: text.to_owned(), now: Err(why) },
            Ok(path) => {
                let now = self.now(&path);
                Found { path, now: Ok(now) }
            }
        }
    }

    fn now(&mut self, path: &str) -> FileNow {
        if let Some(seen) = self.seen.get(path) {
            return seen.clone();
        }
        let now = (self.files)(path);
        if let Some(mark) = now.mark() {
            self.marks.push(FileMark { path: path.into(), mark: mark.into() });
        }
        if let FileNow::Unshown { why, .. } = &now {
            self.unseen.push(format!("`{}` as it is now: {}", shown(path), shown(why)));
        }
        self.seen.insert(path.into(), now.clone());
        now
    }

    fn write(&mut self, path: &str, content: &str) -> FileDiff {
        let Found { path, now } = self.find(path);
        let made = match now {
            Ok(FileNow::Absent) => compared(&path, Change::Created, "", content),
            Ok(FileNow::Text { text, .. }) => compared(&path, Change::Changed, &text, content),
            Ok(FileNow::Unshown { why, .. }) => unknown(&path, why, vec![diff::asked("", content)]),
            Err(why) => unknown(&path, why, vec![diff::asked("", content)]),
        };
        self.put(&path, content);
        made
    }

    fn append(&mut self, path: &str, content: &str) -> FileDiff {
        let Found { path, now } = self.find(path);
        match now {
            Ok(FileNow::Absent) => compared(&path, Change::Created, "", content),
            Ok(FileNow::Text { text, .. }) => {
                let after = format!("{text}{content}");
                compared(&path, Change::Changed, &text, &after)
            }
            Ok(FileNow::Unshown { why, .. }) | Err(why) => {
                unknown(&path, why, vec![diff::asked("", content)])
            }
        }
    }

    fn replace(&mut self, path: &str, edits: &[Replacement<'_>]) -> FileDiff {
        let Found { path, now } = self.find(path);
        let asked = || edits.iter().map(|edit| diff::asked(edit.old, edit.new)).collect();
        let (change, text) = match now {
            Ok(FileNow::Text { text, .. }) => (Change::Changed, text),
            Ok(FileNow::Absent) if edits.first().is_some_and(|edit| edit.old.is_empty()) => {
                (Change::Created, String::new())
            }
            Ok(FileNow::Absent) => return unknown(&path, "there is no such file".into(), asked()),
            Ok(FileNow::Unshown { why, .. }) => return unknown(&path, why, asked()),
            Err(why) => return unknown(&path, why, asked()),
        };
        match apply::replace(&text, edits) {
            Ok(after) => compared(&path, change, &text, &after),
            Err(why) => unknown(&path, why, asked()),
        }
    }

    fn delete(&mut self, path: &str) -> FileDiff {
        let Found { path, now } = self.find(path);
        let made = match now {
            Ok(FileNow::Text { text, .. }) => compared(&path, Change::Deleted, &text, ""),
            Ok(FileNow::Absent) => unknown(&path, "there is no such file".into(), Vec::new()),
            Ok(FileNow::Unshown { why, .. }) => {
                FileDiff { change: Change::Deleted, ..unknown(&path, why, Vec::new()) }
            }
            Err(why) => unknown(&path, why, Vec::new()),
        };
        self.seen.insert(path, FileNow::Absent);
        made
    }

    fn patch(&mut self, text: &str) -> Option<Vec<FileDiff>> {
        let sections = patch::read(text).ok().filter(|sections| !sections.is_empty())?;
        Some(sections.iter().map(|section| self.section(section)).collect())
    }

    fn section(&mut self, section: &Section) -> FileDiff {
        let (moved_to, chunks) = match &section.change {
            patch::Asked::Add(text) => return self.write(&section.path, text),
            patch::Asked::Delete => return self.delete(&section.path),
            patch::Asked::Update { moved_to, chunks } => (moved_to, chunks),
        };
        let Found { path, now } = self.find(&section.path);
        let asked = || {
            let text = |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            chunks.iter().map(|chunk| diff::asked(&text(&chunk.old), &text(&chunk.new))).collect()
        };
        let mut made = match now {
            Ok(FileNow::Text { text, .. }) => match patch::apply(&text, chunks) {
                Ok(after) => {
                    let made = compared(&path, Change::Changed, &text, &after);
                    self.put(&path, &after);
                    made
                }
                Err(why) => unknown(&path, why, asked()),
            },
            Ok(FileNow::Absent) => unknown(&path, "there is no such file".into(), asked()),
            Ok(FileNow::Unshown { why, .. }) => unknown(&path, why, asked()),
            Err(why) => unknown(&path, why, asked()),
        };
        if let Some(target) = moved_to {
            self.moved(&path, target, &mut made);
        }
        made
    }

    /// A file that is moved takes the place of another, where there is one.
    fn moved(&mut self, from: &str, target: &str, made: &mut FileDiff) {
        let to = self.find(target);
        match &to.now {
            Ok(FileNow::Absent) => {}
            Ok(_) => made.notes.push("there is a file at the place it is moved to, which is lost".into()),
            Err(why) => made.notes.push(format!("where it is moved to: {}", shown(why))),
        }
        made.moved_to = Some(shown(&to.path));
        if made.change == Change::Same {
            made.change = Change::Changed;
        }
        if let Some(text) = self.seen.remove(from) {
            self.seen.insert(to.path, text);
            self.seen.insert(from.into(), FileNow::Absent);
        }
    }

    fn sketch(&mut self, path: &str, text: &str) -> FileDiff {
        let Found { path, now } = self.find(path);
        let why = match now {
            Err(why) => why,
            Ok(_) => "the tool works the sketch into the file by its own lights".into(),
        };
        unknown(&path, why, vec![diff::asked("", text)])
    }

    /// What the file holds for the sections that follow.
    fn put(&mut self, path: &str, text: &str) {
        let now = FileNow::Text { sha256: String::new(), text: text.into() };
        self.seen.insert(path.into(), now);
    }
}

/// The absolute path a text names, or why that cannot be told: tools differ in how they read `~`, blanks and addresses.
fn located(call: &Call, text: &str) -> Result<String, String> {
    let odd = text.starts_with('~')
        || text.trim().len() != text.len()
        || text.contains("://")
        || text.chars().any(char::is_control);
    if odd || text.is_empty() {
        return Err("which file that is depends on how the tool reads its name".into());
    }
    let elsewhere = ["cwd", "workdir", "working_dir", "working_directory", "workingDirectory"];
    if !text.starts_with('/') && elsewhere.iter().any(|field| call.input.get(field).is_some()) {
        return Err("which directory the path is relative to cannot be told".into());
    }
    let joined = paths::join(call.cwd.as_deref(), text)
        .ok_or("which directory the path is relative to is not known")?;
    // `..` behind a link leads elsewhere than the text says, so the path stays as the kernel would walk it.
    let climbs = joined.split('/').any(|segment| segment == "..");
    Ok(if climbs { joined } else { paths::lexical(&joined).unwrap_or(joined) })
}

/// Says where a file really is that is reached by a link: that is what the tool changes.
fn follow(file: &mut FileDiff, facts: &Facts) {
    for path in [Some(&file.path), file.moved_to.as_ref()].into_iter().flatten() {
        if let Some(to) = facts.resolved(path).filter(|to| to != path) {
            file.notes.push(format!("`{path}` is reached by a link; the file is `{}`", shown(to)));
        }
    }
}

fn compared(path: &str, change: Change, old: &str, new: &str) -> FileDiff {
    let lines = diff::compare(old, new);
    let ends = |text: &str| text.is_empty() || text.ends_with('\n');
    let mut notes = Vec::new();
    match (ends(old), ends(new)) {
        (true, false) => notes.push("its last line has no line break afterwards".into()),
        (false, true) if change == Change::Changed => {
            notes.push("its last line gets a line break".into());
        }
        _ => {}
    }
    let change = if change == Change::Changed && old == new { Change::Same } else { change };
    FileDiff {
        path: shown(path),
        moved_to: None,
        change,
        hunks: lines.hunks,
        added: lines.added,
        removed: lines.removed,
        notes,
    }
}

fn unknown(path: &str, why: String, hunks: Vec<Hunk>) -> FileDiff {
    let count = |sign| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.sign == sign).count();
    let (added, removed) = (count(super::Sign::Added), count(super::Sign::Removed));
    let notes = vec![shown(&why)];
    FileDiff { path: shown(path), moved_to: None, change: Change::Unknown, hunks, added, removed, notes }
}

fn shown(text: &str) -> String {
    visible(text, Layout::Line).into_owned()
}

/// Lines past what is shown are left out, and the file says how many.
fn cut(diffs: &mut [FileDiff], limit: &mut Limit) {
    let mut room = LARGEST_SHOWN;
    for file in diffs {
        let (mut lines, mut bytes) = (0, 0);
        for hunk in &mut file.hunks {
            hunk.lines.retain(|line| {
                let fits = line.text.len() < room;
                room = if fits { room - line.text.len() - 1 } else { 0 };
                if !fits {
                    lines += 1;
                    bytes += line.text.len();
                }
                fits
            });
        }
        file.hunks.retain(|hunk| !hunk.lines.is_empty());
        if lines > 0 {
            file.notes.push(format!("{lines} lines are not shown"));
            limit.leave_out(bytes, &format!("of the change of `{}`", file.path));
        }
    }
}
