//! The prompt of a stage: text with places for the input of the pipeline and the output of the stage before.
//!
//! What is put in is data. It is not searched for placeholders again. A text that would be too long is never built, because a
//! prompt can name a long input often.

/// The longest prompt with everything put in, and the longest output of a stage, in characters.
pub(super) const MAX_TEXT: usize = 1_000_000;

/// What a prompt has a place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    /// `{{input}}`: the input of the pipeline.
    Input,
    /// `{{previous}}`: the output of the stage before.
    Previous,
}

/// A parsed prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Prompt<'a> {
    parts: Vec<Part<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Place(Placeholder),
}

impl<'a> Prompt<'a> {
    /// Parses a prompt. `\{{` is `{{` as text.
    pub(super) fn parse(text: &'a str) -> Result<Prompt<'a>, String> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            if let Some(before) = before.strip_suffix('\\') {
                parts.extend([Part::Text(before), Part::Text("{{")]);
                rest = after;
                continue;
            }
            parts.push(Part::Text(before));
            let Some((name, behind)) = after.split_once("}}") else {
                return Err(r"`{{` has no `}}`; write `\{{` where it is text".to_owned());
            };
            let place = match name.trim() {
                "input" => Placeholder::Input,
                "previous" => Placeholder::Previous,
                other => {
                    let shown: String = other.chars().take(50).collect();
                    return Err(format!(
                        r"`{{{{{shown}}}}}` is not a placeholder; there are `{{{{input}}}}` and `{{{{previous}}}}`; write `\{{{{` where it is text"
                    ));
                }
            };
            parts.push(Part::Place(place));
            rest = behind;
        }
        parts.push(Part::Text(rest));
        Ok(Prompt { parts })
    }

    /// Whether it has a place for this.
    pub(super) fn has(&self, placeholder: Placeholder) -> bool {
        self.parts.contains(&Part::Place(placeholder))
    }

    /// How many places it has.
    pub(super) fn place_count(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Place(_))).count()
    }

    /// The text with everything put in. None if it would have more than [`MAX_TEXT`] characters.
    pub(super) fn fill(&self, input: &str, previous: &str) -> Option<String> {
        let (input, previous) = (Filling::of(input), Filling::of(previous));
        let fillings = || self.parts.iter().map(|part| part.filling(input, previous));
        let characters = fillings().fold(0_usize, |sum, one| sum.saturating_add(one.characters));
        (characters <= MAX_TEXT).then(|| fillings().map(|one| one.text).collect())
    }
}

impl<'a> Part<'a> {
    fn filling<'b>(&self, input: Filling<'b>, previous: Filling<'b>) -> Filling<'b>
    where
        'a: 'b,
    {
        match self {
            Part::Text(text) => Filling::of(text),
            Part::Place(Placeholder::Input) => input,
            Part::Place(Placeholder::Previous) => previous,
        }
    }
}

/// A text and its length, which is counted once.
#[derive(Clone, Copy)]
struct Filling<'a> {
    text: &'a str,
    characters: usize,
}

impl<'a> Filling<'a> {
    fn of(text: &'a str) -> Filling<'a> {
        Filling { text, characters: text.chars().count() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let check = |prompt: &str, expected: &str| {
            let found = Prompt::parse(prompt).unwrap().fill("IN", "{{input}} \\{{ PREV").unwrap();
            assert_eq!(found, expected, "{prompt}");
        };
        check("", "");
        check("go", "go");
        check("a {{input}} b {{ previous }}!", "a IN b {{input}} \\{{ PREV!");
        check("{{input}}{{input}}", "ININ");
        check(r"\{{input}} {{input}}", "{{input}} IN");
        check("}} { {", "}} { {");
    }

    /// Built, the longest of these texts would have 20 GB.
    #[test]
    fn too_long_text_is_not_built() {
        let check = |prompt: &str, input: &str, previous: &str, characters: Option<usize>| {
            let found = Prompt::parse(prompt).unwrap().fill(input, previous);
            assert_eq!(found.map(|text| text.chars().count()), characters);
        };
        let long = "\u{e9}".repeat(MAX_TEXT);
        check("{{input}}", &long, "", Some(MAX_TEXT));
        check("{{input}}.", &long, "", None);
        check("{{previous}}{{input}}", "a", &long, None);
        check(&"{{input}}".repeat(10_000), &long, "", None);
        check(&"{{previous}}".repeat(MAX_TEXT + 1), "", "a", None);
    }

    #[test]
    fn other_placeholders_are_refused() {
        for prompt in ["{{", "{{input", "{{}}", "{{Input}}", "{{previous.output}}", "{{{input}}}"] {
            assert!(Prompt::parse(prompt).is_err(), "{prompt}");
        }
        let why = Prompt::parse("{{inptu}}").unwrap_err();
        assert!(why.contains("`{{inptu}}`") && why.contains("`{{previous}}`"), "{why}");
    }
}
