// Parses server-sent events from text as it arrives, by the HTML standard's "Interpreting an event stream".

/** One event of a stream. */
export interface ServerSentEvent {
  /** Event type; `message` by default. */
  type: string;
  /** Its data. */
  data: string;
  /** The last id of the stream, from this event or an earlier one. */
  lastEventId: string;
  /** The id of this event itself, if it has one. */
  id: string | undefined;
}

/** Other callbacks of a parser. */
export interface ParserListener {
  onEvent: (event: ServerSentEvent) => void;
  /** The stream asks for this delay before a reconnect, in milliseconds. */
  onRetry?: (ms: number) => void;
}

/** Parses a stream in pieces of any size. */
export class SseParser {
  readonly #listener: ParserListener;
  #rest = '';
  #begun = false;
  /** The last piece ended with CR, so a LF at the start of the next one belongs to it. */
  #afterReturn = false;
  #type = '';
  #data: string[] = [];
  #id: string;
  #own: string | undefined;

  constructor(listener: ParserListener, lastEventId = '') {
    this.#listener = listener;
    this.#id = lastEventId;
  }

  /** Parses the next piece. */
  push(piece: string): void {
    let text = piece;
    if (!this.#begun && text !== '') {
      this.#begun = true;
      if (text.startsWith('\uFEFF')) text = text.slice(1);
    }
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1);
    if (piece !== '') this.#afterReturn = piece.endsWith('\r');
    const ends = /\r\n|\r|\n/g;
    let begin = 0;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      this.#line(this.#rest + text.slice(begin, end.index));
      this.#rest = '';
      begin = ends.lastIndex;
    }
    this.#rest += text.slice(begin);
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    switch (field) {
      case 'event':
        this.#type = value;
        break;
      case 'data':
        this.#data.push(value);
        break;
      case 'id':
        if (!value.includes('\0')) this.#own = this.#id = value;
        break;
      case 'retry':
        if (/^[0-9]+$/.test(value)) this.#listener.onRetry?.(Number(value));
        break;
      default:
    }
  }

  #dispatch(): void {
    const [type, data, id] = [this.#type || 'message', this.#data, this.#own];
    this.#type = '';
    this.#data = [];
    this.#own = undefined;
    if (data.length > 0) this.#listener.onEvent({ type, data: data.join('\n'), lastEventId: this.#id, id });
  }
}
