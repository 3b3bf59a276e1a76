//! Calls just under the largest body that is taken, by what they are made of.

/// The largest body that is taken, less what the call has besides its input.
const SIZE: usize = (4 << 20) - 1000;

/// The shapes: one long command, many short ones, a list of texts, a list of objects.
pub const SHAPES: [&str; 4] = ["script", "lines", "texts", "objects"];

/// A call of a shape.
pub fn body(shape: &str, id: usize) -> String {
    let input = match shape {
        "script" => command("$(a) "),
        // The newline takes two bytes.
        "lines" => command("ls a\\n"),
        "texts" => list(&format!("\"{}\"", "x".repeat(90))),
        _ => list(&format!("{{\"k\":\"{}\"}}", "v".repeat(900))),
    };
    format!(r#"{{"toolName":"Bash","toolUseId":"large-{id}","conversationId":"c","input":{input}}}"#)
}

fn command(piece: &str) -> String {
    format!(r#"{{"command":"{}"}}"#, piece.repeat(SIZE / piece.len()))
}

fn list(piece: &str) -> String {
    let more = format!(",{piece}").repeat(SIZE / (piece.len() + 1) - 1);
    format!(r#"{{"x":[{piece}{more}]}}"#)
}
