// The OpenAI Agents SDK: interruptions are answered by sekisho. npm install @openai/agents zod @sekisho/client
import { writeFile } from 'node:fs/promises';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { createInterruptionHandler } from '@sekisho/client/openai-agents';
import { z } from 'zod';

const writeNote = tool({
  name: 'write_note',
  description: 'Writes a note',
  parameters: z.object({ text: z.string() }),
  needsApproval: true,
  execute: ({ text }) => writeFile('note.txt', text).then(() => 'written'),
});
const agent = new Agent({ name: 'notes', instructions: 'You take notes.', model: 'example', tools: [writeNote] });
// The scripted model speaks chat completions. With OpenAI's own models, `run(agent, …)` is enough.
const runner = new Runner({ modelProvider: new OpenAIProvider({ useResponses: false }), tracingDisabled: true });

const decide = createInterruptionHandler({ conversationId: `example-${process.pid}` });
let result = await runner.run(agent, 'Write a note.');
while (await decide(result)) result = await runner.run(agent, result.state);
console.log('result:', result.finalOutput);
