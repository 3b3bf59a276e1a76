//! Whether the declarations of a `style` attribute hide their element.
//!
//! A declaration counts even if a later one overrides it, except for colours. Variables are replaced by the values that
//! the style itself sets, and formulas are calculated. Where a value stays unknown, the element is possibly hidden; but
//! text sizes, colours and margins by variables are common on ordinary pages, so there the variable must have a value
//! that could hide, in a style before this one.

use super::box_styles::BoxStyles;
use super::css_math::{MathBudget, simplify};
use super::css_tokens::declarations;
use super::css_variables::{OwnVariables, StyleVariables};
use super::text_sizes::TextSize;
use super::text_styles::TextStyles;
use super::visibility::Visibility;

/// What one percent counts as in a sum with other units, in pixels: of a box, and of a text size.
const PERCENT_OF_BOX: f64 = 10.0;
const PERCENT_OF_TEXT: f64 = 0.16;

/// Whether a style hides its element, and what it says about the size of text. Of an image, the styles of text do not
/// count.
pub(super) fn style_visibility(
    style: &str,
    is_image: bool,
    variables: &mut StyleVariables,
) -> (Visibility, TextSize) {
    let (mut text, mut of_box) = (TextStyles::default(), BoxStyles::default());
    let mut own = OwnVariables::new(style, declarations(style), variables);
    let budget = MathBudget::of_style(style.len());
    for one in declarations(style).filter(|one| !one.is_variable()) {
        let is_text = one.property.starts_with("font") || one.property == "line-height";
        let (value, doubt) = own.replace(one.value);
        let value = simplify(value, if is_text { PERCENT_OF_TEXT } else { PERCENT_OF_BOX }, &budget);
        of_box.add(&one.property, &value, doubt);
        text.add(&one.property, &value, doubt, one.is_important);
    }
    if is_image {
        return (of_box.visibility(), TextSize::Inherited);
    }
    let (by_size, otherwise) = (text.size_visibility(), of_box.visibility().max(text.visibility()));
    let size = match (by_size, otherwise) {
        (Visibility::Shown, _) if text.has_readable_size() => TextSize::Readable,
        (Visibility::Shown, _) => TextSize::Inherited,
        (_, Visibility::Shown) => TextSize::Tiny,
        _ => TextSize::Inherited,
    };
    (by_size.max(otherwise), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(style: &str, variables: &mut StyleVariables) -> Visibility {
        style_visibility(style, false, variables).0
    }

    fn found(style: &str) -> Visibility {
        judged(style, &mut StyleVariables::default())
    }

    #[track_caller]
    fn check(expected: Visibility, styles: &[&str]) {
        for style in styles {
            assert_eq!(found(style), expected, "{style}");
        }
    }

    #[test]
    fn boxes_that_are_not_shown() {
        check(
            Visibility::Hidden,
            &[
                "display:none",
                "DISPLAY : NONE !important",
                "color:red;display:none",
                "\\64isplay:none",
                "displa\\79 :none",
                "/**/display/**/:/**/none/**/",
                "--x:\"/*\";display:none",
                "background:url(/*);display:none",
                "visibility:hidden",
                "visibility: collapse;",
                "content-visibility:hidden",
                "opacity:0",
                "opacity:.001",
                "opacity:-1",
                "opacity:-50%",
                "opacity:5%",
                "zoom:0",
                "--q:none;display:var(--q)",
                "opacity:calc(0)",
                "opacity:calc(1 - 1)",
            ],
        );
        check(Visibility::Unsure, &["display:var(--q,none)", "visibility:var(--v)", "opacity:env(x,0)"]);
    }

    #[test]
    fn text_that_cannot_be_read() {
        check(
            Visibility::Hidden,
            &[
                "font-size:0",
                "font-size:0px",
                "font-size: 0.0em",
                "font-size:.02px",
                "font-size:1px",
                "font-size:5%",
                "font-size:1e-9px",
                "font: 0/0 a",
                "font: 0px/1 serif",
                "font: bold 1px serif",
                "color:transparent",
                "color:#0000",
                "color:#12345600",
                "color:rgba(0,0,0,0)",
                "color:rgb(0 0 0 / 0%)",
                "-webkit-text-fill-color:transparent",
                "color:#fff;background:#FFF",
                "background-color:white;color:white",
                "font-size:calc(0px)",
                "font-size:calc(1px - 1px)",
                "font-size:calc(16px * 0)",
                "font-size:min(0px,5vw)",
                "font-size:clamp(0px,0px,0px)",
                "--q:0;font-size:var(--q)",
            ],
        );
        check(
            Visibility::Unsure,
            &["font-size:var(--q,0)", "--q:var(--r);font:var(--q) serif", "color:var(--c,transparent)"],
        );
    }

    #[test]
    fn boxes_that_are_elsewhere_or_flat() {
        check(
            Visibility::Hidden,
            &[
                "position:absolute;left:-9999px",
                "top:-999em",
                "text-indent:-9999px",
                "margin-left:-10000px",
                "inset:auto auto auto -9999px",
                "height:0;overflow:hidden",
                "max-height:0px;overflow-y:hidden",
                "width:1px;height:1px;overflow:hidden;position:absolute",
                "clip-path:inset(100%)",
                "clip-path:inset(50%)",
                "clip-path:circle(0)",
                "clip-path:polygon(0 0,0 0,0 0)",
                "clip:rect(0,0,0,0)",
                "clip:rect(1px 1px 1px 1px)",
                "transform:scale(0)",
                "transform:translateX(3px) scaleY(0.001)",
                "transform:matrix(0,0,0,0,0,0)",
                "scale:0",
                "filter:opacity(0)",
            ],
        );
        check(Visibility::Unsure, &["left:-1000px", "left:-100vw", "transform:translateX(-9999px)"]);
    }

    #[test]
    fn ordinary_styles_hide_nothing() {
        check(
            Visibility::Shown,
            &[
                "",
                "display:block",
                "display:inline-block",
                "font-size:10px",
                "font-size:small",
                "font:12px/0 serif",
                "font:bold 100 1em/1.5 sans-serif",
                "opacity:0.5",
                "opacity:1",
                "none:display",
                "/* display:none */",
                "dis/**/play:none",
                "background:url('display:none;')",
                "font-size:var(--wp--preset--font-size--small)",
                "font-size:clamp(14px, 0.875rem + ((1vw - 3.2px) * 0.227), 16px)",
                "font-size:calc(1rem + 1vw)",
                "font-size:max(1rem,16px)",
                "color:var(--wp--preset--color--white)",
                "--n:0;color:red;font-size:2em",
                "background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent",
                "color:white;background:black",
                "position:relative;height:0;overflow:hidden;padding-bottom:56.25%",
                "height:0",
                "overflow:hidden",
                "margin:0 -15px",
                "margin-left:-100%",
                "margin:0 -9999px;padding:0 9999px",
                "left:-20px;top:0;text-indent:2em",
                "clip-path:inset(0 round 8px)",
                "clip-path:polygon(0 0,100% 0,50% 100%)",
                "clip:rect(0,100px,100px,0)",
                "clip:auto",
                "transform:translate3d(-1200px,0,0)",
                "transform:rotate(45deg) scale(1.5)",
                "transform:none",
                "filter:blur(2px)",
                "width:calc(100% - 20px);height:100%",
            ],
        );
    }

    #[test]
    fn images_have_no_text() {
        let of_image = |style| style_visibility(style, true, &mut StyleVariables::default()).0;
        assert_eq!(of_image("color:transparent;font-size:0"), Visibility::Shown);
        assert_eq!(of_image("display:none"), Visibility::Hidden);
    }

    #[test]
    fn variables_of_earlier_elements_count() {
        let mut variables = StyleVariables::default();
        let style = "font-size:var(--tiny)";
        assert_eq!(judged("--large:2em", &mut variables), Visibility::Shown);
        assert_eq!(judged(style, &mut variables), Visibility::Shown);
        assert_eq!(judged("--tiny:0", &mut variables), Visibility::Shown);
        assert_eq!(judged(style, &mut variables), Visibility::Unsure);
        let many: String = (0..100).map(|i| format!("--v{i}:0;")).collect();
        assert_eq!(judged(&many, &mut variables), Visibility::Shown);
        assert_eq!(judged("font-size:var(--any)", &mut variables), Visibility::Unsure);
    }
}
