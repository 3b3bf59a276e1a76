// Written by `sekisho install opencode`; removed by `sekisho uninstall opencode`. Asks sekisho about every
// tool call before it runs. Anything but a clear allow stops the call: opencode blocks a call when this
// function throws, and runs it in every other case.
import { spawn } from "node:child_process"

// The hook itself gives up earlier; this limit is for a hook that hangs.
const LIMIT_MS = 3_660_000
const LIMIT_AFTER_MS = 10_000
const LARGEST = 16 * 1024 * 1024

// Runs the hook once. Resolves to its output if it succeeded.
function ask(told, limit) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(told)
    const child = spawn(HOOK, ["opencode", "--installation", INSTALLATION], { shell: false, stdio: ["pipe", "pipe", "pipe"] })
    let out = ""
    let err = ""
    const fail = (why) => {
      clearTimeout(timer)
      child.kill("SIGKILL")
      reject(new Error(why))
    }
    const timer = setTimeout(() => fail("sekisho did not answer in time: blocked"), limit)
    child.on("error", (error) => fail(`sekisho could not be asked: blocked (${error.message})`))
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8")
    child.stdout.on("data", (piece) => {
      out += piece
      if (out.length > LARGEST) fail("the answer of sekisho is too long: blocked")
    })
    child.stderr.on("data", (piece) => {
      if (err.length < 65_536) err += piece
    })
    // A hook that exits before it has read everything is judged by its exit code.
    child.stdin.on("error", () => {})
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code === 0) resolve(out)
      else reject(new Error(err.trim() || `sekisho exited with ${signal ?? code}: blocked`))
    })
    child.stdin.end(text)
  })
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value)

function read(text) {
  let answer
  try {
    answer = JSON.parse(text)
  } catch {
    answer = null
  }
  if (!isObject(answer)) throw new Error("the answer of sekisho cannot be read: blocked")
  return answer
}

// opencode keeps the object it passed in, so it is changed and not replaced.
function replace(output, args) {
  if (!isObject(args)) throw new Error("the edited input from sekisho is not an object: blocked")
  if (!isObject(output.args)) throw new Error("the input of this tool cannot be changed: blocked")
  for (const key of Object.keys(output.args)) delete output.args[key]
  for (const key of Object.keys(args)) output.args[key] = args[key]
}

export const Sekisho = async ({ client, directory }) => {
  let servers = []
  const tell = (event, input, args) => ({
    event,
    tool: input.tool,
    sessionID: input.sessionID,
    callID: input.callID,
    args: args ?? {},
    directory,
    servers,
  })
  return {
    config: async (config) => {
      servers = Object.keys(config?.mcp ?? {})
    },
    "tool.execute.before": async (input, output) => {
      const answer = read(await ask(tell("before", input, output.args), LIMIT_MS))
      if (answer.decision !== "allow") {
        // Not awaited: opencode may be waiting for this very call to end.
        if (answer.interrupt === true) client?.session?.abort?.({ path: { id: input.sessionID } })?.catch?.(() => {})
        throw new Error(typeof answer.reason === "string" && answer.reason ? answer.reason : "blocked by sekisho")
      }
      if ("args" in answer) replace(output, answer.args)
    },
    "tool.execute.after": async (input, output) => {
      // The call has run; nothing is left to decide.
      const exit = output?.metadata?.exit
      const told = { ...tell("after", input, input.args), failed: typeof exit === "number" && exit !== 0 }
      await ask(told, LIMIT_AFTER_MS).catch(() => {})
    },
  }
}
