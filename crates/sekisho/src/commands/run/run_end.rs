//! How a run ended, in a line, and the exit code.

use uuid::Uuid;

use super::run_update::RunFinish;
use super::session::SessionEnd;
use crate::commands::server_connection::short_id;
use crate::exit::Exit;
use crate::terminal::{style, visible};

/// The last lines, and the exit code. `is_embedded`: the server ends with this command.
pub(super) fn ending(end: &SessionEnd, run: Uuid, is_embedded: bool) -> (Vec<String>, Exit) {
    let id = short_id(run);
    match end {
        SessionEnd::Finished(Some(finish)) => finished(finish, &id),
        SessionEnd::Finished(None) => (Vec::new(), Exit::Ok),
        SessionEnd::Left { waits } => {
            let (strong, faint) = (style::STRONG, style::FAINT);
            let state = match (waits, is_embedded) {
                (true, _) => "it waits for an approval",
                (false, true) => "it is stored, and goes on when you resume it",
                (false, false) => "it goes on in the server",
            };
            let lines = [
                format!("{strong}left{strong:#}  run {id}: {state}"),
                format!("{faint}resume it with `sekisho run --resume {id}`{faint:#}"),
            ];
            (lines.to_vec(), Exit::NeedsConfirmation)
        }
    }
}

fn finished(finish: &RunFinish, id: &str) -> (Vec<String>, Exit) {
    let (label, colour, text, exit) = match finish.reason.as_str() {
        "stop" => ("completed", style::ALLOW, usage(finish), Exit::Ok),
        "error" => ("failed", style::DENY, detail(finish), Exit::Failure),
        "interrupted" | "aborted" => ("aborted", style::DENY, detail(finish), Exit::Denied),
        "max_iterations" => {
            let text = format!(
                ": it used all its replies; `sekisho run --resume {id} 'go on'` continues it (`--max-iterations` sets how many)"
            );
            ("stopped", style::CONFIRM, text, Exit::Failure)
        }
        "budget" => ("stopped", style::CONFIRM, ": its budget is used up".into(), Exit::Failure),
        "length" => ("stopped", style::CONFIRM, ": the reply became too long".into(), Exit::Failure),
        "refusal" => ("stopped", style::CONFIRM, ": the model refused".into(), Exit::Failure),
        "unfinished_calls" => {
            ("stopped", style::CONFIRM, ": the model did not finish its calls".into(), Exit::Failure)
        }
        _ => ("stopped", style::CONFIRM, detail(finish), Exit::Failure),
    };
    (vec![format!("{colour}{label}{colour:#}  run {id}{text}")], exit)
}

fn detail(finish: &RunFinish) -> String {
    finish.detail.as_deref().map(|detail| format!(": {}", visible(detail))).unwrap_or_default()
}

/// The tokens, if the provider counts them.
fn usage(finish: &RunFinish) -> String {
    match (finish.input_tokens, finish.output_tokens) {
        (0, 0) => String::new(),
        (input, output) => format!(", {input} tokens in, {output} out"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_says_how_it_ended() {
        let finish = |reason: &str, detail: Option<&str>| {
            let finish = RunFinish {
                reason: reason.into(),
                detail: detail.map(str::to_owned),
                input_tokens: 12,
                output_tokens: 3,
            };
            let (lines, exit) = ending(&SessionEnd::Finished(Some(finish)), Uuid::nil(), true);
            (anstream::adapter::strip_str(&lines.join("\n")).to_string(), exit)
        };
        assert_eq!(finish("stop", None), ("completed  run 00000000, 12 tokens in, 3 out".into(), Exit::Ok));
        assert_eq!(finish("error", Some("no key")), ("failed  run 00000000: no key".into(), Exit::Failure));
        assert_eq!(finish("aborted", Some("enough")).1, Exit::Denied);
        assert_eq!(finish("max_iterations", None).1, Exit::Failure);
        assert_eq!(finish("something_new", None).1, Exit::Failure);
        let (lines, exit) = ending(&SessionEnd::Left { waits: true }, Uuid::nil(), true);
        assert!(exit == Exit::NeedsConfirmation && lines.join(" ").contains("--resume 00000000"));
    }
}
