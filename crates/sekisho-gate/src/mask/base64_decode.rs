//! Base64 decoding, for both alphabets.

/// The decoded bytes, up to the padding. None if the text is not base64.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bits = 0u32;
    let mut count = 0;
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    for byte in text.iter().take_while(|byte| **byte != b'=') {
        bits = (bits << 6 | u32::from(six(*byte)?)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            let [.., byte] = (bits >> count).to_be_bytes();
            decoded.push(byte);
        }
    }
    Some(decoded)
}

/// Whether this decodes to `user:password`.
pub(super) fn is_pair(text: &[u8]) -> bool {
    let is_text = |decoded: &[u8]| {
        decoded.contains(&b':') && decoded.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    };
    text.len() >= 6 && decode(text).is_some_and(|decoded| is_text(&decoded))
}

fn six(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}
