/**
 * The one way into the VS Code that `npm start` serves. Its workbench can run programs as this user, and a loopback port is open to
 * every user and every web page of the machine: so code-server itself listens on a socket that only this user may open, and
 * this door lets in who brings the token of the printed address (then kept as a cookie), and only under a loopback name.
 */
import crypto from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import process from 'node:process';

const sameText = (a, b) => a.length === b.length && crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** What to do with a request: 'pass', 'enter' (the token is in the address: set the cookie, then again without it) or 'refuse'. */
export function judgeRequest({ url, host, cookie, origin }, { token, port, cookieName }) {
  // A name that another site made point here (DNS rebinding) is not ours.
  if (![`127.0.0.1:${port}`, `localhost:${port}`].includes(host ?? '')) return 'refuse';
  if (origin !== undefined && origin !== `http://${host}`) return 'refuse';
  const given = (cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .find(([name]) => name === cookieName)?.[1];
  if (given !== undefined && sameText(given, token)) return 'pass';
  const asked = new URL(url, `http://${host}`).searchParams.get('tkn');
  return asked !== null && sameText(asked, token) ? 'enter' : 'refuse';
}

/** Opens the door on a loopback port (0: a free one) to the socket `inside`. Resolves with `{address, port, close()}`. */
export async function openDoor({ inside, port: wanted, token = crypto.randomBytes(16).toString('hex') }) {
  let port = wanted;
  let cookieName = '';
  const judge = ({ url, headers }) =>
    judgeRequest({ url, host: headers.host, cookie: headers.cookie, origin: headers.origin }, { token, port, cookieName });
  const server = http.createServer((request, response) => {
    const verdict = judge(request);
    if (verdict === 'refuse') {
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
      response.end('Open the whole address that `npm start` printed: it holds the key to this VS Code.\n');
      return;
    }
    if (verdict === 'enter') {
      const url = new URL(request.url, `http://${request.headers.host}`);
      url.searchParams.delete('tkn');
      response.writeHead(302, {
        location: `${url.pathname}${url.search}`,
        'set-cookie': `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Strict`,
      });
      response.end();
      return;
    }
    const onward = http.request(
      { socketPath: inside, path: request.url, method: request.method, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    onward.on('error', () => {
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', (request, socket, head) => {
    if (judge(request) !== 'pass') {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onward = net.connect(inside, () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2) lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      onward.write(`${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  port = server.address().port;
  // Cookies know no ports: two doors on one machine keep theirs apart by name.
  cookieName = `loom-door-${port}`;
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
      // Sockets of upgraded connections are no longer the server's: they end with this process.
      if (process.exitCode === undefined) process.exitCode = 0;
    });
  return { port, token, address: (query) => `http://127.0.0.1:${port}/?tkn=${token}${query === '' ? '' : `&${query}`}`, close };
}
