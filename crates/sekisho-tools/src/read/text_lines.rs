//! A range of lines of a file. The file is never in memory as a whole, however long its lines are.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use encoding_rs_io::DecodeReaderBytesBuilder;

use crate::file_access::{ShownLine, StopSignal, StoppableReader};

/// The most characters of a line that are shown.
pub(super) const MAX_LINE: usize = 2000;
/// The most bytes of text that are shown.
const MAX_BYTES: usize = 100_000;
/// After the range, up to so many bytes are read to count the lines of the file.
const MAX_COUNTED: u64 = 16 << 20;
/// The bytes that are read at a time.
const BUFFER: usize = 64 << 10;

/// Which lines are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineRange {
    /// The first has the number 1.
    pub(super) first: u64,
    pub(super) count: u64,
}

/// What is shown of a file.
#[derive(Debug, Default)]
pub(super) struct TextPage {
    pub(super) text: String,
    /// How many lines are shown.
    pub(super) lines: u64,
    /// The lines of the file, if they are known.
    pub(super) total_lines: Option<u64>,
    /// Whether the file ends with the last line that is shown.
    pub(super) is_end: bool,
    pub(super) cut_lines: u64,
    pub(super) has_other_bytes: bool,
    pub(super) ends_with_crlf: bool,
    /// Another encoding than UTF-8.
    pub(super) encoding: Option<&'static str>,
}

/// Reads a range of lines of a file of `size` bytes.
pub(super) fn read_page(file: &File, size: u64, range: LineRange, stop: &StopSignal) -> io::Result<TextPage> {
    let mut reader = StoppableReader { file, stop };
    let mut mark = [0; 2];
    let length = read_fully(&mut reader, &mut mark)?;
    let start = mark.get(..length).unwrap_or_default();
    let encoding = match start {
        b"\xff\xfe" => Some("UTF-16LE"),
        b"\xfe\xff" => Some("UTF-16BE"),
        _ => None,
    };
    // Bytes that are neither UTF-16 nor UTF-8 stay as they are.
    let decoded =
        DecodeReaderBytesBuilder::new().utf8_passthru(true).strip_bom(true).build(start.chain(reader));
    let mut lines = Lines { reader: BufReader::with_capacity(BUFFER, decoded), passed: 0 };
    let mut page = TextPage { encoding, ..TextPage::default() };
    let before = lines.skip(range.first - 1)?;
    if before < range.first - 1 {
        return Ok(TextPage { total_lines: Some(before), is_end: true, ..page });
    }
    while page.lines < range.count {
        let Some(line) = lines.next()? else {
            page.is_end = true;
            break;
        };
        if !page.add(range.first + page.lines, &line) {
            // The line that did not fit counts as read, and is shown again by the next call.
            let rest = count_rest(&mut lines, size)?;
            page.total_lines = rest.map(|rest| before + page.lines + 1 + rest);
            return Ok(page);
        }
    }
    page.is_end = page.is_end || lines.reader.fill_buf()?.is_empty();
    let rest = if page.is_end { Some(0) } else { count_rest(&mut lines, size)? };
    page.total_lines = rest.map(|rest| before + page.lines + rest);
    Ok(page)
}

fn read_fully(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = bytes.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

/// The number of the remaining lines, if few bytes are left.
fn count_rest<R: Read>(lines: &mut Lines<R>, size: u64) -> io::Result<Option<u64>> {
    if size.saturating_sub(lines.passed) > MAX_COUNTED {
        return Ok(None);
    }
    // A file that grows meanwhile is not followed for ever.
    let end = lines.passed + 2 * MAX_COUNTED;
    let mut count = 0;
    while lines.passed < end {
        let skipped = lines.skip(1024)?;
        count += skipped;
        if skipped < 1024 {
            return Ok(Some(count));
        }
    }
    Ok(None)
}

impl TextPage {
    /// Adds a line. Returns whether there is room for it; the first line always fits.
    fn add(&mut self, number: u64, line: &RawLine) -> bool {
        let shown = ShownLine::new(&line.beginning, line.length, MAX_LINE);
        let (is_cut, has_other_bytes) = (shown.left_out > 0, shown.has_other_bytes);
        let text = shown.into_text();
        if self.lines > 0 && self.text.len() + text.len() > MAX_BYTES {
            return false;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{number}\t{text}");
        self.lines += 1;
        self.cut_lines += u64::from(is_cut);
        self.has_other_bytes |= has_other_bytes;
        self.ends_with_crlf |= line.ends_with_crlf;
        true
    }
}

/// A line as it is in the file.
struct RawLine {
    /// As much as can be shown.
    beginning: Vec<u8>,
    /// All of it, without its end.
    length: u64,
    ends_with_crlf: bool,
}

/// The lines of a reader.
struct Lines<R> {
    reader: BufReader<R>,
    /// How many bytes were read.
    passed: u64,
}

impl<R: Read> Lines<R> {
    /// Passes over lines. Returns how many there were.
    fn skip(&mut self, count: u64) -> io::Result<u64> {
        let (mut skipped, mut is_inside) = (0, false);
        while skipped < count {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(skipped + u64::from(is_inside));
            }
            let wanted = usize::try_from(count - skipped).unwrap_or(usize::MAX);
            let mut used = buffer.len();
            is_inside = buffer.last() != Some(&b'\n');
            for (found, at) in memchr::memchr_iter(b'\n', buffer).enumerate().take(wanted) {
                skipped += 1;
                if found + 1 == wanted {
                    used = at + 1;
                    is_inside = false;
                }
            }
            self.passed += used as u64;
            self.reader.consume(used);
        }
        Ok(skipped)
    }

    fn next(&mut self) -> io::Result<Option<RawLine>> {
        let mut line = RawLine { beginning: Vec::new(), length: 0, ends_with_crlf: false };
        let (mut last, mut any) = (None, false);
        loop {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return Ok(any.then_some(line));
            }
            any = true;
            let end = memchr::memchr(b'\n', buffer);
            let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
            let room = (4 * MAX_LINE + 8).saturating_sub(line.beginning.len());
            line.beginning.extend(part.iter().take(room));
            line.length += part.len() as u64;
            last = part.last().copied().or(last);
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.passed += used as u64;
            self.reader.consume(used);
            if end.is_some() {
                line.ends_with_crlf = last == Some(b'\r');
                if line.ends_with_crlf {
                    line.length -= 1;
                    if line.beginning.len() as u64 > line.length {
                        line.beginning.pop();
                    }
                }
                return Ok(Some(line));
            }
        }
    }
}
