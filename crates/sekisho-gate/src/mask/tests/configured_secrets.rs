use super::Masks;

const SECRET: &str = "corréct/horse \"b&ttery\"";

#[track_caller]
fn hidden(text: &str, expected: &str) {
    let masks = Masks::new([SECRET.to_owned()]);
    let masked = masks.text(text);
    assert_eq!(masked.text, expected.replace('@', "[masked:configured-secret]"));
    assert_eq!(masks.text(&masked.text).text, masked.text);
}

#[test]
fn value_is_masked_in_every_encoding() {
    hidden(&format!("echo ({SECRET}) > out"), "echo (@) > out");
    hidden(&serde_json::json!([SECRET]).to_string(), "[\"@\"]");
    hidden("curl 'https://h/?p=corr%C3%A9ct%2Fhorse%20%22b%26ttery%22'", "curl 'https://h/?p=@'");
    hidden("corr%c3%a9ct%2fhorse+%22b%26ttery%22", "@");
    hidden("corr%C3%A9ct/horse%20%22b%26ttery%22", "@");
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    hidden(&format!("<{hex}>"), "<@>");
    hidden(&format!("<{}>", hex.to_uppercase()), "<@>");
}

/// A textbook base64 encoder, to check the masked forms independently of the code under test.
fn base64(bytes: &[u8], url: bool, padded: bool) -> String {
    let alphabet: Vec<char> = ('A'..='Z')
        .chain('a'..='z')
        .chain('0'..='9')
        .chain(if url { ['-', '_'] } else { ['+', '/'] })
        .collect();
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let number = group
            .iter()
            .chain([0, 0].iter())
            .take(3)
            .fold(0u32, |number, byte| number << 8 | u32::from(*byte));
        for place in 0..=group.len() {
            text.push(alphabet[(number >> (18 - 6 * place) & 63) as usize]);
        }
        if padded {
            text.extend(std::iter::repeat_n('=', 3 - group.len()));
        }
    }
    text
}

#[test]
fn base64_is_masked_at_every_alignment() {
    assert_eq!(base64(b"Man", false, true), "TWFu");
    assert_eq!(base64(b"Ma", false, true), "TWE=");
    for url in [false, true] {
        for padded in [false, true] {
            hidden(&format!("x {} y", base64(SECRET.as_bytes(), url, padded)), "x @ y");
            for before in 0..6 {
                for after in 0..6 {
                    let whole =
                        format!("{}{SECRET}{}", "user:x".split_at(before).0, "; more".split_at(after).0);
                    let text = base64(whole.as_bytes(), url, padded);
                    let masked = Masks::new([SECRET.to_owned()]).text(&text).text.into_owned();
                    let (start, rest) = masked.split_once("[masked:configured-secret]").expect(&text);
                    assert!(
                        start.len() <= before * 8 / 6 && rest.len() <= (after * 8).div_ceil(6) + 2,
                        "{masked}"
                    );
                }
            }
        }
    }
}

#[test]
fn short_values_and_none_mask_nothing() {
    assert_eq!(
        Masks::new(["1234567".to_owned(), String::new()]).text("1234567 12345678").text,
        "1234567 12345678"
    );
}

#[test]
fn configured_secret_names_its_mask() {
    let masks = Masks::new(["hunter22".to_owned()]);
    let masked = masks.text("TOKEN=hunter22 and hunter22hunter22");
    assert_eq!(masked.text, "TOKEN=[masked:configured-secret] and [masked:configured-secret]");
    assert_eq!(masked.detectors, ["configured-secret"]);
}
