// Server-sent events out of text as it arrives, after the HTML standard's "Interpreting an event stream".

/** One event of a stream. */
export interface ServerSentEvent {
  /** What kind; `message` unless the stream says otherwise. */
  type: string;
  /** What it carries. */
  data: string;
  /** The last id the stream has told, with this event or before it. */
  lastEventId: string;
  /** The id that came with this very event. */
  id: string | undefined;
}

/** What a parser tells besides. */
export interface ParserListener {
  onEvent: (event: ServerSentEvent) => void;
  /** The stream wants this long a pause before a new try, in milliseconds. */
  onRetry?: (ms: number) => void;
}

/** Reads a stream in whatever pieces it comes. */
export class SseParser {
  readonly #listener: ParserListener;
  #rest = '';
  #begun = false;
  /** The last piece ended with CR: a LF that begins the next one belongs to it. */
  #afterReturn = false;
  #type = '';
  #data: string[] = [];
  #id: string;
  #own: string | undefined;

  constructor(listener: ParserListener, lastEventId = '') {
    this.#listener = listener;
    this.#id = lastEventId;
  }

  /** Takes the next piece. */
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
