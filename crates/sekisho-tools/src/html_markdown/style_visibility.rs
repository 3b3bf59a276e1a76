//! Whether the declarations of a `style` attribute hide their element.
//!
//! A declaration counts even if a later one overrides it. Where a value depends on a variable or a formula, the
//! element is possibly hidden; but sizes and colours by variables are common on ordinary pages, so there the variable
//! must have a value that could hide, in this style or in one before it.

use std::collections::HashSet;

use super::css_shapes::{clips_everything, clips_old_style, transformed};
use super::css_tokens::{Declaration, Token, declarations};
use super::css_values::{FAINT, has_function, numbers, offset, pixels, ratio};
use super::visibility::Visibility;

/// The largest size of text that counts as none, in pixels.
const TINY: f64 = 2.0;
/// The most variables that are remembered.
const MAX_VARIABLES: usize = 64;

/// The variables with values that could hide an element.
#[derive(Debug, Default)]
pub(super) struct StyleVariables(HashSet<String>);

impl StyleVariables {
    fn add(&mut self, declaration: Declaration) {
        let could_hide = declaration.value.iter().any(|token| match token {
            Token::Ident(word) => matches!(&**word, "none" | "hidden" | "collapse" | "transparent"),
            Token::Number(number, unit) => *number <= FAINT || pixels(*number, unit) <= TINY,
            Token::Function(_) => true,
            Token::Hash(_) | Token::Text | Token::Sign(_) => false,
        });
        if could_hide && self.0.len() < MAX_VARIABLES {
            self.0.insert(declaration.property);
        }
    }

    /// With too many variables, each of them could.
    fn could_hide(&self, name: &str) -> bool {
        self.0.len() >= MAX_VARIABLES || self.0.contains(name)
    }
}

/// Whether a style hides its element. Of an image, the styles of text do not count.
pub(super) fn style_visibility(style: &str, is_image: bool, variables: &mut StyleVariables) -> Visibility {
    let is_variable = |one: &Declaration| one.property.starts_with("--");
    declarations(style).filter(is_variable).for_each(|one| variables.add(one));
    let mut findings = Findings::default();
    declarations(style).filter(|one| !is_variable(one)).for_each(|one| findings.add(one, variables));
    findings.visibility(is_image)
}

/// What the declarations of one style say together.
#[derive(Debug, Default)]
struct Findings {
    of_box: Visibility,
    of_text: Visibility,
    of_margin: Visibility,
    of_colour: Visibility,
    colour: Option<Token>,
    background: Option<Token>,
    shows_background_in_text: bool,
    is_flat: bool,
    hides_overflow: bool,
    has_padding: bool,
}

impl Findings {
    fn add(&mut self, declaration: Declaration, variables: &StyleVariables) {
        let Declaration { property, value } = declaration;
        let of_box = match &*property {
            "display" => keyword(&value, &["none"]),
            "visibility" => keyword(&value, &["hidden", "collapse"]),
            "content-visibility" => keyword(&value, &["hidden"]),
            "opacity" | "zoom" => faint(&value),
            "left" | "right" | "top" | "bottom" | "text-indent" | "translate" => offset(&value),
            "clip" => hidden_if(clips_old_style(&value)),
            "clip-path" | "-webkit-clip-path" => hidden_if(clips_everything(&value)),
            "transform" | "-webkit-transform" | "scale" | "filter" | "-webkit-filter" => transformed(&value),
            property if property.starts_with("inset") => offset(&value),
            _ => Visibility::Shown,
        };
        self.of_box = self.of_box.max(of_box);
        match &*property {
            "font-size" => self.of_text = self.of_text.max(font_size(&value, variables)),
            "font" => self.of_text = self.of_text.max(font(&value, variables)),
            "color" | "-webkit-text-fill-color" => self.add_colour(value, variables),
            "background-clip" | "-webkit-background-clip" => self.add_background(&value),
            "background" | "background-color" => {
                self.add_background(&value);
                self.background = single(value);
            }
            "overflow" | "overflow-x" | "overflow-y" => {
                self.hides_overflow |=
                    keyword(&value, &["hidden", "clip", "auto", "scroll"]) != Visibility::Shown;
            }
            "height" | "width" | "max-height" | "max-width" | "block-size" | "inline-size" => {
                self.is_flat |= matches!(&*value, [Token::Number(size, unit)] if pixels(*size, unit) <= 1.0);
            }
            "margin" | "margin-left" | "margin-top" | "margin-inline" | "margin-inline-start" => {
                // Columns are laid out with such parts.
                let is_column = numbers(&value).any(|(_, unit)| unit == "%");
                let found = offset(&value);
                if found == Visibility::Hidden || !is_column {
                    self.of_margin = self.of_margin.max(found);
                }
            }
            property if property.starts_with("padding") => {
                let is_wide = |(size, unit): (f64, &str)| pixels(size, unit) > 1.0;
                self.has_padding |= numbers(&value).any(is_wide) || has_function(&value);
            }
            _ => {}
        }
    }

