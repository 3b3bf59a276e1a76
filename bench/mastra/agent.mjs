// Runs of Mastra's agent on a LibSQL file: an agent that calls an empty tool in every reply but the last.
// Prints one JSON line: { seconds, steps, between }.
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core";
import { noopLogger } from "@mastra/core/logger";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import { createTool } from "@mastra/core/tools";
import { LibSQLStore } from "@mastra/libsql";
import { z } from "zod";

const [file, durable, runs, atOnce, replies] = process.argv.slice(2).map((text, at) => (at < 2 ? text : Number(text)));

/** Milliseconds from one request for a reply to the next of the same run. */
const between = [];
/** How often a model was asked. */
let asked = 0;
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** The mock model of the AI SDK. It knows from the conversation how many replies it has given. */
function model() {
  let last;
  const parts = prompt => {
    const now = performance.now();
    asked += 1;
    const given = prompt.filter(message => message.role === "assistant").length;
    if (given > 0) between.push(now - last);
    last = now;
    return given + 1 < replies
      ? { finishReason: "tool-calls", call: { type: "tool-call", toolCallId: `call-${given}`, toolName: "nothing", input: "{}" } }
      : { finishReason: "stop" };
  };
  return new MastraLanguageModelV2Mock({
    doGenerate: async ({ prompt }) => {
      const { finishReason, call } = parts(prompt);
      return { content: call ? [call] : [{ type: "text", text: "Done." }], finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { finishReason, call } = parts(prompt);
      const text = [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "Done." }, { type: "text-end", id: "1" }];
      const chunks = [{ type: "stream-start", warnings: [] }, ...(call ? [call] : text), { type: "finish", finishReason, usage }];
      return {
        stream: new ReadableStream({
          start(controller) {
            chunks.forEach(chunk => controller.enqueue(chunk));
            controller.close();
          },
        }),
      };
    },
  });
}

const nothing = createTool({
  id: "nothing",
  description: "Does nothing.",
  inputSchema: z.object({}),
  execute: async () => ({}),
});

// With `durable`, Mastra stores a checkpoint of each step, as sekisho always does.
const isDurable = durable === "durable";
const storage = new LibSQLStore({ id: "storage", url: `file:${file}` });
const agents = {};
for (let at = 0; at < atOnce; at += 1) {
  // A model for each run under way, since the mock keeps the time of its last request.
  const id = `agent-${at}`;
  agents[id] = new Agent({
    id,
    name: id,
    instructions: "Call the tool.",
    model: model(),
    tools: { nothing },
    ...(isDurable ? { durable: true } : {}),
  });
}
const mastra = new Mastra({
  agents,
  storage,
  logger: noopLogger,
  ...(isDurable ? { recovery: { durableAgents: "auto" } } : {}),
});
await storage.init();

async function run(agent) {
  const result = await agent.stream("Go.", { maxSteps: replies });
  const output = result.output ?? result;
  const text = await output.text;
  if (text !== "Done.") throw new Error(`a run ended with the text ${JSON.stringify(text)}`);
  await result.cleanup?.();
}

// One run before, so that everything is loaded.
await run(mastra.getAgent("agent-0"));
between.length = 0;
asked = 0;
let left = runs;
const start = performance.now();
await Promise.all(
  Object.keys(agents).map(async id => {
    while (left > 0) {
      left -= 1;
      await run(mastra.getAgent(id));
    }
  }),
);
const seconds = (performance.now() - start) / 1000;
if (asked !== runs * replies) throw new Error(`${runs} runs asked for ${asked} replies`);
process.stdout.write(`${JSON.stringify({ seconds, steps: asked, between })}\n`, () => process.exit(0));
