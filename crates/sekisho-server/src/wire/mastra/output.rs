//! The output of `generate`: everything that a run has said and done, or what it waits for.

use serde_json::{Value, json};
use uuid::Uuid;

use super::chunk::WireChunk;
use super::payload::RESUME_SCHEMA;

/// Collects the chunks of a run.
#[derive(Debug)]
pub(crate) struct Output {
    run: Uuid,
    steps: Vec<Value>,
    step: Step,
    end: Option<Value>,
    error: Option<Value>,
}

#[derive(Debug, Default)]
struct Step {
    calls: Vec<Value>,
    results: Vec<Value>,
    approvals: Vec<Value>,
}

impl Output {
    /// For a run.
    pub(crate) fn new(run: Uuid) -> Output {
        Output { run, steps: Vec::new(), step: Step::default(), end: None, error: None }
    }

    /// Takes the next chunk.
    pub(crate) fn take(&mut self, chunk: WireChunk) {
        match chunk.kind {
            // The run went on after its end.
            "step-start" => self.end = None,
            "tool-call" => self.step.calls.push(chunk.json(self.run)),
            "tool-result" | "tool-error" | "tool-output-denied" => {
                let id = chunk.payload.get("toolCallId").cloned();
                self.step.approvals.retain(|approval| approval.get("toolCallId") != id.as_ref());
                self.step.results.push(chunk.json(self.run));
            }
            "tool-call-approval" => self.step.approvals.push(chunk.payload),
            "step-finish" => self.end_step(&chunk.payload),
            "error" => self.error = chunk.payload.get("error").cloned(),
            "finish" => self.end = Some(chunk.payload),
            _ => {}
        }
    }

    fn end_step(&mut self, payload: &Value) {
        let Step { calls, results, .. } = std::mem::take(&mut self.step);
        let step_type = if self.steps.is_empty() { "initial" } else { "tool-result" };
        self.steps.push(json!({
            "stepType": step_type,
            "text": at(payload, "/output/text"),
            "toolCalls": calls,
            "toolResults": results,
            "finishReason": at(payload, "/stepResult/reason"),
            "usage": at(payload, "/output/usage"),
            "warnings": [], "sources": [], "files": [], "reasoning": [], "reasoningText": "",
        }));
    }

    /// The output. While the run waits for approvals it lists the calls of the open step.
    pub(crate) fn finish(self) -> Value {
        let of_steps = |field: &str| -> Vec<Value> {
            self.steps.iter().filter_map(|step| step.get(field)?.as_array()).flatten().cloned().collect()
        };
        let (mut calls, mut results) = (of_steps("toolCalls"), of_steps("toolResults"));
        calls.extend(self.step.calls);
        results.extend(self.step.results);
        let text: String = self.steps.iter().filter_map(|step| step.get("text")?.as_str()).collect();
        let usage = self.end.as_ref().map_or(json!({}), |end| at(end, "/output/usage"));
        let (reason, text) = match &self.end {
            Some(end) => (at(end, "/stepResult/reason"), text),
            None => ("suspended".into(), String::new()),
        };
        let mut output = json!({
            "text": text, "usage": usage, "totalUsage": usage, "steps": self.steps, "finishReason": reason,
            "toolCalls": calls, "toolResults": results, "runId": self.run,
            "warnings": [], "request": {}, "reasoning": [], "sources": [], "files": [], "response": {},
        });
        let Some(fields) = output.as_object_mut() else { return output };
        if let Some(error) = self.error {
            fields.insert("error".into(), error);
        }
        // As Mastra does: the first call that waits; `toolCalls` has them all.
        if let Some(approval) = self.step.approvals.into_iter().next().filter(|_| self.end.is_none()) {
            fields.insert("suspendPayload".into(), approval);
            fields.insert("resumeSchema".into(), RESUME_SCHEMA.into());
        }
        output
    }
}

fn at(value: &Value, path: &str) -> Value {
    value.pointer(path).cloned().unwrap_or_default()
}
