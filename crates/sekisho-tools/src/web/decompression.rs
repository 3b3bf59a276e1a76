//! Undoes the encoding of a body, up to a limit of bytes.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, GzDecoder, ZlibDecoder};

/// The most parts of a body that is compressed with gzip. Each costs memory and time, even if it is empty.
const MAX_PARTS: usize = 1000;
/// What every part begins with.
const GZIP_MAGIC: u8 = 0x1f;

/// Collects at most so many bytes.
#[derive(Debug, Default)]
struct CappedBytes {
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl Write for CappedBytes {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        let room = self.limit.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(more.get(..room).unwrap_or(more));
        if room < more.len() {
            self.is_full = true;
            return Err(io::Error::other("the limit is reached"));
        }
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

enum Decoder {
    Identity(CappedBytes),
    /// The decoder of a part, and how many parts were before it.
    Gzip(Box<GzDecoder<CappedBytes>>, usize),
    /// `deflate` before its first two bytes tell which of two formats it is.
    UnknownDeflate(Vec<u8>, CappedBytes),
    Zlib(Box<ZlibDecoder<CappedBytes>>),
    Deflate(Box<DeflateDecoder<CappedBytes>>),
}

/// Undoes one `Content-Encoding`.
pub(super) struct BodyDecoder {
    decoder: Decoder,
    has_bytes: bool,
    rest: Rest,
}

/// What follows the compressed data.
#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    has_begun: bool,
    /// Whether it is more than padding.
    has_bytes: bool,
}

impl Rest {
    fn add(&mut self, bytes: &[u8]) {
        self.has_begun |= !bytes.is_empty();
        self.has_bytes |= bytes.iter().any(|byte| *byte != 0);
    }
}

/// Whether more bytes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Full,
}

/// A decoded body.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// The compressed data has its end, and its checksum is right if it has one.
    pub(super) is_whole: bool,
    /// Something other than padding follows the compressed data. It was not decoded.
    pub(super) has_rest: bool,
}

impl BodyDecoder {
    /// None if the encoding is unknown here. `limit` is in decoded bytes.
    pub(super) fn new(encoding: &str, limit: usize) -> Option<BodyDecoder> {
        let sink = CappedBytes { bytes: Vec::new(), limit, is_full: false };
        let decoder = match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Decoder::Identity(sink),
            "gzip" | "x-gzip" => Decoder::Gzip(Box::new(GzDecoder::new(sink)), 0),
            "deflate" => Decoder::UnknownDeflate(Vec::new(), sink),
            _ => return None,
        };
        Some(BodyDecoder { decoder, has_bytes: false, rest: Rest::default() })
    }

    /// Whether decoding so many bytes may take long.
    pub(super) fn is_slow(&self, bytes: usize) -> bool {
        !matches!(self.decoder, Decoder::Identity(_)) && bytes > 1024
    }

    /// Takes the next bytes of the body.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Progress, String> {
        self.has_bytes |= !bytes.is_empty();
        self.choose_deflate(bytes);
        let written = match &mut self.decoder {
            Decoder::Identity(sink) => sink.write_all(bytes),
            Decoder::Gzip(decoder, parts) => write_parts(decoder, parts, bytes, &mut self.rest),
            Decoder::UnknownDeflate(start, _) => {
                start.extend_from_slice(bytes);
                Ok(())
            }
            Decoder::Zlib(decoder) => write_before_end(bytes, &mut self.rest, |bytes| decoder.write(bytes)),
            Decoder::Deflate(decoder) => {
                write_before_end(bytes, &mut self.rest, |bytes| decoder.write(bytes))
            }
        };
        match written {
            _ if self.sink().is_full => Ok(Progress::Full),
            Ok(()) => Ok(Progress::More),
            Err(error) => {
                Err(format!("the compressed body is damaged: {}", error.to_string().to_lowercase()))
            }
        }
    }

    fn choose_deflate(&mut self, bytes: &[u8]) {
        let Decoder::UnknownDeflate(start, sink) = &mut self.decoder else { return };
        let mut head = start.iter().chain(bytes).copied();
        let (Some(first), Some(second)) = (head.next(), head.next()) else { return };
        let sink = std::mem::take(sink);
        let is_zlib = first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)) % 31 == 0;
        let start = std::mem::take(start);
        self.decoder = match is_zlib {
            true => Decoder::Zlib(Box::new(ZlibDecoder::new(sink))),
            false => Decoder::Deflate(Box::new(DeflateDecoder::new(sink))),
        };
        // One byte at most; the rest of the stream says whether it was valid.
        let _ = match &mut self.decoder {
            Decoder::Zlib(decoder) => decoder.write_all(&start),
            Decoder::Deflate(decoder) => decoder.write_all(&start),
            _ => Ok(()),
        };
    }

    fn sink(&mut self) -> &mut CappedBytes {
        match &mut self.decoder {
            Decoder::Identity(sink) | Decoder::UnknownDeflate(_, sink) => sink,
            Decoder::Gzip(decoder, _) => decoder.get_mut(),
            Decoder::Zlib(decoder) => decoder.get_mut(),
            Decoder::Deflate(decoder) => decoder.get_mut(),
        }
    }

    /// The decoded bytes. A body that ended too early gives what there is.
    pub(super) fn finish(mut self) -> Decoded {
        // What is decoded and not yet written comes first. The limit may be reached here.
        let _ = match &mut self.decoder {
            Decoder::Identity(_) | Decoder::UnknownDeflate(..) => Ok(()),
            Decoder::Gzip(decoder, _) => decoder.flush(),
            Decoder::Zlib(decoder) => decoder.flush(),
            Decoder::Deflate(decoder) => decoder.flush(),
        };
        let bytes = std::mem::take(&mut self.sink().bytes);
        let is_whole = match &mut self.decoder {
            _ if !self.has_bytes => true,
            Decoder::Identity(_) => true,
            Decoder::UnknownDeflate(..) => false,
            Decoder::Gzip(decoder, _) => decoder.try_finish().is_ok(),
            // Only a stream that has ended takes nothing more.
            Decoder::Zlib(decoder) => matches!(decoder.write(&[0]), Ok(0)),
            Decoder::Deflate(decoder) => matches!(decoder.write(&[0]), Ok(0)),
        };
        Decoded { bytes, is_whole, has_rest: self.rest.has_bytes }
    }
}

