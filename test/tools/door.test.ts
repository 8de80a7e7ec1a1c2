/** The door before the VS Code of `npm start`: who gets in, and that what is inside works through it. */
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeRequest, openDoor } from './door.mjs';

describe('who may come in', () => {
  const door = { token: 'secret', port: 8080, cookieName: 'loom-door-8080' };
  const host = '127.0.0.1:8080';
  const cookie = 'other=1; loom-door-8080=secret';

  test('the printed address enters, and its cookie passes from then on', () => {
    expect(judgeRequest({ url: '/?tkn=secret&folder=%2Fhome', host }, door)).toBe('enter');
    expect(judgeRequest({ url: '/', host, cookie }, door)).toBe('pass');
    expect(judgeRequest({ url: '/', host: 'localhost:8080', cookie, origin: 'http://localhost:8080' }, door)).toBe('pass');
  });

  test('without the token, or with another, nobody enters', () => {
    expect(judgeRequest({ url: '/', host }, door)).toBe('refuse');
    expect(judgeRequest({ url: '/?tkn=secreT', host }, door)).toBe('refuse');
    expect(judgeRequest({ url: '/?tkn=', host }, door)).toBe('refuse');
    expect(judgeRequest({ url: '/', host, cookie: 'loom-door-8081=secret' }, door)).toBe('refuse');
  });

  test('another name that leads here is refused even with the cookie', () => {
    expect(judgeRequest({ url: '/', host: 'evil.example:8080', cookie }, door)).toBe('refuse');
    expect(judgeRequest({ url: '/', host: undefined, cookie }, door)).toBe('refuse');
  });

  test('a page of another origin is refused even with the cookie', () => {
    expect(judgeRequest({ url: '/', host, cookie, origin: 'http://127.0.0.1:9999' }, door)).toBe('refuse');
    expect(judgeRequest({ url: '/', host, cookie, origin: 'https://evil.example' }, door)).toBe('refuse');
  });
});

describe.skipIf(process.platform === 'win32')('what is inside works through the door', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-door-'));
  const inside = path.join(dir, 's');
  const server = http.createServer((request, response) => {
    request.pipe(response.writeHead(200, { 'x-path': request.url ?? '' }));
  });
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  let door: Awaited<ReturnType<typeof openDoor>>;
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(inside, resolve);
    });
    door = await openDoor({ inside, port: 0 });
  });
  afterAll(async () => {
    await door.close();
    server.closeAllConnections();
    server.close();
    fs.rmSync(dir, { recursive: true, force: true });
  });

  test('the token is taken out of the address and kept as a cookie that scripts and other sites cannot use', async () => {
    const entered = await fetch(door.address('folder=%2Fsrv'), { redirect: 'manual' });
    expect(entered.status).toBe(302);
    expect(entered.headers.get('location')).toBe('/?folder=%2Fsrv');
    expect(entered.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
  });

  test('a request with its body goes through, and one without the cookie does not', async () => {
    const url = `http://127.0.0.1:${door.port}/a?b=1`;
    const answer = await fetch(url, {
      method: 'POST',
      body: 'hello',
      headers: { cookie: `loom-door-${door.port}=${door.token}` },
    });
    expect([answer.status, answer.headers.get('x-path'), await answer.text()]).toEqual([200, '/a?b=1', 'hello']);
    expect((await fetch(url, { method: 'POST', body: 'hello' })).status).toBe(403);
  });

  test('a connection that is upgraded carries bytes both ways, and only with the cookie', async () => {
    const talk = (cookie: string) =>
      new Promise<string>((resolve) => {
        let heard = '';
        const socket = net.connect(door.port, '127.0.0.1', () => {
          const headers = `Host: 127.0.0.1:${door.port}\r\nConnection: Upgrade\r\nUpgrade: echo\r\nCookie: ${cookie}\r\n\r\n`;
          socket.write(`GET /ws HTTP/1.1\r\n${headers}`);
        });
        socket.setEncoding('utf8').on('data', (text: string) => {
          heard += text;
          if (heard.endsWith('\r\n\r\n') && heard.includes(' 101 ')) socket.write('ping');
          if (heard.endsWith('ping')) socket.end();
        });
        socket.on('close', () => resolve(heard));
      });
    expect(await talk(`loom-door-${door.port}=${door.token}`)).toMatch(/^HTTP\/1\.1 101 [\s\S]*ping$/);
    expect(await talk('loom-door=no')).toMatch(/^HTTP\/1\.1 403 /);
  });
});
