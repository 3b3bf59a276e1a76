// The events of one run: server-sent events over `fetch`, which can send a token.
import { Backoff, type BackoffSettings, pause } from './backoff.js';
import { SekishoError, errorOf } from './errors.js';
import type { Http, QueryOf } from './http.js';
import { type ServerSentEvent, SseParser } from './sse.js';
import { Watchdog } from './watchdog.js';

/** The type of an event of a run. */
export type RunEventType =
  | 'user-message'
  | 'text-start'
  | 'text-delta'
  | 'text-end'
  | 'tool-call'
  | 'tool-call-approval'
  | 'tool-result'
  | 'tool-error'
  | 'tool-output-denied'
  | 'step-finish'
  | 'finish';

/**
 * An event of a run. Text is sent while the model writes it: a `text-start` without a `text-end` before it takes back
 * what was sent since the last one, and `text-end` has the whole text.
 */
export interface RunEvent {
  /** Its type. Newer servers may send others, which can be ignored. */
  type: RunEventType;
  /** The run. */
  runId: string;
  /** `USER` for a message of a user, `AGENT` for all others. */
  from: 'USER' | 'AGENT';
  /** What happened; its fields depend on the type. */
  payload: Record<string, unknown>;
  /** Where another call could continue. Events that are not stored, such as `text-delta`, have none. */
  id: string | undefined;
}

/** Options for following something until it has ended. */
export interface FollowSettings {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  /** Continues after this event: the `id` of one that was received before. */
  lastEventId?: string | undefined;
  /** Delays between attempts. */
  backoff?: BackoffSettings | undefined;
  /** A stream without data for this long is opened again; 45 000 ms by default. The server sends at least every 15 s. */
  silenceMs?: number | undefined;
}

/** Options for following a run. */
export interface RunFollowSettings extends FollowSettings {
  /** When the stream ends: when the run has ended, or also when it only waits for approvals. */
  until?: QueryOf<'followRun'>['until'] | undefined;
}

/** What a stream is of: the operation, and what is sent with it. */
export interface StreamSource {
  operation: 'followRun' | 'followPipelineRun';
  id: string;
  query: { until?: QueryOf<'followRun'>['until'] | undefined };
}

/** The data of the last event. */
const DONE = '[DONE]';

/** Used by `Sekisho.followRun()`. */
export function followRun(
  http: Http,
  id: string,
  settings: RunFollowSettings = {},
): AsyncGenerator<RunEvent, void, undefined> {
  return followStream<RunEvent>(http, { operation: 'followRun', id, query: { until: settings.until } }, settings);
}

/** Follows a stream until its end. Lost connections are opened again. */
export async function* followStream<T extends { id: string | undefined }>(
  http: Http,
  source: StreamSource,
  settings: FollowSettings,
): AsyncGenerator<T, void, undefined> {
  const backoff = new Backoff(settings.backoff);
  const signal = settings.signal ?? new AbortController().signal;
  let lastEventId = settings.lastEventId ?? '';
  while (!signal.aborted) {
    let why: SekishoError;
    try {
      for await (const raw of connection(http, source, lastEventId, settings, backoff)) {
        if (raw.data === DONE) return;
        const event = understood<T>(raw);
        backoff.reset();
        if (event === undefined) continue;
        lastEventId = event.id ?? lastEventId;
        yield event;
      }
      why = lost('the server ended the stream');
    } catch (error) {
      if (signal.aborted) return;
      why = error instanceof SekishoError ? error : lost(String(error));
    }
    if (!why.passing) throw why;
    await pause(backoff.next((why.retryAfter ?? 0) * 1000), signal);
  }
}

/** The events of one connection. */
async function* connection(
  http: Http,
  source: StreamSource,
  lastEventId: string,
  settings: FollowSettings,
  backoff: Backoff,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const attempt = new AbortController();
  const abort = (): void => attempt.abort();
  settings.signal?.addEventListener('abort', abort, { once: true });
  const silence = new Watchdog(settings.silenceMs ?? 45_000, abort);
  try {
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (lastEventId !== '') headers['last-event-id'] = lastEventId;
    const sent = { path: { id: source.id }, query: source.query, headers };
    const response = await http.send(source.operation, sent, attempt.signal);
    if (!response.ok) throw await errorOf(response);
    if (response.body === null) throw lost('the response has no body');
    const events: ServerSentEvent[] = [];
    const parser = new SseParser({ onEvent: (event) => events.push(event), onRetry: (ms) => backoff.suggest(ms) });
    const decoder = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      silence.heard();
      const { done, value } = await reader.read();
      // The consumer may take as long as it likes.
      silence.stop();
      if (done) return;
      parser.push(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    silence.stop();
    settings.signal?.removeEventListener('abort', abort);
    attempt.abort();
  }
}

function lost(message: string): SekishoError {
  return new SekishoError({ code: 'Unreachable', message, status: 0 });
}

/** An event as callers get it; `undefined` if its data cannot be parsed. */
function understood<T>(raw: ServerSentEvent): T | undefined {
  try {
    const data: unknown = JSON.parse(raw.data);
    return typeof data === 'object' && data !== null ? ({ ...data, id: raw.id } as T) : undefined;
  } catch {
    return undefined;
  }
}
