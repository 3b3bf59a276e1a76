//! Undoes the encoding of a body, up to a limit of bytes.

use std::io::{self, Write};

use flate2::write::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// Collects at most so many bytes.
#[derive(Debug)]
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
    Gzip(Box<MultiGzDecoder<CappedBytes>>),
    /// `deflate` before its first two bytes tell which of two formats it is.
    UnknownDeflate(Vec<u8>, CappedBytes),
    Zlib(Box<ZlibDecoder<CappedBytes>>),
    Deflate(Box<DeflateDecoder<CappedBytes>>),
}

/// Undoes one `Content-Encoding`.
pub(super) struct BodyDecoder(Decoder);

/// Whether more bytes are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Full,
}

impl BodyDecoder {
    /// None if the encoding is unknown here. `limit` is in decoded bytes.
    pub(super) fn new(encoding: &str, limit: usize) -> Option<BodyDecoder> {
        let sink = CappedBytes { bytes: Vec::new(), limit, is_full: false };
        Some(BodyDecoder(match encoding.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Decoder::Identity(sink),
            "gzip" | "x-gzip" => Decoder::Gzip(Box::new(MultiGzDecoder::new(sink))),
            "deflate" => Decoder::UnknownDeflate(Vec::new(), sink),
            _ => return None,
        }))
    }

    /// Takes the next bytes of the body.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Progress, String> {
        self.choose_deflate(bytes);
        let written = match &mut self.0 {
            Decoder::Identity(sink) => sink.write_all(bytes),
            Decoder::Gzip(decoder) => decoder.write_all(bytes),
            Decoder::UnknownDeflate(start, _) => {
                start.extend_from_slice(bytes);
                Ok(())
            }
            Decoder::Zlib(decoder) => write_before_end(bytes, |bytes| decoder.write(bytes)),
            Decoder::Deflate(decoder) => write_before_end(bytes, |bytes| decoder.write(bytes)),
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
        let Decoder::UnknownDeflate(start, sink) = &mut self.0 else { return };
        let mut head = start.iter().chain(bytes).copied();
        let (Some(first), Some(second)) = (head.next(), head.next()) else { return };
        let sink = std::mem::replace(sink, CappedBytes { bytes: Vec::new(), limit: 0, is_full: false });
        let is_zlib = first & 0x0f == 8 && (u16::from(first) << 8 | u16::from(second)) % 31 == 0;
        let start = std::mem::take(start);
        self.0 = match is_zlib {
            true => Decoder::Zlib(Box::new(ZlibDecoder::new(sink))),
            false => Decoder::Deflate(Box::new(DeflateDecoder::new(sink))),
        };
        // One byte at most; the rest of the stream says whether it was valid.
        let _ = match &mut self.0 {
            Decoder::Zlib(decoder) => decoder.write_all(&start),
            Decoder::Deflate(decoder) => decoder.write_all(&start),
            _ => Ok(()),
        };
    }

    fn sink(&self) -> &CappedBytes {
        match &self.0 {
            Decoder::Identity(sink) | Decoder::UnknownDeflate(_, sink) => sink,
            Decoder::Gzip(decoder) => decoder.get_ref(),
            Decoder::Zlib(decoder) => decoder.get_ref(),
            Decoder::Deflate(decoder) => decoder.get_ref(),
        }
    }

    /// The decoded bytes. A body that ended too early gives what there is.
    pub(super) fn finish(mut self) -> Vec<u8> {
        match &mut self.0 {
            Decoder::Identity(_) | Decoder::UnknownDeflate(..) => {}
            Decoder::Gzip(decoder) => drop(decoder.try_finish()),
            Decoder::Zlib(decoder) => drop(decoder.try_finish()),
            Decoder::Deflate(decoder) => drop(decoder.try_finish()),
        }
        match &mut self.0 {
            Decoder::Identity(sink) | Decoder::UnknownDeflate(_, sink) => std::mem::take(&mut sink.bytes),
            Decoder::Gzip(decoder) => std::mem::take(&mut decoder.get_mut().bytes),
            Decoder::Zlib(decoder) => std::mem::take(&mut decoder.get_mut().bytes),
            Decoder::Deflate(decoder) => std::mem::take(&mut decoder.get_mut().bytes),
        }
    }
}

/// Writes until the compressed stream ends. What follows it is ignored.
fn write_before_end(mut bytes: &[u8], mut write: impl FnMut(&[u8]) -> io::Result<usize>) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(bytes)? {
            0 => return Ok(()),
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
    ) -> Result<(Vec<u8>, Progress), String> {
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
                assert_eq!(found, (expected.clone(), Progress::More), "{encoding} {chunk}");
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
        let (bytes, progress) = decoded("gzip", &gzip, 1000, 4096).unwrap();
        assert_eq!((bytes.len(), progress), (1000, Progress::Full));
        assert!(bytes.capacity() < 1 << 20);
    }

    #[test]
    fn damaged_bodies_are_errors() {
        let error = decoded("gzip", b"this is not gzip at all", 1000, 100).unwrap_err();
        assert!(error.starts_with("the compressed body is damaged"), "{error}");
    }
}
