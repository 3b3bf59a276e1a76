//! File edits as diffs against the current files.

use std::collections::BTreeMap;

use sekisho_policy::{Call, Facts, Verdict, paths};

use super::diff::DiffLines;
use super::file_edit::{self, FileEdit, Replacement};
use super::patch::{self, Section};
use super::size_limit::SizeLimit;
use super::work_budget::Budget;
use super::{
    FileChange, FileDiff, FileFingerprint, FileNote, Form, Layout, LeftOut, diff, text_replacement, visible,
};
use crate::host_ports::CurrentFile;

/// The form of a call to a write tool. None if its input has no known form.
pub(super) fn form(
    (call, verdict): (&Call, &Verdict),
    files: &dyn Fn(&str) -> CurrentFile,
    limit: &mut SizeLimit,
    marks: &mut Vec<FileFingerprint>,
) -> Option<Form> {
    let budget = Budget::default();
    let mut builder =
        DiffBuilder { call, files, seen: BTreeMap::new(), marks, limit, budget, gave_up: false };
    let mut diffs = match file_edit::read(call)? {
        FileEdit::Write { path, content } => vec![builder.write(path, content)],
        FileEdit::Append { path, content } => vec![builder.append(path, content)],
        FileEdit::Replace { path, edits } => vec![builder.replace(path, &edits)],
        FileEdit::Delete { paths } => builder.each(&paths, |builder, path| builder.delete(path)),
        FileEdit::Patch { text } => builder.patch(text)?,
        FileEdit::Sketch { path, text } => vec![builder.sketch(path, text)],
    };
    diffs.iter_mut().for_each(|file| follow(file, &verdict.facts));
    Some(Form::Diff { files: diffs })
}

/// The maximum number of files shown.
const MAX_FILES: usize = 1000;

/// The cost of looking up a file, and of reading, splitting and comparing a byte of it.
const FILE: usize = 4096;
const BYTE: usize = 8;
/// The cost of reading a file that is too large to be shown.
const LARGE_FILE: usize = 4 << 20;

/// No requested text.
const NOTHING: &[(&str, &str)] = &[];

/// Builds the diffs of a call. Each section of a patch sees the changes of earlier sections.
struct DiffBuilder<'a> {
    call: &'a Call,
    files: &'a dyn Fn(&str) -> CurrentFile,
    seen: BTreeMap<String, CurrentFile>,
    marks: &'a mut Vec<FileFingerprint>,
    limit: &'a mut SizeLimit,
    budget: Budget,
    /// Whether the budget was too small to read a file, which has then been reported.
    gave_up: bool,
}

/// A file and its current content.
struct LocatedFile {
    path: String,
    now: Result<CurrentFile, FileNote>,
}

