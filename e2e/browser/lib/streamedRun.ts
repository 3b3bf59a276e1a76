// A proxy in front of a server that replaces the events of every run, so that a test decides what arrives, and when.
import { type Server, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Sends an event of a run, and waits until it can be sent. */
export type Send = (type: string, payload: Record<string, unknown>) => Promise<void>;

export class StreamedRun {
  readonly #server: Server;
  /** Sends the events, for each connection anew. */
  feed: (send: Send) => Promise<void> = () => Promise.resolve();

  private constructor(behind: () => string) {
    this.#server = createServer((asked, answer) => {
      if (/^\/api\/runs\/[^/]+\/events/.test(asked.url ?? '')) {
        answer.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
        let id = 0;
        void this.feed(async (type, payload) => {
          id += 1;
          if (answer.destroyed || answer.write(`id: ${id}\ndata: ${JSON.stringify({ type, payload })}\n\n`)) return;
          await new Promise<void>((resolve) => {
            const go = (): void => {
              answer.off('drain', go).off('close', go);
              resolve();
            };
            answer.on('drain', go).on('close', go);
          });
        });
        return;
      }
      const address = behind();
      const headers = { ...asked.headers, host: new URL(address).host };
      if (headers.origin !== undefined) headers.origin = address;
      const through = request(address + (asked.url ?? ''), { method: asked.method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        pipeline(response, answer, () => undefined);
      });
      through.on('error', () => answer.destroy());
      answer.on('close', () => through.destroy());
      asked.pipe(through);
    });
  }

  static async start(behind: () => string): Promise<StreamedRun> {
    const stream = new StreamedRun(behind);
    await new Promise<void>((resolve) => stream.#server.listen(0, '127.0.0.1', resolve));
    return stream;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  end(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
