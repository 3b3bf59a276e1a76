// A server whose responses are written down beforehand.
import { type IncomingHttpHeaders, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sekisho } from '../src/index.js';

export type Reply = (response: ServerResponse, headers: IncomingHttpHeaders) => void;

/** A server that answers each connection with the next reply. */
export async function world(replies: Reply[]): Promise<{ sekisho: Sekisho; heads: IncomingHttpHeaders[]; server: Server }> {
  const heads: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heads.push(request.headers);
    const reply = replies.shift();
    if (reply === undefined) response.writeHead(500).end();
    else reply(response, request.headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { sekisho: new Sekisho({ baseUrl: `http://127.0.0.1:${port}`, token: 'sks_x' }), heads, server };
}

/** A stream of events, open until `end`. */
export const stream =
  (text: string, end = false): Reply =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text);
    if (end) response.end();
  };
