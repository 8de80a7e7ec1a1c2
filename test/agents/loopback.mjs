/**
 * What both model servers share: an HTTP server on 127.0.0.1 and a free port that keeps every request it gets (decoded
 * body included) and ends its open streams when it is closed. It never answers anything but what its route returns.
 */
import http from 'node:http';
import zlib from 'node:zlib';

/**
 * @param {(request: { method: string, path: string, body: any }, response: http.ServerResponse) => void | Promise<void>} route
 * @returns {Promise<{ url: string, requests: { method: string, path: string, body: any }[], close: () => Promise<void> }>}
 */
export async function listen(route) {
  const requests = [];
  const server = http.createServer((incoming, response) => {
    const chunks = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = {
        method: incoming.method,
        path: incoming.url.split('?')[0],
        body: decoded(Buffer.concat(chunks), incoming.headers['content-encoding']),
      };
      requests.push(request);
      Promise.resolve(route(request, response)).catch((error) => {
        console.error(`loopback model: ${error.stack}`);
        response.destroy();
      });
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

function decoded(bytes, encoding) {
  if (bytes.length === 0) return null;
  const plain = encoding === 'gzip' ? zlib.gunzipSync(bytes) : encoding === 'zstd' ? zlib.zstdDecompressSync(bytes) : bytes;
  try {
    return JSON.parse(plain.toString('utf8'));
  } catch {
    return { unparsed: plain.toString('utf8') };
  }
}

/** Starts a server-sent event stream; returns the function that sends one event. */
export function eventStream(response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

export function sendJson(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Text in the pieces in which a model streams it. */
export function pieces(text, size = 24) {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [''];
}
