//! Counts the attributes of the tag that is being read.
//!
//! The tokenizer compares each new attribute of a tag with all earlier ones and reports a tag only when it is
//! complete. That takes quadratic time. So attributes are counted here first, in the raw text, with the same states as
//! the tokenizer's.

/// Where in a tag the text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// In the name of the tag.
    #[default]
    TagName,
    BeforeName,
    Name,
    AfterName,
    BeforeValue,
    Unquoted,
    Quoted(u8),
}

/// Counts the attributes of one tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AttributeCount {
    state: State,
    count: usize,
}

impl AttributeCount {
    /// In the middle of a tag, before an attribute.
    pub(super) fn inside_tag() -> AttributeCount {
        AttributeCount { state: State::BeforeName, count: 0 }
    }

    /// Reads more of the tag. Returns the number of attributes so far.
    pub(super) fn read(&mut self, text: &str) -> usize {
        for byte in text.bytes() {
            let is_space = byte.is_ascii_whitespace();
            self.state = match (self.state, byte) {
                // The tag ends here; what follows is text.
                (state, b'>') if !matches!(state, State::Quoted(_)) => break,
                (State::TagName | State::Name, b'/') | (State::AfterName, b'/') => State::BeforeName,
                (State::TagName, _) if is_space => State::BeforeName,
                (State::BeforeName, b'/') => State::BeforeName,
                (State::BeforeName, _) if is_space => State::BeforeName,
                (State::BeforeName, _) => self.new_attribute(),
                (State::Name | State::AfterName, b'=') => State::BeforeValue,
                (State::Name | State::AfterName, _) if is_space => State::AfterName,
                (State::AfterName, _) => self.new_attribute(),
                (State::BeforeValue, b'"' | b'\'') => State::Quoted(byte),
                (State::BeforeValue, _) if is_space => State::BeforeValue,
                (State::BeforeValue, _) => State::Unquoted,
                (State::Unquoted, _) if is_space => State::BeforeName,
                (State::Quoted(quote), _) if quote == byte => State::BeforeName,
                (state, _) => state,
            };
        }
        self.count
    }

    fn new_attribute(&mut self) -> State {
        self.count += 1;
        State::Name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tag: &str, expected: usize) {
        assert_eq!(AttributeCount::default().read(tag), expected, "{tag}");
        let mut count = AttributeCount::default();
        let bytewise = tag.char_indices().map(|(at, c)| tag.get(at..at + c.len_utf8()).unwrap());
        assert_eq!(bytewise.map(|piece| count.read(piece)).last().unwrap_or(0), expected, "{tag}");
    }

    #[test]
    fn attributes_are_counted_as_the_tokenizer_does() {
        check("a", 0);
        check("a href=x", 1);
        check("a href=x/y class='b c d' id", 3);
        check("a b/c/d", 3);
        check("a b='1'c=\"2\"d", 3);
        check("a b = 'x y z' c = d", 2);
        check("a <b <c <d", 3);
        check("a =b", 1);
        check("a data='>' b", 2);
        check("a \"b c\"", 2);
    }
}
