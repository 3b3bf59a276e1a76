// The Claude Agent SDK: every call of a tool is decided by sekisho first. npm install @anthropic-ai/claude-agent-sdk @sekisho/client
import { query } from '@anthropic-ai/claude-agent-sdk';
import { withApproval } from '@sekisho/client/claude';

const options = withApproval({ cwd: process.cwd() }, { workspaceId: 'examples', conversationId: `example-${process.pid}` });

for await (const message of query({ prompt: 'Write a note.', options })) {
  if (message.type === 'user' && Array.isArray(message.message.content)) console.log('tool:', JSON.stringify(message.message.content));
  if (message.type === 'result') console.log('result:', message.subtype === 'success' ? message.result : message.subtype);
}
