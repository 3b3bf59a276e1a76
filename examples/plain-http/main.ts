// No SDK: one request decides about a call and waits for a human. Closing the connection withdraws the question.
import { writeFile } from 'node:fs/promises';

const input = { text: 'hello' };
const response = await fetch(`${process.env['SEKISHO_URL']}/api/can-use-tool`, {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env['SEKISHO_TOKEN']}`, 'content-type': 'application/json' },
  body: JSON.stringify({ toolName: 'write_note', input, toolUseId: `example-${process.pid}` }),
});
if (!response.ok) throw new Error(`the call could not be checked: ${response.status} ${await response.text()}`);
const permission = (await response.json()) as { behavior: string; updatedInput?: typeof input; message?: string; executionId?: string };
if (permission.behavior === 'allow') {
  await writeFile('note.txt', (permission.updatedInput ?? input).text);
  console.log('result: done');
} else {
  console.log('result: denied:', permission.message);
}
