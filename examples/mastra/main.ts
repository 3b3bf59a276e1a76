// Mastra: calls of tools with `requireApproval` are answered by sekisho. npm install @mastra/core @mastra/libsql zod @sekisho/client
import { writeFile } from 'node:fs/promises';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { streamWithApproval } from '@sekisho/client/mastra';
import { z } from 'zod';

const write_note = createTool({
  id: 'write_note',
  description: 'Writes a note',
  requireApproval: true,
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => writeFile('note.txt', text).then(() => 'written'),
});
const agent = new Agent({
  id: 'notes',
  name: 'notes',
  instructions: 'You take notes.',
  tools: { write_note },
  model: { providerId: 'local', modelId: 'example', url: process.env['OPENAI_BASE_URL']!, apiKey: process.env['OPENAI_API_KEY']! },
});
// A suspended run is stored; without a storage it could not be resumed.
new Mastra({ agents: { agent }, storage: new LibSQLStore({ id: 'store', url: ':memory:' }), logger: false });

let text = '';
for await (const chunk of streamWithApproval(agent, await agent.stream('Write a note.'), { conversationId: `example-${process.pid}` })) {
  if (chunk.type === 'text-delta') text += chunk.payload.text;
  if (chunk.type === 'tool-output-denied') console.log('denied:', JSON.stringify(chunk.payload));
}
console.log('result:', text);
