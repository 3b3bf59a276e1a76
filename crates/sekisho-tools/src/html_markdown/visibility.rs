//! Whether an element's own attributes keep a browser from showing it.
//!
//! Only the element's attributes count. Style sheets, and text in the colour of its background, are not looked at.

use super::element::Element;
use super::tree::{NodeId, Tree};

/// Whether a browser would not show an element.
pub(super) fn is_hidden(tree: &Tree, id: NodeId) -> bool {
    let is = |name: &str, value: &str| {
        tree.attribute(id, name).is_some_and(|own| own.trim().eq_ignore_ascii_case(value))
    };
    tree.attribute(id, "hidden").is_some()
        || is("aria-hidden", "true")
        || (tree.element(id) == Some(Element::Dialog) && tree.attribute(id, "open").is_none())
        || tree.attribute(id, "style").is_some_and(hides)
}

/// Whether declarations hide their element.
fn hides(style: &str) -> bool {
    let style = plain_css(style);
    style.split(';').filter_map(|declaration| declaration.split_once(':')).any(|(property, value)| {
        let value = value.split('!').next().unwrap_or_default().trim();
        match property.trim() {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "content-visibility" => value == "hidden",
            "opacity" | "font-size" | "zoom" => is_zero(value),
            "font" => value.split_whitespace().any(|word| word.split('/').next().is_some_and(is_zero)),
            _ => false,
        }
    })
}

/// Whether a number with any unit is zero.
fn is_zero(value: &str) -> bool {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.parse::<f64>().is_ok_and(|number| number.abs() < 0.01)
}

/// Declarations in lower case, without comments and with escapes resolved.
fn plain_css(style: &str) -> String {
    let mut plain = String::with_capacity(style.len());
    let mut rest = style.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '/' if rest.peek() == Some(&'*') => {
                rest.next();
                let mut before = ' ';
                for c in rest.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            '\\' => {
                let (mut code, mut digits) = (0, 0);
                while let Some(digit) = rest.peek().and_then(|c| c.to_digit(16)).filter(|_| digits < 6) {
                    (code, digits) = (code * 16 + digit, digits + 1);
                    rest.next();
                }
                if digits == 0 {
                    plain.extend(rest.next().map(|c| c.to_ascii_lowercase()));
                    continue;
                }
                rest.next_if(|c| c.is_ascii_whitespace());
                plain.extend(char::from_u32(code).map(|c| c.to_ascii_lowercase()));
            }
            c => plain.push(c.to_ascii_lowercase()),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        for (style, expected) in [
            ("display:none", true),
            ("DISPLAY : NONE !important", true),
            ("color:red;display:none", true),
            ("dis/**/play:none", true),
            ("\\64isplay:none", true),
            ("displa\\79 :none", true),
            ("visibility:hidden", true),
            ("visibility: collapse;", true),
            ("font-size:0", true),
            ("font-size:0px", true),
            ("font-size: 0.0em", true),
            ("font: 0/0 a", true),
            ("font: 0px/1 serif", true),
            ("opacity:0", true),
            ("opacity:.001", true),
            ("content-visibility:hidden", true),
            ("display:block", false),
            ("display:inline-block", false),
            ("font-size:10px", false),
            ("opacity:0.5", false),
            ("none:display", false),
            ("/* display:none */", false),
            ("", false),
        ] {
            assert_eq!(hides(style), expected, "{style}");
        }
    }
}