    fn add_colour(&mut self, value: Vec<Token>, variables: &StyleVariables) {
        let colour = match is_transparent(&value) {
            true => Visibility::Hidden,
            false if uses_hiding_variable(&value, variables) => Visibility::Unsure,
            false => Visibility::Shown,
        };
        self.of_colour = self.of_colour.max(colour);
        self.colour = single(value);
    }

    fn add_background(&mut self, value: &[Token]) {
        self.shows_background_in_text |= value.contains(&Token::Ident("text".into()));
    }

    fn visibility(&self, is_image: bool) -> Visibility {
        let mut found = self.of_box;
        // What is in the padding of a flat box is shown.
        if self.is_flat && self.hides_overflow && !self.has_padding {
            found = Visibility::Hidden;
        }
        // Padding moves the text back to where it was.
        if !self.has_padding {
            found = found.max(self.of_margin);
        }
        if is_image {
            return found;
        }
        if !self.shows_background_in_text {
            found = found.max(self.of_colour);
            if self.colour.is_some() && self.colour == self.background {
                found = Visibility::Hidden;
            }
        }
        found.max(self.of_text)
    }
}

fn hidden_if(is_hidden: bool) -> Visibility {
    if is_hidden { Visibility::Hidden } else { Visibility::Shown }
}

/// The only token of a value that can be compared.
fn single(value: Vec<Token>) -> Option<Token> {
    <[Token; 1]>::try_from(value).ok().map(|[token]| token)
}

/// Whether a value is one of these words.
fn keyword(value: &[Token], words: &[&str]) -> Visibility {
    let is_word = |token: &Token| matches!(token, Token::Ident(word) if words.contains(&&**word));
    match value.iter().any(is_word) && !has_function(value) {
        true => Visibility::Hidden,
        false if has_function(value) => Visibility::Unsure,
        false => Visibility::Shown,
    }
}

fn faint(value: &[Token]) -> Visibility {
    match value {
        [Token::Number(number, unit)] => hidden_if(ratio(*number, unit) <= FAINT),
        value if has_function(value) => Visibility::Unsure,
        _ => Visibility::Shown,
    }
}

fn is_tiny(number: f64, unit: &str) -> bool {
    // Here a percentage is one of the size around.
    let number = if unit == "%" { number * 0.016 } else { number };
    pixels(number, unit) <= TINY
}

fn font_size(value: &[Token], variables: &StyleVariables) -> Visibility {
    match value {
        [Token::Number(number, unit)] => hidden_if(is_tiny(*number, unit)),
        value => formula(value, variables),
    }
}

/// The size is the first length that no slash is before.
fn font(value: &[Token], variables: &StyleVariables) -> Visibility {
    let mut follows_slash = false;
    for token in value {
        if let Token::Number(number, unit) = token
            && !follows_slash
            && (*number == 0.0 || (!unit.is_empty() && is_tiny(*number, unit)))
        {
            return Visibility::Hidden;
        }
        follows_slash = *token == Token::Sign('/');
    }
    formula(value, variables)
}

