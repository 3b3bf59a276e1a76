// Live events of the server: server-sent events over `fetch`, which can send a token.
import { Backoff, type BackoffSettings, pause } from './backoff.js';
import { SekishoError, errorOf } from './errors.js';
import type { components } from './generated.js';
import type { Http } from './http.js';
import { type ServerSentEvent, SseParser } from './sse.js';
import { Watchdog } from './watchdog.js';

type Schemas = components['schemas'];
type Question = Schemas['SeenQuestion'];

/** The payload of every type of event. */
export type EventData = { [E in Schemas['LiveEvent'] as E['type']]: E['data'] };
/** The type of an event. */
export type EventType = keyof EventData;
/** One event. */
export type SekishoEvent = { [T in EventType]: { type: T; data: EventData[T]; seq: number | undefined } }[EventType];

/** State of the connection. */
export type Connection =
  | { state: 'open' }
  /** Disconnected; the next attempt follows after the delay. */
  | { state: 'lost'; error: SekishoError; pauseMs: number }
  /** Ended for good: closed, or refused by the server. */
  | { state: 'closed'; error: SekishoError | undefined };

/** Options for following events. */
export interface EventSettings {
  /** Closes the client. */
  signal?: AbortSignal | undefined;
  /** Where to continue: the `lastEventId` of an earlier client. */
  lastEventId?: string | undefined;
  /** Delays between attempts. */
  backoff?: BackoffSettings | undefined;
  /** A stream without data for this long is closed; 45 000 ms by default. The server sends at least every 15 s. */
  silenceMs?: number | undefined;
  /** How many events an iterator may lag behind before it gets a snapshot instead; 10 000 by default. */
  lag?: number | undefined;
}

type Handler<T> = (value: T) => void;

/**
 * Follows events, through restarts and lost connections.
 *
 * Events missed in between are sent afterwards, or replaced by a snapshot. So {@link open} is correct as soon as the
 * client is connected.
 */
export class EventClient implements AsyncIterable<SekishoEvent> {
  readonly #http: Http;
  readonly #settings: EventSettings;
  readonly #stop = new AbortController();
  readonly #backoff: Backoff;
  readonly #handlers = new Map<EventType, Set<Handler<never>>>();
  readonly #watchers = new Set<Handler<Connection>>();
  readonly #queues = new Set<Queue>();
  readonly #open = new Map<string, Question>();
  #lastEventId: string;
  #seq: number | undefined;
  #error: SekishoError | undefined;

  /** Connects at once. Created by `Sekisho.events()`. */
  constructor(http: Http, settings: EventSettings = {}) {
    this.#http = http;
    this.#settings = settings;
    this.#backoff = new Backoff(settings.backoff);
    this.#lastEventId = settings.lastEventId ?? '';
    const close = (): void => this.close();
    if (settings.signal?.aborted === true) close();
    settings.signal?.addEventListener('abort', close, { once: true });
    void this.#run().finally(() => settings.signal?.removeEventListener('abort', close));
  }

  /** The open approvals by their id, in the order they were opened. */
  get open(): ReadonlyMap<string, Question> {
    return this.#open;
  }

  /** The last event's id, where another client could continue. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** Calls a handler with every event of a type. Returns a function that removes the handler. */
  on<T extends EventType>(type: T, handler: Handler<EventData[T]>): () => void {
    const handlers = this.#handlers.get(type) ?? new Set();
    this.#handlers.set(type, handlers);
    handlers.add(handler as Handler<never>);
    return () => handlers.delete(handler as Handler<never>);
  }

  /** Calls a handler whenever the state of the connection changes. Returns a function that removes the handler. */
  onConnection(handler: Handler<Connection>): () => void {
    this.#watchers.add(handler);
    return () => this.#watchers.delete(handler);
  }