impl DiffBuilder<'_> {
    fn find(&mut self, text: &str) -> LocatedFile {
        match located(self.call, text) {
            Err(why) => LocatedFile { path: text.to_owned(), now: Err(why) },
            Ok(path) => {
                let now = self.now(&path);
                LocatedFile { path, now: Ok(now) }
            }
        }
    }

    fn now(&mut self, path: &str) -> CurrentFile {
        if !self.budget.spend(FILE) {
            return self.skip_file(path);
        }
        if let Some(seen) = self.seen.get(path) {
            if !self.budget.spend(cost(seen)) {
                return self.skip_file(path);
            }
            return seen.clone();
        }
        let now = (self.files)(path);
        if let Some(mark) = now.fingerprint() {
            self.marks.push(FileFingerprint { path: path.into(), mark: mark.into() });
        }
        if let CurrentFile::NotShowable { why, .. } = &now {
            self.limit.left_out.push(LeftOut::FileNow { path: shown(path), because: why.clone() });
        }
        let affordable = self.budget.spend(cost(&now));
        self.seen.insert(path.into(), now.clone());
        if affordable { now } else { self.skip_file(path) }
    }

    /// A file that is not read. It gets no fingerprint, or keeps the one from an earlier read.
    fn skip_file(&mut self, path: &str) -> CurrentFile {
        if !self.gave_up {
            self.limit.left_out.push(LeftOut::FilesNow { path: shown(path) });
        }
        self.gave_up = true;
        CurrentFile::NotShowable { sha256: None, why: FileNote::TooMuchWork }
    }

    /// Shows files one after another, up to the maximum.
    fn each<T>(&mut self, all: &[T], mut show: impl FnMut(&mut Self, &T) -> FileDiff) -> Vec<FileDiff> {
        if let Some(more) = all.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
            self.limit.left_out.push(LeftOut::Changes { changes: more });
        }
        all.iter().take(MAX_FILES).map(|one| show(self, one)).collect()
    }

    fn write(&mut self, path: &str, content: &str) -> FileDiff {
        let LocatedFile { path, now } = self.find(path);
        let made = match now {
            Ok(CurrentFile::Absent) => self.compared(&path, FileChange::Created, "", content),
            Ok(CurrentFile::Text { text, .. }) => self.compared(&path, FileChange::Changed, &text, content),
            Ok(CurrentFile::NotShowable { why, .. }) | Err(why) => self.unknown(&path, why, &[("", content)]),
        };
        self.put(&path, content);
        made
    }

    fn append(&mut self, path: &str, content: &str) -> FileDiff {
        let LocatedFile { path, now } = self.find(path);
        match now {
            Ok(CurrentFile::Absent) => self.compared(&path, FileChange::Created, "", content),
            Ok(CurrentFile::Text { text, .. }) => {
                let after = format!("{text}{content}");
                self.compared(&path, FileChange::Changed, &text, &after)
            }
            Ok(CurrentFile::NotShowable { why, .. }) | Err(why) => self.unknown(&path, why, &[("", content)]),
        }
    }

    fn replace(&mut self, path: &str, edits: &[Replacement<'_>]) -> FileDiff {
        let LocatedFile { path, now } = self.find(path);
        let made = match now {
            Ok(CurrentFile::Text { text, .. }) => Ok((FileChange::Changed, text)),
            Ok(CurrentFile::Absent) if edits.first().is_some_and(|edit| edit.old.is_empty()) => {
                Ok((FileChange::Created, String::new()))
            }
            Ok(CurrentFile::Absent) => Err(FileNote::NoSuchFile),
            Ok(CurrentFile::NotShowable { why, .. }) | Err(why) => Err(why),
        };
        let made = made.and_then(|(change, text)| {
            let after = text_replacement::replace(&text, edits, &mut self.budget)?;
            Ok((change, text, after))
        });
        match made {
            Ok((change, text, after)) => self.compared(&path, change, &text, &after),
            Err(why) => {
                let requested: Vec<_> = edits.iter().map(|edit| (edit.old, edit.new)).collect();
                self.unknown(&path, why, &requested)
            }
        }
    }

    fn delete(&mut self, path: &str) -> FileDiff {
        let LocatedFile { path, now } = self.find(path);
        let made = match now {
            Ok(CurrentFile::Text { text, .. }) => self.compared(&path, FileChange::Deleted, &text, ""),
            Ok(CurrentFile::Absent) => self.unknown(&path, FileNote::NoSuchFile, NOTHING),
            Ok(CurrentFile::NotShowable { why, .. }) => {
                FileDiff { change: FileChange::Deleted, ..self.unknown(&path, why, NOTHING) }
            }
            Err(why) => self.unknown(&path, why, NOTHING),
        };
        self.seen.insert(path, CurrentFile::Absent);
        made
    }

    fn patch(&mut self, text: &str) -> Option<Vec<FileDiff>> {
        let sections = patch::read(text).ok().filter(|sections| !sections.is_empty())?;
        Some(self.each(&sections, DiffBuilder::section))
    }

    fn section(&mut self, section: &Section) -> FileDiff {
        let (moved_to, chunks) = match &section.change {
            patch::SectionEdit::Add(text) => return self.write(&section.path, text),
            patch::SectionEdit::Delete => return self.delete(&section.path),
            patch::SectionEdit::Update { moved_to, chunks } => (moved_to, chunks),
        };
        let LocatedFile { path, now } = self.find(&section.path);
        let after = match now {
            Ok(CurrentFile::Text { text, .. }) => {
                patch::apply(&text, chunks, &mut self.budget).map(|after| (text, after))
            }
            Ok(CurrentFile::Absent) => Err(FileNote::NoSuchFile),
            Ok(CurrentFile::NotShowable { why, .. }) | Err(why) => Err(why),
        };
        let mut made = match after {
            Ok((text, after)) => {
                let made = self.compared(&path, FileChange::Changed, &text, &after);
                self.put(&path, &after);
                made
            }
            Err(why) => {
                let text =
                    |lines: &[String]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
                let requested: Vec<(String, String)> =
                    chunks.iter().map(|chunk| (text(&chunk.old), text(&chunk.new))).collect();
                self.unknown(&path, why, &requested)
            }
        };
        if let Some(target) = moved_to {
            self.moved(&path, target, &mut made);
        }
        made
    }

    /// A moved file replaces any file at its destination.
    fn moved(&mut self, from: &str, target: &str, made: &mut FileDiff) {
        let to = self.find(target);
        match &to.now {
            Ok(CurrentFile::Absent) => {}
            Ok(_) => note(made, FileNote::MoveOverwrites),
            Err(why) => note(made, FileNote::MoveUnclear { because: Box::new(why.clone()) }),
        }
        made.moved_to = Some(shown(&to.path));
        if made.change == FileChange::Same {
            made.change = FileChange::Changed;
        }
        if let Some(text) = self.seen.remove(from) {
            self.seen.insert(to.path, text);
            self.seen.insert(from.into(), CurrentFile::Absent);
        }
    }

    fn sketch(&mut self, path: &str, text: &str) -> FileDiff {
        let LocatedFile { path, now } = self.find(path);
        let why = match now {
            Err(why) => why,
            Ok(_) => FileNote::Sketch,
        };
        self.unknown(&path, why, &[("", text)])
    }

    /// Stores the new content of a file for later sections.
    fn put(&mut self, path: &str, text: &str) {
        let now = CurrentFile::Text { sha256: String::new(), text: text.into() };
        self.seen.insert(path.into(), now);
    }

    fn compared(&mut self, path: &str, change: FileChange, old: &str, new: &str) -> FileDiff {
        let lines = diff::compare(old, new, &mut self.budget);
        let ends = |text: &str| text.is_empty() || text.ends_with('\n');
        let mut notes = Vec::new();
        match (ends(old), ends(new)) {
            (true, false) => notes.push(FileNote::LastLineBreakRemoved),
            (false, true) if change == FileChange::Changed => notes.push(FileNote::LastLineBreakAdded),
            _ => {}
        }
        if lines.coarse {
            notes.push(FileNote::ComparedAsBlock);
        }
        let change = if change == FileChange::Changed && old == new { FileChange::Same } else { change };
        self.file(path, change, lines, notes)
    }

    /// A file whose new content is unknown. The hunks show what was requested.
    fn unknown(
        &mut self,
        path: &str,
        why: FileNote,
        requested: &[(impl AsRef<str>, impl AsRef<str>)],
    ) -> FileDiff {
        let lines = diff::requested_lines(requested, &mut self.budget);
        self.file(path, FileChange::Unknown, lines, vec![why])
    }

    /// A file with its lines. Notes how many are not shown.
    fn file(
        &mut self,
        path: &str,
        change: FileChange,
        lines: DiffLines,
        mut notes: Vec<FileNote>,
    ) -> FileDiff {
        let path = shown(path);
        let (left_out, bytes) = lines.left_out;
        if left_out > 0 {
            notes.push(FileNote::LinesNotShown { lines: left_out });
            self.limit.left_out.push(LeftOut::Change { bytes, path: path.clone() });
        }
        let DiffLines { hunks, added, removed, .. } = lines;
        let mut made = FileDiff {
            path,
            moved_to: None,
            change,
            hunks,
            added,
            removed,
            notes: Vec::new(),
            note_codes: Vec::new(),
        };
        notes.into_iter().for_each(|one| note(&mut made, one));
        made
    }
}