/// Sizes that are calculated. A sum is not small if its parts are not, and `clamp` is not below its first part.
fn formula(value: &[Token], variables: &StyleVariables) -> Visibility {
    let is_doubtful = |token: &Token| match token {
        Token::Function(name) => !matches!(&**name, "var" | "calc" | "max"),
        Token::Sign(sign) => matches!(sign, '*' | '-'),
        Token::Number(number, unit) => {
            *number < 0.0 || (is_tiny(*number, unit) && !unit.is_empty()) || *number == 0.0
        }
        _ => false,
    };
    let has_lower_limit = matches!(value, [Token::Function(name), Token::Number(number, unit), Token::Sign(','), ..]
        if name == "clamp" && !is_tiny(*number, unit));
    let is_unsure = has_function(value)
        && !has_lower_limit
        && (uses_hiding_variable(value, variables) || value.iter().any(is_doubtful));
    if is_unsure { Visibility::Unsure } else { Visibility::Shown }
}

/// Whether a value uses a variable that could hide, or has a fallback that could.
fn uses_hiding_variable(value: &[Token], variables: &StyleVariables) -> bool {
    let has_variable = value.contains(&Token::Function("var".into()));
    let could_hide = |token: &Token| match token {
        Token::Ident(name) => name == "transparent" || (name.starts_with("--") && variables.could_hide(name)),
        _ => false,
    };
    has_variable && value.iter().any(could_hide)
}

/// Whether a colour cannot be seen.
fn is_transparent(value: &[Token]) -> bool {
    match value {
        [Token::Ident(name)] => name == "transparent",
        [Token::Hash(digits)] => match digits.len() {
            4 => digits.ends_with('0'),
            8 => digits.ends_with("00"),
            _ => false,
        },
        [Token::Function(name), ..] if name.starts_with("rgb") || name.starts_with("hsl") => {
            numbers(value).count() == 4
                && numbers(value).last().is_some_and(|(number, unit)| ratio(number, unit) <= FAINT)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(style: &str) -> Visibility {
        style_visibility(style, false, &mut StyleVariables::default())
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
            ],
        );
        check(
            Visibility::Unsure,
            &[
                "display:var(--q,none)",
                "--q:none;display:var(--q)",
                "visibility:var(--v)",
                "opacity:calc(0)",
                "opacity:calc(1 - 1)",
                "opacity:env(x,0)",
            ],
        );
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
            ],
        );
        check(
            Visibility::Unsure,
            &[
                "font-size:calc(0px)",
                "font-size:calc(1px - 1px)",
                "font-size:calc(16px * 0)",
                "font-size:min(0px,5vw)",
                "font-size:clamp(0px,0px,0px)",
                "font-size:var(--q,0)",
                "--q:0;font-size:var(--q)",
                "--q:var(--r);font:var(--q) serif",
                "color:var(--c,transparent)",
            ],
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
        let of_image = |style| style_visibility(style, true, &mut StyleVariables::default());
        assert_eq!(of_image("color:transparent;font-size:0"), Visibility::Shown);
        assert_eq!(of_image("display:none"), Visibility::Hidden);
    }

    #[test]
    fn variables_of_earlier_elements_count() {
        let mut variables = StyleVariables::default();
        let style = "font-size:var(--tiny)";
        assert_eq!(style_visibility("--large:2em", false, &mut variables), Visibility::Shown);
        assert_eq!(style_visibility(style, false, &mut variables), Visibility::Shown);
        assert_eq!(style_visibility("--tiny:0", false, &mut variables), Visibility::Shown);
        assert_eq!(style_visibility(style, false, &mut variables), Visibility::Unsure);
        let many: String = (0..100).map(|i| format!("--v{i}:0;")).collect();
        assert_eq!(style_visibility(&many, false, &mut variables), Visibility::Shown);
        assert_eq!(style_visibility("font-size:var(--any)", false, &mut variables), Visibility::Unsure);
    }
}
