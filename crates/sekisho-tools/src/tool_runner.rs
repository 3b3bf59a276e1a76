//! The whole path of a tool call.
//!
//! Validate the input, let the tool complete it, check it, put it to the gate, validate and check again what came
//! back (a human may have edited it), record the start, execute, report the outcome.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use sekisho_gate::call_request::CallRequest;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::{ExecutionOutcome, ProgramExit};
use sekisho_gate::refusal::Refusal;
use sekisho_gate::registered_records::{ComponentError, Recorder};
use sekisho_gate::{ApprovalId, ExecutionId, Gate, Permit, Receipt, Submission};
use sekisho_policy::SourcedDescriptor;
use serde_json::{Value, json};

use crate::input_validation::validate;
use crate::permitted_call::PermittedCall;
use crate::records::{self, ExecutionRecords};
use crate::registry::ToolRegistry;
use crate::tool::Tool;
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// Why a tool did not run.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolError {
    /// No tool has this name.
    Unknown(String),
    /// The input does not match the schema.
    Input(String),
    /// The tool could not find what it looks up by itself. Nobody was asked.
    Incomplete(String),
    /// The call can never run in this context. Nobody was asked.
    Forbidden(String),
    /// A rule or a human refused it, or nobody answered.
    Refused(Refusal),
    /// A human edited the input, and the edited call can never run.
    EditForbidden(String),
    /// The start could not be recorded, so the tool did not run.
    NotRecorded(String),
    /// Another process has started the same call, so the tool did not run here.
    StartedElsewhere(ExecutionId),
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolError::Unknown(name) => write!(f, "Unknown tool: {name}"),
            ToolError::Input(why) | ToolError::Incomplete(why) | ToolError::Forbidden(why) => {
                f.write_str(why)
            }
            ToolError::Refused(refusal) => write!(f, "{refusal}"),
            ToolError::EditForbidden(why) => write!(f, "the edited input was refused: {why}"),
            ToolError::NotRecorded(why) => {
                write!(f, "the start could not be recorded, and no tool runs without a record: {why}")
            }
            ToolError::StartedElsewhere(execution) => {
                write!(f, "not run here: another process has started this call (execution `{execution}`)")
            }
        }
    }
}

impl std::error::Error for ToolError {}

impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> ToolResult {
        ToolResult::error(error.to_string())
    }
}

/// How far a call of a durable run came.
#[derive(Clone, Debug, PartialEq)]
pub enum DurableCall {
    /// The tool ran.
    Ended {
        /// Its result.
        result: ToolResult,
        /// The input it ran with, if a human changed it.
        edited: Option<Value>,
    },
    /// The call waits for an approval, which stays open across restarts. [`ToolRunner::redeem`] takes the answer.
    Waiting(ApprovalId),
    /// The call was started before, possibly by a process that is gone. It does not run again.
    Started(ExecutionId),
}

/// Runs tools through a gate. Cheap to clone.
#[derive(Clone)]
pub struct ToolRunner {
    gate: Gate,
    registry: Arc<ToolRegistry>,
    recorder: Recorder,
}

impl ToolRunner {
    /// A runner. Registers the record kinds of tools, which a gate takes once.
    pub fn new(gate: Gate, registry: Arc<ToolRegistry>) -> Result<ToolRunner, ComponentError> {
        let recorder = records::register(&gate)?;
        Ok(ToolRunner { gate, registry, recorder })
    }

    /// The tools it runs.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Takes a call through the gate and runs it. The request's schema and descriptor are the tool's own,
    /// whatever the request says. Dropping the future withdraws the call, or kills its program.
    pub async fn run(&self, mut request: CallRequest, ctx: &ToolContext) -> Result<ToolResult, ToolError> {
        let found = self.prepare(&mut request, ctx)?;
        let credential = request.caller.credential.clone();
        let permit = self.gate.pass(request).await.map_err(ToolError::Refused)?;
        let records = ExecutionRecords::new(self.recorder.clone(), credential);
        self.run_permitted(found, permit, ctx, &records).await
    }

    /// The same for a call of a durable run: it does not wait for humans, and a call that was submitted before,
    /// by this process or another, is found again. The call must have an id and name its run.
    pub async fn submit(
        &self,
        mut request: CallRequest,
        ctx: &ToolContext,
    ) -> Result<DurableCall, ToolError> {
        let found = self.prepare(&mut request, ctx)?;
        let credential = request.caller.credential.clone();
        let submission = self.gate.submit(request).await.map_err(ToolError::Refused)?;
        self.run_submission(found, submission, credential, ctx).await
    }

    /// Takes the answer to an approval that [`submit`](ToolRunner::submit) returned, and runs the call if it was
    /// approved. Still waiting if nobody has answered, or if the answer no longer holds and the gate asks again.
    pub async fn redeem(
        &self,
        name: &str,
        approval: ApprovalId,
        credential: String,
        ctx: &ToolContext,
    ) -> Result<DurableCall, ToolError> {
        let found = self.find(name)?;
        let submission = self.gate.redeem(approval).await.map_err(ToolError::Refused)?;
        self.run_submission(found, submission, credential, ctx).await
    }

