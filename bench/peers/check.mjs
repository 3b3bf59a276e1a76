// A toy check like many first hooks: one pattern, no record.
import { readFileSync } from "node:fs";

const call = JSON.parse(readFileSync(0, "utf8"));
const command = call.tool_input?.command ?? "";
const permissionDecision = /\brm\s+-rf\b/.test(command) ? "deny" : "allow";
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision } }));
