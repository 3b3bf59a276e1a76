// Serves a freshly built page in front of a server that embeds another one, so that work on the page does not
// need a new binary each time. With `SEKISHO_FRONT=1` the tests go through here.
import { createReadStream, existsSync } from 'node:fs';
import { type RequestListener, type Server, createServer, request as plainRequest } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../../../ui/dist/', import.meta.url));
const KINDS: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};
/** The policy that the server sends. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; " +
  "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types svelte-trusted-html";

export class PageProxy {
  readonly #server: Server;

  readonly #scheme: string;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.#scheme = scheme;
  }

  /** Starts a proxy in front of a server. `behind` returns its address, which may change; `certificate` is the one it uses. */
  static async start(behind: () => string, certificate?: { cert: string; key: string }): Promise<PageProxy> {
    const request = certificate === undefined ? plainRequest : (...[url, options, done]: [string, object, Parameters<typeof tlsRequest>[2]]) => tlsRequest(url, { ...options, ca: certificate.cert }, done);
    const listener: RequestListener = (asked, answer) => {
      const path = new URL(asked.url ?? '/', 'http://x').pathname;
      const address = behind();
      const headers = { ...asked.headers, host: new URL(address).host };
      if (headers.origin !== undefined) headers.origin = address;
      if (path.startsWith('/api/')) {
        const through = request(address + (asked.url ?? ''), { method: asked.method, headers }, (response) => {
          answer.writeHead(response.statusCode ?? 502, response.headers);
          // The browser has to see when the server hangs up.
          pipeline(response, answer, () => undefined);
        });
        through.on('error', () => answer.destroy());
        answer.on('close', () => through.destroy());
        asked.pipe(through);
        return;
      }
      const file = join(DIST, normalize(path));
      const known = extname(file) !== '' && existsSync(file);
      const found = known ? file : join(DIST, 'index.html');
      const give = (status: number): void => {
        answer.writeHead(status, { 'content-type': KINDS[extname(found)] ?? 'text/plain', 'content-security-policy': POLICY });
        createReadStream(found).pipe(answer);
      };
      if (known) return give(200);
      // The server decides which addresses exist; the page is served even while the server is not running.
      request(address + path, { headers }, (response) => {
        response.resume();
        give(response.statusCode ?? 200);
      })
        .on('error', () => give(200))
        .end();
    };
    const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new PageProxy(server, certificate === undefined ? 'http' : 'https');
  }

  get address(): string {
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  end(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