fn note(file: &mut FileDiff, note: FileNote) {
    file.notes.push(note.sentence());
    file.note_codes.push(note);
}

/// The cost of working with a file.
fn cost(now: &CurrentFile) -> usize {
    match now {
        CurrentFile::Absent => 0,
        CurrentFile::Text { text, .. } => text.len().saturating_mul(BYTE),
        CurrentFile::NotShowable { sha256, .. } => sha256.as_ref().map_or(0, |_| LARGE_FILE),
    }
}

/// The absolute path of a text, or why it is unknown: tools differ in how they treat `~`, spaces and
/// URLs.
fn located(call: &Call, text: &str) -> Result<String, FileNote> {
    let odd = text.starts_with('~')
        || text.trim().len() != text.len()
        || text.contains("://")
        || text.chars().any(char::is_control);
    if odd || text.is_empty() {
        return Err(FileNote::NameUnclear);
    }
    let elsewhere = ["cwd", "workdir", "working_dir", "working_directory", "workingDirectory"];
    if !text.starts_with('/') && elsewhere.iter().any(|field| call.input.get(field).is_some()) {
        return Err(FileNote::DirectoryUnclear);
    }
    let joined = paths::join(call.cwd.as_deref(), text).ok_or(FileNote::DirectoryUnknown)?;
    // `..` after a link leads elsewhere than the text suggests, so the path stays as the kernel would
    // resolve it.
    Ok(if paths::climbs(&joined) { joined } else { paths::normalise_lexically(&joined).unwrap_or(joined) })
}

/// Notes the real path of a file behind a link, because the tool changes that file.
fn follow(file: &mut FileDiff, facts: &Facts) {
    for path in [Some(file.path.clone()), file.moved_to.clone()].into_iter().flatten() {
        if let Some(to) = facts.resolved(&path).filter(|to| **to != *path) {
            let target = shown(to);
            note(file, FileNote::ReachedByLink { path, target });
        }
    }
}

fn shown(text: &str) -> String {
    visible(text, Layout::Line).into_owned()
}
