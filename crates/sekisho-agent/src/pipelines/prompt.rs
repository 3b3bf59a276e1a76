//! The prompt of a stage: text with places for the input of the pipeline and the output of the stage before.
//!
//! What is put in is data. It is not searched for placeholders again.

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

    /// The text with everything put in.
    pub(super) fn fill(&self, input: &str, previous: &str) -> String {
        let text = |part: &Part<'a>| match part {
            Part::Text(text) => (*text).to_owned(),
            Part::Place(Placeholder::Input) => input.to_owned(),
            Part::Place(Placeholder::Previous) => previous.to_owned(),
        };
        self.parts.iter().map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_once() {
        let check = |prompt: &str, expected: &str| {
            let found = Prompt::parse(prompt).unwrap().fill("IN", "{{input}} \\{{ PREV");
            assert_eq!(found, expected, "{prompt}");
        };
        check("", "");
        check("go", "go");
        check("a {{input}} b {{ previous }}!", "a IN b {{input}} \\{{ PREV!");
        check("{{input}}{{input}}", "ININ");
        check(r"\{{input}} {{input}}", "{{input}} IN");
        check("}} { {", "}} { {");
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
