//! Whether an element's own attributes keep a browser from showing it.
//!
//! Only attributes count. Style sheets are not looked at.

use super::css_variables::StyleVariables;
use super::element::Element;
use super::style_visibility::style_visibility;
use super::text_sizes::TextSize;
use super::visibility::Visibility;

/// Whether a browser would show an element with these attributes, and what they say about the size of its text.
/// `variables` are those of the elements before it.
pub(super) fn visibility<'a>(
    element: Element,
    attribute: impl Fn(&str) -> Option<&'a str>,
    variables: &mut StyleVariables,
) -> (Visibility, TextSize) {
    let is_open_dialog = element == Element::Dialog && attribute("open").is_some();
    let is_hidden = attribute("hidden").is_some()
        || attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || (element == Element::Dialog && !is_open_dialog)
        || (attribute("popover").is_some() && !is_open_dialog);
    // The variables of a hidden element are of use for elements inside it only.
    match attribute("style") {
        _ if is_hidden => (Visibility::Hidden, TextSize::Inherited),
        Some(style) => style_visibility(style, element == Element::Image, variables),
        None => (Visibility::Shown, TextSize::Inherited),
    }
}
