//! Limits of what a reply may contain. A provider, or a server that is taken for one, must not be able to use up the
//! memory or the disk of this process: every step of a run stores its calls.

use super::ReplyPiece;
use super::failure::Failure;

/// The most calls of a reply.
const MAX_CALLS: usize = 128;
/// The most bytes of the inputs of all calls of a reply.
const MAX_INPUTS: usize = 2 << 20;
/// The most bytes of the texts of a reply.
const MAX_TEXT: usize = 4 << 20;
/// The most bytes of the name of a call.
const MAX_NAME: usize = 256;
/// The most bytes of the id that a server gives a call. Some put signatures into it. It is kept only until the reply
/// is whole: the id of the call itself is shorter.
const MAX_GIVEN_ID: usize = 16 << 10;

/// Fails if the name of a call, or the id that its server gave it, is too long. Readers check this before they keep
/// anything of the call.
pub(super) fn check_call(name: &str, given_id: Option<&str>) -> Result<(), Failure> {
    if name.len() > MAX_NAME {
        return Err(Failure::bad_reply(format!("the name of a tool call has more than {MAX_NAME} bytes")));
    }
    if given_id.is_some_and(|id| id.len() > MAX_GIVEN_ID) {
        return Err(Failure::bad_reply("the id of a tool call has more than 16 KiB"));
    }
    Ok(())
}

/// Counts the bytes of parts that are sent back as they came. Fails if the reply has too many.
pub(super) fn count_opaque(so_far: &mut usize, more: usize) -> Result<(), Failure> {
    *so_far = so_far.saturating_add(more);
    if *so_far > MAX_TEXT {
        return Err(Failure::bad_reply("its thoughts and other parts have more than 4 MiB"));
    }
    Ok(())
}

/// Counts what a reply has so far.
#[derive(Debug, Default)]
pub(super) struct ReplyLimits {
    calls: usize,
    inputs: usize,
    text: usize,
}

impl ReplyLimits {
    /// Counts a piece. Fails if the reply has too much.
    pub(super) fn count(&mut self, piece: &ReplyPiece) -> Result<(), Failure> {
        match piece {
            ReplyPiece::CallStarted { .. } => self.calls = self.calls.saturating_add(1),
            ReplyPiece::CallInput { text, .. } => self.inputs = self.inputs.saturating_add(text.len()),
            ReplyPiece::Text(text) => self.text = self.text.saturating_add(text.len()),
        }
        if self.calls > MAX_CALLS {
            return Err(Failure::bad_reply(format!("it has more than {MAX_CALLS} tool calls")));
        }
        if self.inputs > MAX_INPUTS {
            return Err(Failure::bad_reply("the inputs of its tool calls have more than 2 MiB"));
        }
        if self.text > MAX_TEXT {
            return Err(Failure::bad_reply("its text has more than 4 MiB"));
        }
        Ok(())
    }
}

/// How many values a JSON text has, about: what separates or opens values outside texts.
pub(super) fn values(json: &str) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'{' | b'[' if !in_text => count = count.saturating_add(1),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_texts_are_counted() {
        for (json, expected) in [("1", 0), (r#"{"a":[1,2,{}]}"#, 5), (r#"["a,b\",{[", "\\", 1]"#, 3)] {
            assert_eq!(values(json), expected, "{json}");
        }
    }

    #[test]
    fn names_and_ids_of_calls_have_limits() {
        let long = "x".repeat(MAX_GIVEN_ID);
        let (name, _) = long.split_at(MAX_NAME);
        assert!(check_call(name, Some(&long)).is_ok());
        assert!(check_call(&format!("{name}x"), None).is_err());
        assert!(check_call("read", Some(&format!("{long}x"))).is_err());
    }

    #[test]
    fn each_kind_of_piece_has_its_limit() {
        let check = |piece: &dyn Fn() -> ReplyPiece, most: usize| {
            let mut limits = ReplyLimits::default();
            for number in 0..most {
                assert!(limits.count(&piece()).is_ok(), "{number}");
            }
            assert!(limits.count(&piece()).is_err());
        };
        let kib = || "x".repeat(1 << 10);
        check(&|| ReplyPiece::CallStarted { id: "a".into(), name: "read".into() }, MAX_CALLS);
        check(&|| ReplyPiece::CallInput { id: "a".into(), text: kib() }, MAX_INPUTS >> 10);
        check(&|| ReplyPiece::Text(kib()), MAX_TEXT >> 10);
    }
}
