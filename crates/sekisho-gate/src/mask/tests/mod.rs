mod cloud_and_database_clients;
mod code_and_settings;
mod configured_secrets;
mod context_cases;
mod defaults_and_tables;
mod detector_cases;
mod json_fields;
mod keys_and_logins;
mod neighbouring_text;
mod non_secrets;
mod program_arguments;
mod properties;
mod prose;
mod quoted_and_markup_values;
mod readable_work;
mod row_records;
mod secret_names;
mod stdin_secrets;
mod survey;
mod token_cases;
mod value_ends;
mod value_positions;
mod vendor_cases;

use super::Masks;

/// No fixture in the tree looks like a key. `{a36}` stands for 36 letters and digits, `{x32}` for
/// hexadecimal digits, `{u16}` for capitals and digits, `{l34}` for letters, `{d9}` for digits, `{s40}`
/// for base64 with its punctuation.
fn built(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let hole = after.split_once('}').and_then(|(hole, after)| Some((filling(hole)?, after)));
        if let Some((filling, after)) = hole {
            text.push_str(&filling);
            rest = after;
        } else {
            text.push('{');
            rest = after;
        }
    }
    text + rest
}

fn filling(hole: &str) -> Option<String> {
    let letters = match hole.chars().next()? {
        'a' => "q7Rz3Kx9Wb2Mv5Tn8",
        'x' => "4f9c1e7b3a8d2065",
        'u' => "K7QX2MB4ZT6W",
        'l' => "qRzKxWbMvTnLp",
        'd' => "7390412658",
        's' => "q7Rz/3Kx9+Wb2Mv5Tn8",
        _ => return None,
    };
    let count = hole.get(1..)?.parse().ok()?;
    Some(letters.chars().cycle().take(count).collect())
}

fn masks() -> Masks {
    Masks::new([])
}

/// `§` in the expected text stands for the mask of the detector.
///
/// Returns what went wrong, if anything.
fn found(detector: &str, template: &str, expected: &str) -> Option<String> {
    let text = built(template);
    let masks = masks();
    let masked = masks.text(&text);
    let expected = built(expected).replace('§', &format!("[masked:{detector}]"));
    let again = masks.text(&masked.text);
    let right = masked.text == expected && masked.detectors == [detector] && again.text == masked.text;
    (!right).then(|| format!("{detector}: {text:?}\n  became   {:?}\n  expected {expected:?}", masked.text))
}

fn left(template: &str) {
    let text = built(template);
    let masks = masks();
    let masked = masks.text(&text);
    assert_eq!(masked.text, text);
    assert!(masked.detectors.is_empty());
}
