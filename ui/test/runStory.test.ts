import { describe, expect, it } from 'vitest';
import { type CallEntry, Story, type TextEntry } from '../src/runs/story';

type Event = Parameters<Story['add']>[0];
const event = (type: string, payload: Record<string, unknown> = {}, id?: number): Event => ({ type, payload, id: id === undefined ? undefined : String(id) });

describe('story of a run', () => {
  it('shows text while it is written, and the stored text at its end', () => {
    const story = new Story();
    story.add(event('user-message', { text: 'Go' }, 1));
    story.add(event('text-start'));
    story.add(event('text-delta', { text: 'I be' }));
    story.add(event('text-delta', { text: 'gin' }));
    expect(story.writing).toBe(true);
    expect((story.entries[1] as TextEntry).text.all()).toBe('I begin');
    story.add(event('text-end', { text: 'I began.' }, 2));
    expect(story.writing).toBe(false);
    expect(story.entries).toHaveLength(2);
    expect((story.entries[1] as TextEntry).text.all()).toBe('I began.');
  });

  it('takes back what was sent when the request is repeated', () => {
    const story = new Story();
    story.add(event('text-start'));
    story.add(event('text-delta', { text: 'half of it' }));
    story.add(event('text-start'));
    expect(story.entries).toHaveLength(0);
    story.add(event('text-delta', { text: 'all of it' }));
    story.add(event('text-end', { text: 'all of it' }, 1));
    expect(story.entries.map((entry) => entry.kind)).toEqual(['text']);
  });

  it('ignores events that it has seen, so that a new connection repeats nothing', () => {
    const story = new Story();
    const events = [event('user-message', { text: 'Go' }, 1), event('tool-call', { toolCallId: 'a', toolName: 'read', args: {} }, 2), event('tool-result', { toolCallId: 'a', toolName: 'read', result: 'x' }, 3)];
    for (const one of [...events, ...events]) story.add(one);
    expect(story.entries).toHaveLength(2);
    expect(story.lastEventId).toBe('3');
  });

  it('follows a call from its start over a question to its end', () => {
    let now = 100;
    const story = new Story(() => now);
    const about = { toolCallId: 'a', toolName: 'shell_exec' };
    story.add(event('tool-call', { ...about, args: { command: 'ls' } }, 1));
    const before = story.entries[0];
    story.add(event('tool-call-approval', { ...about, args: { command: 'ls' }, approvalId: 'q' }, 2));
    expect(before).toMatchObject({ state: 'started' });
    expect(story.waiting.map((call) => call.approval)).toEqual(['q']);
    now = 5000;
    expect(story.answered('q')).toBe(true);
    expect(story.answered('q')).toBe(false);
    now = 5200;
    story.add(event('tool-result', { ...about, result: 'ok', editedArgs: { command: 'ls -l' } }, 3));
    const call = story.entries[0] as CallEntry;
    expect(call).toMatchObject({ state: 'done', edited: { command: 'ls -l' }, args: { command: 'ls' }, approval: 'q' });
    // Waiting for a person is not part of how long the tool took.
    expect((call.ended ?? 0) - (call.began ?? 0)).toBe(200);
  });

  it('tells a denied, a failed and an interrupted call apart', () => {
    const story = new Story();
    for (const id of ['a', 'b', 'c']) story.add(event('tool-call', { toolCallId: id, toolName: 't', args: {} }));
    story.add(event('tool-output-denied', { toolCallId: 'a', toolName: 't', approval: { reason: 'not now' } }));
    story.add(event('tool-error', { toolCallId: 'b', toolName: 't', error: { message: 'broken' } }));
    story.add(event('tool-error', { toolCallId: 'c', toolName: 't', error: { message: 'stopped' }, interrupted: true }));
    expect(story.entries.map((entry) => (entry as CallEntry).state)).toEqual(['denied', 'failed', 'interrupted']);
    expect((story.entries[0] as CallEntry).result).toBe('not now');
  });

  it('survives events with missing and wrong fields', () => {
    const story = new Story();
    for (const type of ['user-message', 'text-delta', 'text-end', 'tool-call', 'tool-call-approval', 'tool-result', 'tool-error', 'tool-output-denied', 'context-folded', 'step-finish', 'finish', 'from-the-future']) {
      story.add({ type, payload: null as never, id: undefined });
      story.add(event(type, { text: 7, toolCallId: {}, result: { a: 1 }, error: 'x', stepResult: 3 }));
    }
    expect(story.finished).toBe(true);
  });

  it('goes on after its end when a message follows', () => {
    const story = new Story();
    story.add(event('finish', { stepResult: { reason: 'stop' } }, 1));
    expect(story.finished).toBe(true);
    story.add(event('user-message', { text: 'more' }, 2));
    expect(story.finished).toBe(false);
  });

  it('counts the calls that failed, by themselves or in the program they ran', () => {
    const story = new Story();
    const ran = (exitCode: number, stdout = ''): string => JSON.stringify({ command: 'x', exit_code: exitCode, stderr: '', stdout });
    const results = [ran(0), ran(1), ran(10), ran(0, ran(1)), '{"exit_code": 1', JSON.stringify({ checks: { a: JSON.parse(ran(0)), b: JSON.parse(ran(2)) } })];
    results.forEach((result, at) => {
      story.add(event('tool-call', { toolCallId: String(at), toolName: 'shell_exec', args: {} }));
      story.add(event('tool-result', { toolCallId: String(at), result }));
    });
    expect(story.failedCalls).toBe(3);
    story.add(event('tool-call', { toolCallId: 'x', toolName: 'read', args: {} }));
    story.add(event('tool-error', { toolCallId: 'x', error: { message: 'no' } }));
    expect(story.failedCalls).toBe(4);
  });
});