  /** Every event from now on. Ends when the client is closed, and throws if the server refuses for good. */
  async *[Symbol.asyncIterator](): AsyncGenerator<SekishoEvent, void, undefined> {
    const queue = new Queue(this.#settings.lag ?? 10_000, () => this.#snapshot());
    this.#queues.add(queue);
    try {
      for (;;) {
        const event = queue.take();
        if (event !== undefined) yield event;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#stop.signal.aborted) return;
        else await queue.more();
      }
    } finally {
      this.#queues.delete(queue);
    }
  }

  /** Stops following. */
  close(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    // Handlers are added in the same turn that creates the client.
    await Promise.resolve();
    while (!signal.aborted) {
      const error = await this.#connect();
      if (signal.aborted) break;
      if (!error.passing) {
        this.#error = error;
        this.#stop.abort();
        break;
      }
      const pauseMs = this.#backoff.next((error.retryAfter ?? 0) * 1000);
      this.#tell({ state: 'lost', error, pauseMs });
      await pause(pauseMs, signal);
    }
    this.#tell({ state: 'closed', error: this.#error });
    for (const queue of this.#queues) queue.wake();
  }

  /** Runs one connection to its end; returns why it ended. */
  async #connect(): Promise<SekishoError> {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    this.#stop.signal.addEventListener('abort', abort, { once: true });
    const silence = new Watchdog(this.#settings.silenceMs ?? 45_000, abort);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (this.#lastEventId !== '') headers['last-event-id'] = this.#lastEventId;
      const response = await this.#http.send('followEvents', { headers }, attempt.signal);
      if (!response.ok) return await errorOf(response);
      if (response.body === null) return ended('the response has no body');
      this.#tell({ state: 'open' });
      await this.#read(response.body, silence);
      return ended('the server ended the stream');
    } catch (error) {
      return error instanceof SekishoError ? error : ended(attempt.signal.aborted ? 'nothing was heard' : String(error));
    } finally {
      silence.stop();
      this.#stop.signal.removeEventListener('abort', abort);
      attempt.abort();
    }
  }

  async #read(body: ReadableStream<Uint8Array>, silence: Watchdog): Promise<void> {
    const parser = new SseParser(
      { onEvent: (event) => this.#take(event), onRetry: (ms) => this.#backoff.suggest(ms) },
      this.#lastEventId,
    );
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.heard();
      parser.push(decoder.decode(value, { stream: true }));
    }
  }

  #take(raw: ServerSentEvent): void {
    const event = understood(raw);
    this.#lastEventId = raw.lastEventId;
    this.#backoff.reset();
    if (event === undefined) return;
    if (event.type === 'snapshot') this.#seq = event.seq;
    // Already delivered before the connection was lost.
    else if (event.seq !== undefined && this.#seq !== undefined && event.seq <= this.#seq) return;
    else this.#seq = event.seq ?? this.#seq;
    this.#follow(event);
    for (const queue of this.#queues) queue.put(event);
    for (const handler of this.#handlers.get(event.type) ?? []) call(() => handler(event.data as never));
  }

  /** Keeps the open approvals up to date. */
  #follow(event: SekishoEvent): void {
    switch (event.type) {
      case 'snapshot':
        this.#open.clear();
        for (const question of event.data.approvals) this.#open.set(question.id, question);
        break;
      case 'tool_approval_request':
        this.#open.set(event.data.id, event.data);
        break;
      case 'tool_approval_resolved':
        this.#open.delete(event.data.id);
        break;
      default:
    }
  }

  #snapshot(): SekishoEvent {
    const data = { seq: this.#seq ?? 0, approvals: [...this.#open.values()] };
    return { type: 'snapshot', data, seq: this.#seq };
  }

  #tell(connection: Connection): void {
    for (const watcher of this.#watchers) call(() => watcher(connection));
  }
}

function ended(message: string): SekishoError {
  return new SekishoError({ code: 'Unreachable', message, status: 0 });
}

/** An event as its handlers get it; `undefined` if its data cannot be parsed. */
function understood(raw: ServerSentEvent): SekishoEvent | undefined {
  let data: unknown;
  try {
    data = JSON.parse(raw.data);
  } catch {
    return undefined;
  }
  if (typeof data !== 'object' || data === null) return undefined;
  const seq = raw.id !== undefined && /^[0-9]+$/.test(raw.id) ? Number(raw.id) : undefined;
  // An unknown type is passed on: no handler can exist for it.
  return { type: raw.type, data, seq } as SekishoEvent;
}

/** Reports a handler's exception globally, so that the other handlers still run. */
function call(handler: () => void): void {
  try {
    handler();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Events that one iterator has not consumed yet. */
class Queue {
  #events: SekishoEvent[] = [];
  #next = 0;
  #wake: (() => void) | undefined;
  readonly #limit: number;
  readonly #snapshot: () => SekishoEvent;

  constructor(limit: number, snapshot: () => SekishoEvent) {
    this.#limit = limit;
    this.#snapshot = snapshot;
  }

  put(event: SekishoEvent): void {
    // Too far behind: a snapshot of the current state replaces the events.
    if (this.#events.length - this.#next >= this.#limit) {
      this.#events = [this.#snapshot()];
      this.#next = 0;
    } else this.#events.push(event);
    this.wake();
  }

  take(): SekishoEvent | undefined {
    const event = this.#events[this.#next];
    if (event === undefined) return undefined;
    this.#next += 1;
    if (this.#next > 1024 || this.#next === this.#events.length) {
      this.#events.splice(0, this.#next);
      this.#next = 0;
    }
    return event;
  }

  more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
