// Shared code of the four scripted models. A script is a list of turns; a turn is a list of tool calls
// ({tool, input, id}) or a text. A model keeps no state: the turn follows from the request alone, so a client
// that retries changes nothing.
import http from 'node:http';

/// The turn that is due, or a text that ends the conversation.
export function turnOf(script, number) {
  return script[number] ?? 'done';
}

/// Starts a model on loopback. `answer(request, response, body)` writes the reply; every request is kept in
/// `log`.
export function serve(answer, port = 0) {
  const log = [];
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      let body = {};
      try {
        body = text === '' ? {} : JSON.parse(text);
      } catch {
        body = { unparsed: text };
      }
      log.push({ method: request.method, url: request.url, body });
      try {
        answer(request, response, body);
      } catch (error) {
        response.writeHead(500).end(String(error.stack));
      }
    });
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = `http://127.0.0.1:${server.address().port}`;
      resolve({ address, log, close: () => server.closeAllConnections() ?? server.close() });
    });
  });
}

/// Writes server-sent events: pairs of a name (or null for none) and a value.
export function events(response, list, end = '') {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for (const [name, value] of list) {
    response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(value)}\n\n`);
  }
  response.end(end);
}

/// Writes one JSON value.
export function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