/// Writes parts that follow each other. What follows them and is no part is not decoded.
fn write_parts(
    decoder: &mut GzDecoder<CappedBytes>,
    parts: &mut usize,
    mut bytes: &[u8],
    rest: &mut Rest,
) -> io::Result<()> {
    while let Some(first) = bytes.first() {
        let taken = decoder.write(bytes)?;
        bytes = bytes.get(taken..).unwrap_or_default();
        if taken > 0 {
            continue;
        }
        // Behind padding no part is looked for.
        if *first != GZIP_MAGIC || rest.has_begun {
            rest.add(bytes);
            return Ok(());
        }
        decoder.try_finish()?;
        *parts += 1;
        if *parts >= MAX_PARTS {
            return Err(io::Error::other(format!("it has more than {MAX_PARTS} parts")));
        }
        let sink = std::mem::take(decoder.get_mut());
        *decoder = GzDecoder::new(sink);
    }
    Ok(())
}

/// Writes until the compressed stream ends. What follows it is not decoded.
fn write_before_end(
    mut bytes: &[u8],
    rest: &mut Rest,
    mut write: impl FnMut(&[u8]) -> io::Result<usize>,
) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(bytes)? {
            0 => {
                rest.add(bytes);
                return Ok(());
            }
            taken => bytes = bytes.get(taken..).unwrap_or_default(),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

    use super::*;

    fn decoded(
        encoding: &str,
        body: &[u8],
        limit: usize,
        chunk: usize,
    ) -> Result<(Decoded, Progress), String> {
        let mut decoder = BodyDecoder::new(encoding, limit).unwrap();
        let mut progress = Progress::More;
        for piece in body.chunks(chunk) {
            progress = decoder.push(piece)?;
            if progress == Progress::Full {
                break;
            }
        }
        Ok((decoder.finish(), progress))
    }

    fn encode<W: Write>(mut encoder: W, text: &[u8], finish: fn(W) -> io::Result<Vec<u8>>) -> Vec<u8> {
        encoder.write_all(text).unwrap();
        finish(encoder).unwrap()
    }

    #[test]
    fn bodies_are_decoded_in_any_chunks() {
        let text = b"hello hello hello".repeat(100);
        let best = Compression::best();
        let gzip = encode(GzEncoder::new(Vec::new(), best), &text, GzEncoder::finish);
        let two = [gzip.clone(), gzip.clone()].concat();
        let zlib = encode(ZlibEncoder::new(Vec::new(), best), &text, ZlibEncoder::finish);
        let raw = encode(DeflateEncoder::new(Vec::new(), best), &text, DeflateEncoder::finish);
        for (encoding, body, expected) in [
            ("", &text, &text),
            ("gzip", &gzip, &text),
            ("x-GZIP ", &two, &[text.clone(), text.clone()].concat()),
            ("deflate", &zlib, &text),
            ("deflate", &raw, &text),
        ] {
            for chunk in [1, 2, 7, 100_000] {
                let found = decoded(encoding, body, 1 << 20, chunk).unwrap();
                let expected = Decoded { bytes: expected.clone(), is_whole: true, has_rest: false };
                assert_eq!(found, (expected, Progress::More), "{encoding} {chunk}");
            }
        }
        assert!(BodyDecoder::new("br", 1).is_none());
        assert!(BodyDecoder::new("gzip, gzip", 1).is_none());
    }

    #[test]
    fn decompression_stops_at_the_limit() {
        let zeros = vec![0; 50 << 20];
        let gzip = encode(GzEncoder::new(Vec::new(), Compression::best()), &zeros, GzEncoder::finish);
        assert!(gzip.len() < 100_000);
        let (Decoded { bytes, .. }, progress) = decoded("gzip", &gzip, 1000, 4096).unwrap();
        assert_eq!((bytes.len(), progress), (1000, Progress::Full));
        assert!(bytes.capacity() < 1 << 20);
    }

    #[test]
    fn damaged_bodies_are_errors() {
        let error = decoded("gzip", b"this is not gzip at all", 1000, 100).unwrap_err();
        assert!(error.starts_with("the compressed body is damaged"), "{error}");
    }

    #[test]
    fn bodies_without_their_end_are_noticed() {
        let text = b"hello hello hello".repeat(100);
        let best = Compression::best();
        let gzip = encode(GzEncoder::new(Vec::new(), best), &text, GzEncoder::finish);
        let zlib = encode(ZlibEncoder::new(Vec::new(), best), &text, ZlibEncoder::finish);
        let raw = encode(DeflateEncoder::new(Vec::new(), best), &text, DeflateEncoder::finish);
        for (encoding, body) in [("gzip", &gzip), ("deflate", &zlib), ("deflate", &raw)] {
            for (end, chunk) in (1..body.len()).flat_map(|end| [(end, 1), (end, 1000)]) {
                let (found, _) = decoded(encoding, &body[..end], 1 << 20, chunk).unwrap();
                assert!(!found.is_whole, "{encoding} {end} {chunk}");
                assert!(text.starts_with(&found.bytes), "{encoding} {end} {chunk}");
            }
            // What follows the end is not part of it. Unless it is padding, that is noticed.
            for (rest, has_rest) in [
                (b"\0\0\0".to_vec(), false),
                (b"rubbish".to_vec(), true),
                ([b"\0\0\0".as_slice(), body].concat(), true),
            ] {
                let longer = [body.as_slice(), &rest].concat();
                for chunk in [1, 1000, body.len(), body.len() + 3] {
                    let (found, _) = decoded(encoding, &longer, 1 << 20, chunk).unwrap();
                    let expected = Decoded { bytes: text.clone(), is_whole: true, has_rest };
                    assert_eq!(found, expected, "{encoding} {rest:?} {chunk}");
                }
            }
        }
        let mut wrong = gzip.clone();
        let checksum = wrong.len() - 6;
        wrong[checksum] ^= 1;
        let expected = Decoded { bytes: text, is_whole: false, has_rest: false };
        assert_eq!(decoded("gzip", &wrong, 1 << 20, 7).unwrap().0, expected);
        assert!(decoded("gzip", b"", 10, 1).unwrap().0.is_whole);
    }

    #[test]
    fn number_of_parts_is_limited() {
        let empty = encode(GzEncoder::new(Vec::new(), Compression::best()), b"", GzEncoder::finish);
        assert!(decoded("gzip", &empty.repeat(MAX_PARTS), 1000, 4096).unwrap().0.is_whole);
        let error = decoded("gzip", &empty.repeat(MAX_PARTS + 1), 1000, 4096).unwrap_err();
        assert!(error.ends_with("it has more than 1000 parts"), "{error}");
    }
}
