//! The output of a hook, and how agents read it.

use serde_json::Value;

/// What a hook printed, and its exit code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HookOutput {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None`: it was killed.
    pub(crate) code: Option<i32>,
}

/// The JSON that a hook printed, for agents that read it only after exit code 0.
pub(super) fn json_output(answered: &HookOutput) -> Option<Value> {
    if answered.code != Some(0) {
        return None;
    }
    serde_json::from_str(answered.stdout.trim()).ok()
}

/// The reason of a hook that blocks with exit code 2.
pub(super) fn exit_two_reason(answered: &HookOutput) -> Option<String> {
    let reason = answered.stderr.trim();
    (answered.code == Some(2) && !reason.is_empty()).then(|| reason.to_owned())
}

/// The reason of a denial in the format of Claude Code, which Codex shares.
pub(super) fn deny_reason(answered: &HookOutput) -> Option<String> {
    let output = json_output(answered)?;
    let output = output.get("hookSpecificOutput")?;
    if output.get("permissionDecision")?.as_str()? != "deny" {
        return None;
    }
    Some(output.get("permissionDecisionReason")?.as_str()?.to_owned())
}
