import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ServerSentEvent, SseParser } from '../src/index.js';

function parsed(pieces: string[]): { events: ServerSentEvent[]; retries: number[] } {
  const [events, retries]: [ServerSentEvent[], number[]] = [[], []];
  const parser = new SseParser({ onEvent: (event) => events.push(event), onRetry: (ms) => retries.push(ms) });
  for (const piece of pieces) parser.push(piece);
  return { events, retries };
}

const STREAM =
  '\uFEFF: hello\nretry: 1500\nid: 7\nevent: snapshot\ndata: {"a":\ndata:1}\n\n: comment\n\ndata\n\nid\ndata: é 関所\n\n';
const EVENTS = [
  { type: 'snapshot', data: '{"a":\n1}', lastEventId: '7', id: '7' },
  { type: 'message', data: '', lastEventId: '7', id: undefined },
  { type: 'message', data: 'é 関所', lastEventId: '', id: '' },
];

test('a stream is parsed as the standard requires', () => {
  assert.deepEqual(parsed([STREAM]), { events: EVENTS, retries: [1500] });
});

test('all three line endings are equivalent', () => {
  for (const end of ['\r\n', '\r']) assert.deepEqual(parsed([STREAM.replaceAll('\n', end)]).events, EVENTS);
});

test('chunk boundaries do not matter', () => {
  for (const text of [STREAM, STREAM.replaceAll('\n', '\r\n'), STREAM.replaceAll('\n', '\r')]) {
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += 3) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assert.deepEqual(parsed(pieces).events, EVENTS, JSON.stringify(pieces));
      }
    }
    assert.deepEqual(parsed([...text]).events, EVENTS);
  }
});

test('an unfinished event is dropped', () => {
  assert.deepEqual(parsed(['data: 1\n\ndata: 2\n']).events.length, 1);
  assert.deepEqual(parsed(['event: x\n\n']).events, []);
});

test('one space after the colon is removed; unknown fields and invalid numbers are ignored', () => {
  const { events, retries } = parsed(['data:  two\ndata:none\nfoo: bar\nretry: soon\nid: a\0b\n\n']);
  assert.deepEqual(events, [{ type: 'message', data: ' two\nnone', lastEventId: '', id: undefined }]);
  assert.deepEqual(retries, []);
});
