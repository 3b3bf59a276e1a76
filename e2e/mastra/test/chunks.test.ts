// The chunks that Mastra's client sees equal those that Mastra's own server sends for the same model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chunk, chunksOf, comparable, resultsOf, resultsSorted, typesOf } from '../lib/chunks.js';
import type { Reply, ScriptedCall } from '../lib/model.js';
import { AGENT, mastraServer, OurServer, type Peer } from '../lib/peers.js';

const read = (id: string): ScriptedCall => ({ id, name: 'read', args: { path: 'hello.txt' } });
const write = (id: string, path = 'doc/note.txt'): ScriptedCall => ({ id, name: 'file_write', args: { path, content: 'abc' } });

interface Answer {
  call: string;
  approves: boolean;
  reason?: string;
}

/** Starts a run and gives the answers, one stream after the other. */
async function play(peer: Peer, answers: readonly Answer[]): Promise<Chunk[][]> {
  const agent = peer.client.getAgent(AGENT);
  const streams = [await chunksOf(await agent.stream('go'))];
  const runId = streams[0]![0]!.runId;
  for (const { call: toolCallId, approves, reason } of answers) {
    const answered = approves
      ? agent.approveToolCall({ runId, toolCallId })
      : agent.declineToolCall({ runId, toolCallId, ...(reason !== undefined && { reason }) });
    streams.push(await chunksOf(await answered));
  }
  return streams;
}

/** Plays a script on both servers. */
async function both(script: readonly Reply[], answers: readonly Answer[]): Promise<[Chunk[][], Chunk[][]]> {
  const our = await OurServer.start(script);
  try {
    const ours = await play(our, answers);
    const peer = await mastraServer(script, resultsOf(ours.flat()));
    try {
      return [ours, await play(peer, answers)];
    } finally {
      await peer.end();
    }
  } finally {
    await our.end();
  }
}

const EQUAL: [string, Reply[], Answer[]][] = [
  ['text', [{ text: ['Hello', ' you'] }], []],
  ['a call that is allowed', [{ calls: [read('c1')] }, { text: ['Done'] }], []],
  ['text and two calls', [{ text: ['Look', '.'], calls: [read('c1'), read('c2')] }, { text: ['Done'] }], []],
  ['an approval', [{ text: ['I write', '.'], calls: [write('c1')] }, { text: ['Done', '.'] }], [{ call: 'c1', approves: true }]],
  ['a refusal', [{ calls: [write('c1')] }, { text: ['Then not.'] }], [{ call: 'c1', approves: false, reason: 'not now' }]],
  [
    'two approvals one after the other',
    [{ calls: [write('c1')] }, { calls: [write('c2', 'doc/other.txt')] }, { text: ['Done'] }],
    [
      { call: 'c1', approves: true },
      { call: 'c2', approves: false, reason: 'enough' },
    ],
  ],
  ['a reply that is cut', [{ text: ['cut'], finish: 'length' }], []],
];

for (const [name, script, answers] of EQUAL) {
  test(`chunks of ${name} are equal`, async () => {
    const [ours, theirs] = await both(script, answers);
    assert.deepEqual(comparable(ours.map(resultsSorted)), comparable(theirs.map(resultsSorted)));
  });
}

test('both calls that wait are shown at once; Mastra shows one after the other', async () => {
  const script = [{ calls: [write('c1'), write('c2', 'doc/other.txt')] }, { text: ['Done'] }];
  const answers = [{ call: 'c1', approves: true }, { call: 'c2', approves: true }];
  const [ours, theirs] = await both(script, answers);
  const asked = (chunks: readonly Chunk[]) => typesOf(chunks).filter((type) => type === 'tool-call-approval').length;
  assert.deepEqual(ours.map(asked), [2, 0, 0]);
  assert.deepEqual(theirs.map(asked), [1, 1, 0]);
  // The result of the first call comes with its answer, not with the last one.
  assert.deepEqual(typesOf(ours[1]!), ['tool-result']);
  assert.deepEqual(typesOf(theirs[1]!), ['tool-call-approval']);
  const end = (streams: Chunk[][]) => comparable(streams[2]!.slice(-3));
  assert.deepEqual(end(ours), end(theirs));
});

test('a model that fails ends the stream with an error; Mastra also sends a stack trace and the request', async () => {
  const [ours, theirs] = await both([{ status: 400 }], []);
  assert.deepEqual(typesOf(ours[0]!), typesOf(theirs[0]!));
  const error = ours[0]!.find(({ type }) => type === 'error')!.payload['error'] as Record<string, unknown>;
  assert.match(String(error['message']), /no such model/);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'message', 'name']);
});
