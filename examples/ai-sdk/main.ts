// The AI SDK: `toolApproval` asks sekisho. npm install ai @ai-sdk/openai-compatible zod @sekisho/client
import { writeFile } from 'node:fs/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { toolApproval } from '@sekisho/client/ai';
import { generateText, isStepCount, tool } from 'ai';
import { z } from 'zod';

const model = createOpenAICompatible({ name: 'local', baseURL: process.env['OPENAI_BASE_URL']!, apiKey: process.env['OPENAI_API_KEY']! })('example');
const write_note = tool({
  description: 'Writes a note',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }) => writeFile('note.txt', text).then(() => 'written'),
});

const result = await generateText({
  model,
  tools: { write_note },
  toolApproval: toolApproval({ conversationId: `example-${process.pid}` }),
  stopWhen: isStepCount(5),
  prompt: 'Write a note.',
});
console.log('result:', result.text);
