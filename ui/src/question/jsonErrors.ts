// Parses JSON and locates errors; browsers report the position differently or not at all.

export type JsonResult = { ok: true; value: unknown } | { ok: false; wrong: JsonError };
export interface JsonError {
  /** What is missing, wrong or superfluous. */
  what: 'value' | 'key' | 'colon' | 'comma' | 'string' | 'escape' | 'end' | 'control';
  /** Counted from 1. */
  line: number;
  column: number;
  /** The position in the text, counted from 0. */
  at: number;
}

/** Thrown inside this file only. */
class Misread {
  constructor(
    readonly what: JsonError['what'],
    readonly at: number,
  ) {}
}

const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
const BLANK = /[ \t\n\r]*/y;
const DEEPEST = 500;

class Scanner {
  at = 0;
  constructor(readonly text: string) {}

  #matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at += found[0].length;
    return found !== null;
  }

  blank(): void {
    this.#matches(BLANK);
  }

  #takes(character: string): boolean {
    this.blank();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  value(depth = 0): void {
    this.blank();
    if (depth > DEEPEST) throw new Misread('value', this.at);
    const first = this.text[this.at];
    if (first === '{') this.#list('}', () => this.#member(depth));
    else if (first === '[') this.#list(']', () => this.value(depth + 1));
    else if (first === '"') this.#string();
    else if (!this.#matches(LITERAL)) throw new Misread('value', this.at);
  }

  #list(end: string, item: () => void): void {
    this.at += 1;
    if (this.#takes(end)) return;
    do item();
    while (this.#takes(','));
    if (!this.#takes(end)) throw new Misread('comma', this.at);
  }

  #member(depth: number): void {
    this.blank();
    if (this.text[this.at] !== '"') throw new Misread('key', this.at);
    this.#string();
    if (!this.#takes(':')) throw new Misread('colon', this.at);
    this.value(depth + 1);
  }

  #string(): void {
    const begun = this.at;
    for (this.at += 1; ; this.at += 1) {
      const character = this.text[this.at];
      if (character === undefined) throw new Misread('string', begun);
      if (character === '"') break;
      if (character === '\\') {
        if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(this.text.slice(this.at + 1, this.at + 6))) throw new Misread('escape', this.at);
        this.at += 1;
      } else if (character < ' ') throw new Misread(character === '\n' ? 'string' : 'control', character === '\n' ? begun : this.at);
    }
    this.at += 1;
  }
}

function placed(text: string, what: JsonError['what'], at: number): JsonError {
  const before = text.slice(0, at).split('\n');
  return { what, at, line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}

/** The value of a JSON text, or the first error in it. */
export function readJson(text: string): JsonResult {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    const scanner = new Scanner(text);
    try {
      scanner.value();
      scanner.blank();
      return { ok: false, wrong: placed(text, 'end', scanner.at) };
    } catch (error) {
      if (error instanceof Misread) return { ok: false, wrong: placed(text, error.what, error.at) };
      throw error;
    }
  }
}
