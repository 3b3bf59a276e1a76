#!/bin/bash
# A toy check like many first hooks: one pattern, no record.
command=$(jq -r '.tool_input.command // ""')
decision=allow
if [[ $command =~ rm[[:space:]]+-rf ]]; then decision=deny; fi
jq -nc --arg d "$decision" '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: $d}}'
