//! Whether an element's own attributes keep a browser from showing it.
//!
//! Only attributes count. Style sheets are not looked at.

use super::element::Element;
use super::style_visibility::{StyleVariables, style_visibility};
use super::visibility::Visibility;

/// Whether a browser would show an element with these attributes. `variables` are those of the elements before it.
pub(super) fn visibility<'a>(
    element: Element,
    attribute: impl Fn(&str) -> Option<&'a str>,
    variables: &mut StyleVariables,
) -> Visibility {
    let is_open_dialog = element == Element::Dialog && attribute("open").is_some();
    let is_hidden = attribute("hidden").is_some()
        || attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || (element == Element::Dialog && !is_open_dialog)
        || (attribute("popover").is_some() && !is_open_dialog);
    // The variables of a hidden element are of use for elements inside it only.
    match attribute("style") {
        _ if is_hidden => Visibility::Hidden,
        Some(style) => style_visibility(style, element == Element::Image, variables),
        None => Visibility::Shown,
    }
}