    async fn run_submission(
        &self,
        found: (&dyn Tool, &InputSchema),
        submission: Submission,
        credential: String,
        ctx: &ToolContext,
    ) -> Result<DurableCall, ToolError> {
        let permit = match submission {
            Submission::Permit(permit) => permit,
            Submission::Pending(approval) => return Ok(DurableCall::Waiting(approval)),
            Submission::Spent(execution) => return Ok(DurableCall::Started(execution)),
        };
        let edited = permit.is_edited().then(|| permit.call().input.clone());
        let records = ExecutionRecords::new(self.recorder.clone(), credential);
        match self.run_permitted(found, permit, ctx, &records).await {
            Ok(result) => Ok(DurableCall::Ended { result, edited }),
            Err(ToolError::StartedElsewhere(execution)) => Ok(DurableCall::Started(execution)),
            Err(error) => Err(error),
        }
    }

    fn find(&self, name: &str) -> Result<(&dyn Tool, &InputSchema), ToolError> {
        match (self.registry.get(name), self.registry.completed_schema(name)) {
            (Some(tool), Some(schema)) => Ok((tool, schema)),
            _ => Err(ToolError::Unknown(name.to_owned())),
        }
    }

    /// Validates and checks a request, and completes it with what the tool looks up by itself.
    fn prepare(
        &self,
        request: &mut CallRequest,
        ctx: &ToolContext,
    ) -> Result<(&dyn Tool, &InputSchema), ToolError> {
        let name = &request.call.tool;
        let (tool, schema) = self.find(name)?;
        let given = self.registry.schema(name).ok_or_else(|| ToolError::Unknown(name.clone()))?;
        if tool.needs_run() && ctx.run.is_none() {
            return Err(ToolError::Forbidden(format!(
                "`{name}` works only in a run, and this call has none"
            )));
        }
        let input = std::mem::take(&mut request.call.input);
        let input = validate(given, input).map_err(ToolError::Input)?;
        request.call.input = tool.complete(input, ctx).map_err(ToolError::Incomplete)?;
        tool.check(&request.call.input, ctx).map_err(ToolError::Forbidden)?;
        request.call.server = None;
        request.call.descriptor = tool.descriptor().map(|own| Box::new(SourcedDescriptor::by_registry(own)));
        request.call.cwd = ctx.root.to_str().filter(|root| !root.is_empty()).map(str::to_owned);
        request.schema = Some(schema.clone());
        Ok((tool, schema))
    }

    async fn run_permitted(
        &self,
        (tool, schema): (&dyn Tool, &InputSchema),
        permit: Permit,
        ctx: &ToolContext,
        records: &ExecutionRecords,
    ) -> Result<ToolResult, ToolError> {
        let (call, receipt) = PermittedCall::spend(permit);
        // The gate read the rules by the path of the workspace.
        if let Err(why) = ctx.check_root() {
            self.report(receipt, &ToolResult::error(format!("not run: {why}"))).await;
            return Err(ToolError::Forbidden(why));
        }
        if let Err(why) = recheck(tool, schema, call.input(), ctx) {
            let result = ToolResult::error(format!("not run: {why}"));
            self.report(receipt, &result).await;
            return Err(ToolError::EditForbidden(why));
        }
        let sandbox = tool.starts_programs().then(|| ctx.sandbox.level().name());
        if let Err(error) = records.started(&call, &receipt, sandbox).await {
            // What comes of it is for the other process to report.
            if let ComponentError::NotWaiting(execution) = error {
                return Err(ToolError::StartedElsewhere(execution));
            }
            let result = ToolResult::error("not run: the start could not be recorded");
            self.report(receipt, &result).await;
            return Err(ToolError::NotRecorded(error.to_string()));
        }
        let about = records.line(&call, String::new(), json!(null));
        let start = Instant::now();
        let mut result = tool.execute(call, ctx).await;
        result.duration = start.elapsed();
        self.report(receipt, &result).await;
        // The tool has run. If the end cannot be recorded, the execution stays unknown in the log.
        let _ = records.completed(about, &result).await;
        Ok(result)
    }

    /// Reports the outcome. If that fails, the ledger keeps the execution as unknown.
    async fn report(&self, receipt: Receipt, result: &ToolResult) {
        let outcome = ExecutionOutcome {
            at: self.gate.clock().now(),
            is_error: result.is_error,
            output: Some(records::recorded_output(&result.content)),
            duration_ms: i64::try_from(result.duration.as_millis()).ok(),
            exit: result.exit.map(ProgramExit::from),
        };
        let _ = self.gate.record_outcome(receipt, outcome).await;
    }
}

/// The input that came back from the gate. An input that validation would change was not seen by whoever
/// approved it, so it is refused.
fn recheck(tool: &dyn Tool, schema: &InputSchema, input: &Value, ctx: &ToolContext) -> Result<(), String> {
    let valid = validate(schema, input.clone())?;
    if valid != *input {
        return Err("a number is out of its range".into());
    }
    tool.check(input, ctx)
}
