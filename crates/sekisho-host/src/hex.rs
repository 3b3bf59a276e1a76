//! Bytes as hexadecimal digits.

/// Two lower-case digits for each byte.
pub(crate) fn hex(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0x0f)]).collect()
}

fn digit(value: u8) -> char {
    char::from(if value < 10 { b'0' + value } else { b'a' + value - 10 })
}

#[cfg(test)]
mod tests {
    use super::hex;

    #[test]
    fn every_byte_has_two_digits() {
        let expected: String = (0..=u8::MAX).map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex(0..=u8::MAX), expected);
        assert_eq!(hex([]), "");
    }
}
