//! Finds where one request ends and the next begins, strictly.
//!
//! hyper accepts what RFC 9112 lets a recipient accept: lines that end with LF alone, other codings before
//! `chunked`, a length together with chunks, the same length twice. A proxy in front may parse a request like
//! that differently, and forward as the body of one request what is another request here. So the bytes are
//! followed on their way to hyper, up to the first that makes a request ambiguous. That byte is replaced by
//! NUL, which hyper rejects in heads and in chunk sizes, and nothing after it is read. hyper itself rejects
//! what is never allowed (CR alone, NUL, folded lines, a blank before the colon).

/// How much of a line is kept: enough for every length and coding that is accepted.
const KEPT: usize = 256;
/// How many digits the size of a chunk may have: as many as the largest size needs. More can only be leading
/// zeros.
const SIZE_DIGITS: usize = 16;

/// Follows the requests of one connection.
#[derive(Default)]
pub(super) struct Framing {
    part: Part,
    /// The current line, cut to [`KEPT`] bytes.
    line: Vec<u8>,
    /// The last two bytes of the line, even if it was cut.
    end: [u8; 2],
    body: Option<Body>,
}

/// The part of a request that the next byte belongs to.
#[derive(Clone, Copy, Default)]
enum Part {
    /// The request line, or an empty line before it.
    #[default]
    Start,
    Headers,
    /// Bytes that are skipped, and what follows them.
    Skip(u64, After),
    ChunkSize,
    Trailers,
}

#[derive(Clone, Copy)]
enum After {
    Body,
    Chunk,
}

#[derive(Clone, Copy)]
enum Body {
    Length(u64),
    Chunked,
}

/// A byte that makes a request ambiguous.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ambiguous {
    /// Its index in the bytes passed to [`Framing::follow`].
    pub(super) at: usize,
    pub(super) why: &'static str,
}

impl Framing {
    /// Follows bytes in the order they arrive.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Result<(), Ambiguous> {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if let Part::Skip(left, after) = self.part {
                let skipped = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                at += skipped;
                self.part = match (left - skipped as u64, after) {
                    (0, After::Body) => Part::Start,
                    (0, After::Chunk) => Part::ChunkSize,
                    (left, after) => Part::Skip(left, after),
                };
                continue;
            }
            let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |found| found + 1);
            let piece = rest.get(..length).unwrap_or(rest);
            at += length;
            self.keep(piece);
            if piece.ends_with(b"\n") {
                self.part = self.line_ends().map_err(|why| Ambiguous { at: at - 1, why })?;
                self.line.clear();
                self.end = [0; 2];
            }
        }
        Ok(())
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = KEPT.saturating_sub(self.line.len()).min(piece.len());
        self.line.extend_from_slice(piece.get(..room).unwrap_or_default());
        for byte in piece.get(piece.len().saturating_sub(2)..).unwrap_or_default() {
            self.end = [self.end[1], *byte];
        }
    }

    /// Interprets a complete line and returns the next part.
    fn line_ends(&mut self) -> Result<Part, &'static str> {
        if self.end != *b"\r\n" {
            return Err("a line ends with LF alone");
        }
        let whole = self.line.ends_with(b"\r\n");
        let line = self.line.strip_suffix(b"\r\n").unwrap_or(&self.line);
        match self.part {
            Part::Start if line.is_empty() => Ok(Part::Start),
            Part::Start => {
                self.body = None;
                Ok(Part::Headers)
            }
            Part::Headers if !line.is_empty() => {
                let body = body_of(line, whole)?;
                match body.is_some() && std::mem::replace(&mut self.body, body).is_some() {
                    true => Err("the length of the body is given more than once"),
                    false => Ok(Part::Headers),
                }
            }
            Part::Headers => Ok(match self.body {
                None | Some(Body::Length(0)) => Part::Start,
                Some(Body::Length(length)) => Part::Skip(length, After::Body),
                Some(Body::Chunked) => Part::ChunkSize,
            }),
            Part::ChunkSize => match chunk_size(line, whole)? {
                0 => Ok(Part::Trailers),
                // hyper checks that a chunk ends with CR LF.
                size => Ok(Part::Skip(size.checked_add(2).ok_or(BAD_CHUNK)?, After::Chunk)),
            },
            Part::Trailers if line.is_empty() => Ok(Part::Start),
            part => Ok(part),
        }
    }
}

const BAD_CHUNK: &str = "the size of a chunk is not a number, or is too large";

