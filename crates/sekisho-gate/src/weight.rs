//! How much something weighs: the bytes it would be as JSON, counted without writing them.

use std::io::{Error, Result, Write};

use serde::Serialize;

/// What something weighs. What weighs more than `most` weighs more than `most`: how much more is not counted.
pub(crate) fn weight(what: &impl Serialize, most: usize) -> usize {
    let mut scale = Scale { most, weighed: 0 };
    match serde_json::to_writer(&mut scale, what) {
        Ok(()) => scale.weighed,
        // Too heavy, or nothing that could be written: both are to be handled with care.
        Err(_) => most.saturating_add(1),
    }
}

struct Scale {
    most: usize,
    weighed: usize,
}

impl Write for Scale {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.weighed = self.weighed.saturating_add(bytes.len());
        match self.weighed > self.most {
            true => Err(Error::other("too heavy")),
            false => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::weight;
    use serde_json::json;

    #[test]
    fn a_thing_weighs_what_it_is_as_json_up_to_the_most() {
        for what in [json!({}), json!({ "a": [1, "b\n", null] }), json!("日本")] {
            let text = what.to_string();
            assert_eq!(weight(&what, 100), text.len(), "{text}");
            assert_eq!(weight(&what, text.len()), text.len(), "{text}");
            assert_eq!(weight(&what, text.len() - 1), text.len(), "{text}");
        }
        assert_eq!(weight(&"x".repeat(1000), 10), 11);
    }
}
