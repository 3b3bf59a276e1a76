//! The matches of one file.

use std::fs::File;
use std::io;

use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch,
};

use super::query::{GrepQuery, OutputMode};
use crate::file_access::{ShownLine, StopSignal, StoppableReader};

/// The most characters that are shown of a line.
const MAX_LINE: usize = 500;
/// The most memory for the lines around the place of a search, in bytes. A longer line ends the search of its file.
/// A search can be stopped only between two buffers, and a pattern may take a thousand steps for each byte.
const MAX_BUFFER: usize = 1 << 20;
/// The most matching lines that are kept of one file among several.
pub(super) const MAX_PER_FILE: usize = 50;

/// A line of a file, or a gap between lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FoundLine {
    Match(u64, String),
    Context(u64, String),
    Gap,
}

impl FoundLine {
    fn bytes(&self) -> usize {
        match self {
            FoundLine::Match(_, text) | FoundLine::Context(_, text) => text.len() + 16,
            FoundLine::Gap => 3,
        }
    }
}

/// The matches of one file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileMatches {
    /// The lines that are kept.
    pub(super) lines: Vec<FoundLine>,
    /// How many of the matching lines are kept.
    pub(super) kept: usize,
    /// All matching lines. In mode `files` the first only.
    pub(super) total: u64,
    /// About the size of the lines that are kept.
    pub(super) bytes: usize,
}

/// How the search of a file ended.
pub(super) enum FileOutcome {
    /// None of its lines matches.
    NoMatch,
    Matches(FileMatches),
    /// It contains a NUL.
    Binary,
    /// A line is longer than the buffer, or the file cannot be read.
    Unreadable,
}

/// Searches files one after the other.
pub(super) struct FileSearcher {
    matcher: RegexMatcher,
    searcher: Searcher,
    /// Finds no line numbers and no context, which takes longer than to find the matches.
    counter: Searcher,
    mode: OutputMode,
    limit: usize,
}

/// What of a file is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Lines,
    /// The number of matching lines.
    Total,
}

impl FileSearcher {
    /// `limit` is the number of matching lines that are kept of a file.
    pub(super) fn new(query: &GrepQuery, limit: usize) -> FileSearcher {
        let context = if query.mode == OutputMode::Content { query.context } else { 0 };
        // A map of a file that somebody shortens would end this process, so files are read.
        let mut builder = SearcherBuilder::new();
        builder.binary_detection(BinaryDetection::quit(0)).heap_limit(Some(MAX_BUFFER)).line_number(false);
        let counter = builder.build();
        builder.before_context(context).after_context(context);
        let searcher = builder.line_number(query.mode == OutputMode::Content).build();
        FileSearcher { matcher: query.matcher.clone(), searcher, counter, mode: query.mode, limit }
    }

    pub(super) fn search(&mut self, file: &File, wanted: Wanted, stop: &StopSignal) -> FileOutcome {
        let (searcher, limit) = match wanted {
            Wanted::Lines => (&mut self.searcher, self.limit),
            Wanted::Total => (&mut self.counter, 0),
        };
        let mut sink = MatchSink {
            found: FileMatches::default(),
            mode: self.mode,
            limit,
            is_binary: false,
            is_last_kept: false,
        };
        let reader = StoppableReader { file, stop };
        let searched = searcher.search_reader(&self.matcher, reader, &mut sink);
        match searched {
            _ if sink.is_binary => FileOutcome::Binary,
            // Whoever searches asks the signal, and leaves out the file.
            Err(_) => FileOutcome::Unreadable,
            Ok(()) if sink.found.total == 0 => FileOutcome::NoMatch,
            Ok(()) => FileOutcome::Matches(sink.found),
        }
    }
}

struct MatchSink {
    found: FileMatches,
    mode: OutputMode,
    limit: usize,
    is_binary: bool,
    /// The last matching line was kept.
    is_last_kept: bool,
}

impl MatchSink {
    fn keep(&mut self, line: FoundLine) {
        self.found.bytes += line.bytes();
        self.found.lines.push(line);
    }

    fn is_full(&self) -> bool {
        self.found.kept >= self.limit
    }
}

impl Sink for MatchSink {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        self.found.total += 1;
        self.is_last_kept = self.mode == OutputMode::Content && !self.is_full();
        match self.mode {
            OutputMode::Files => return Ok(false),
            OutputMode::Content if self.is_last_kept => {
                self.found.kept += 1;
                self.keep(FoundLine::Match(found.line_number().unwrap_or(0), line_text(found.bytes())));
            }
            OutputMode::Content | OutputMode::Count => {}
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        // The lines around a match that is not kept are not kept either.
        let is_after = *found.kind() == SinkContextKind::After;
        if (is_after && self.is_last_kept) || (!is_after && !self.is_full()) {
            self.keep(FoundLine::Context(found.line_number().unwrap_or(0), line_text(found.bytes())));
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if !self.is_full() {
            self.keep(FoundLine::Gap);
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _offset: u64) -> Result<bool, io::Error> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

/// A line without its end, and cut if it is long.
fn line_text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    ShownLine::new(bytes, bytes.len() as u64, MAX_LINE).into_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut() {
        let check = |line: &[u8], expected: &str| assert_eq!(line_text(line), expected);
        check(b"a\tb\r\n", "a\tb");
        check(b"a\rb", "a\rb");
        check(b"", "");
        check(b"\xe9", "\\xE9");
        let all = "x".repeat(MAX_LINE);
        check(all.as_bytes(), &all);
        check("x".repeat(MAX_LINE + 7).as_bytes(), &format!("{all}… [7 more bytes]"));
        let wide = "日".repeat(MAX_LINE);
        check("日".repeat(MAX_LINE + 1).as_bytes(), &format!("{wide}… [3 more bytes]"));
    }
}
