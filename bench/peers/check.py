# A toy check like many first hooks: one pattern, no record.
import json, re, sys

call = json.load(sys.stdin)
command = call.get("tool_input", {}).get("command", "")
decision = "deny" if re.search(r"\brm\s+-rf\b", command) else "allow"
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}}))
