//! base64, base32 and hexadecimal digits.

use super::filter_plan::{Options, Plan};

const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE64_URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// `base64 -d`; without `-d` it encodes.
pub(super) fn base64(arguments: &[String]) -> Option<Plan> {
    base(arguments, (BASE64, 6))
}

/// `base32 -d`
pub(super) fn base32(arguments: &[String]) -> Option<Plan> {
    base(arguments, (BASE32, 5))
}

fn base(arguments: &[String], (mut alphabet, mut digits): (&'static str, u32)) -> Option<Plan> {
    let mut rest = Vec::new();
    for word in arguments {
        match word.as_str() {
            "--decode" => rest.push("-d".to_owned()),
            "--ignore-garbage" => rest.push("-i".to_owned()),
            "--base64" => {}
            "--base64url" => alphabet = BASE64_URL,
            "--base32" => (alphabet, digits) = (BASE32, 5),
            "--base16" => (alphabet, digits) = ("0123456789ABCDEF", 4),
            _ => rest.push(word.clone()),
        }
    }
    let options = Options::read(&rest, "dDiw:")?;
    let decodes = options.has('d') || options.has('D');
    Plan::new(options.operands, move |text| match (decodes, digits) {
        (true, digits) => decoded(text, alphabet, digits),
        (false, 6) => Some(encoded(text)),
        (false, _) => None,
    })
}

/// `openssl base64 -d`, `openssl enc -d -base64`
pub(super) fn openssl(arguments: &[String]) -> Option<Plan> {
    let has = |names: &[&str]| arguments.iter().any(|word| names.contains(&word.as_str()));
    if !has(&["base64", "-base64", "-a"]) || !has(&["-d"]) {
        return None;
    }
    let file = arguments.iter().position(|word| word == "-in").and_then(|at| arguments.get(at + 1));
    Plan::new(file.into_iter().cloned().collect(), |text| decoded(text, BASE64, 6))
}

/// `xxd -r -p`
pub(super) fn xxd(arguments: &[String]) -> Option<Plan> {
    let plain: Vec<String> = arguments
        .iter()
        .map(|word| if word == "-ps" || word == "-plain" { "-p".into() } else { word.clone() })
        .collect();
    let options = Options::read(&plain, "rp")?;
    let is_plain = options.has('r') && options.has('p');
    Plan::new(options.operands, |text| decoded(&text.to_lowercase(), "0123456789abcdef", 4))
        .filter(|_| is_plain)
}

fn decoded(text: &str, alphabet: &str, digits: u32) -> Option<String> {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for c in text.chars().filter(|c| !c.is_whitespace() && *c != '=') {
        bits = bits << digits | u32::try_from(alphabet.find(c)?).ok()?;
        count += digits;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).ok()?);
            bits &= (1 << count) - 1;
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

fn encoded(text: &str) -> String {
    let mut done = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(chunk.get(at).copied().unwrap_or(0)));
        for at in 0..4_usize {
            let digit = usize::try_from(bits >> (18 - 6 * at) & 0x3f).unwrap_or_default();
            let letter = if at <= chunk.len() { BASE64.chars().nth(digit) } else { Some('=') };
            done.extend(letter);
        }
    }
    done + "\n"
}