/// What a header says about the body, if anything. `whole`: the line was not cut.
fn body_of(line: &[u8], whole: bool) -> Result<Option<Body>, &'static str> {
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return Ok(None) };
    let (name, value) = line.split_at(colon);
    let value = value.get(1..).unwrap_or_default().trim_ascii();
    if name.eq_ignore_ascii_case(b"content-length") {
        let digits = whole && value.iter().all(u8::is_ascii_digit);
        let length = std::str::from_utf8(value).ok().filter(|_| digits).and_then(|text| text.parse().ok());
        return length.map(|length| Some(Body::Length(length))).ok_or("`Content-Length` is not a number");
    }
    if name.eq_ignore_ascii_case(b"transfer-encoding") {
        return match whole && value.eq_ignore_ascii_case(b"chunked") {
            true => Ok(Some(Body::Chunked)),
            false => Err("`Transfer-Encoding` is not `chunked` alone"),
        };
    }
    Ok(None)
}

/// The size at the beginning of a line; extensions after it are ignored. `whole`: the line was not cut, so
/// there are no further digits.
fn chunk_size(line: &[u8], whole: bool) -> Result<u64, &'static str> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    if !whole || digits > SIZE_DIGITS {
        return Err(BAD_CHUNK);
    }
    let (size, rest) = line.split_at(digits);
    let size = std::str::from_utf8(size).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
    match rest.first() {
        None | Some(b';' | b' ' | b'\t') => size.ok_or(BAD_CHUNK),
        Some(_) => Err(BAD_CHUNK),
    }
}

#[cfg(test)]
mod tests {
    use super::{Ambiguous, Framing};

    /// The result for the bytes, however they are split into pieces.
    fn followed(bytes: &[u8]) -> Result<(), Ambiguous> {
        let whole = Framing::default().follow(bytes);
        for size in [1, 2, 3, 7] {
            let mut framing = Framing::default();
            let mut pieces = bytes.chunks(size).enumerate();
            let found = pieces.find_map(|(number, piece)| Some((number, framing.follow(piece).err()?)));
            let found = found.map(|(number, found)| Ambiguous { at: number * size + found.at, ..found });
            assert_eq!(found.map_or(Ok(()), Err), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn consecutive_requests_are_followed_to_their_ends() {
        let long = format!(
            "POST /{0} HTTP/1.1\r\nX-Long: {0}\r\nContent-Length: 4\r\n\r\n\n\n\n\n",
            "y".repeat(5000)
        );
        for request in [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "\r\nGET / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-LENGTH:\t6 \r\n\r\n{\n\n}\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\n\n\n\r\n0A ;x=\"y\"\r\n\n\n\n\n\n\n\n\n\n\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0;x\r\nContent-Length: 5\r\nX: y\r\n\r\n",
            &long,
        ] {
            assert_eq!(followed(request.repeat(3).as_bytes()), Ok(()), "{request}");
            // Whatever precedes it, a line that ends with LF alone is found at its position.
            let broken = format!("{request}GET / HTTP/1.1\n");
            assert_eq!(followed(broken.as_bytes()).unwrap_err().at, broken.len() - 1, "{request}");
        }
    }

    #[test]
    fn ambiguous_requests_are_found() {
        let padded = format!("Content-Length: {}5\r\n", " ".repeat(300));
        let zeros = |count| format!("Transfer-Encoding: chunked\r\n\r\n{}2c\r\n", "0".repeat(count));
        let (longer, longest) = (zeros(15), zeros(300));
        let extended = format!("Transfer-Encoding: chunked\r\n\r\n2c;{}\r\n", "x".repeat(300));
        let coded = format!("Transfer-Encoding: chunked,{}chunked\r\n", " ".repeat(300));
        for headers in [
            "Content-Length: 5\r\nContent-Length: 5\r\n",
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: identity, chunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
            "Transfer-Encoding: xchunked\r\n",
            "Transfer-Encoding:\r\n",
            "Content-Length: +5\r\n",
            "Content-Length: 5, 5\r\n",
            "Content-Length:\r\n",
            "Content-Length: 18446744073709551616\r\n",
            "Host: x\n",
            &padded,
            &coded,
            &longer,
            &longest,
            &extended,
            "\n",
            "Transfer-Encoding: chunked\r\n\r\n5\n",
            "Transfer-Encoding: chunked\r\n\r\n5;x\n",
            "Transfer-Encoding: chunked\r\n\r\n0x5\r\n",
            "Transfer-Encoding: chunked\r\n\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\n",
            "Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\n",
        ] {
            let head = format!("POST / HTTP/1.1\r\n{headers}");
            assert_eq!(followed(head.as_bytes()).unwrap_err().at, head.len() - 1, "{headers}");
        }
    }
}
