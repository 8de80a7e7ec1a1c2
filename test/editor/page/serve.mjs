/** Serves the built webview as a plain page on 127.0.0.1, under the policy that it has in VS Code. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { themeClass, themeStyle } from './themes.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const types = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.css': 'text/css' };

/** `dist`: where the webview was built. Gives `{url, strays, close}`; pages are `/?theme=dark&count=200`. Other requests are kept in `strays`. */
export async function servePage(dist = path.resolve(here, '../../../dist')) {
  const webview = path.join(dist, 'webview');
  const files = { '/timeline.js': webview, '/timeline.css': webview, '/stub.mjs': here, '/entries.mjs': here };
  const strays = [];
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const folder = files[pathname];
    if (folder !== undefined) {
      response.setHeader('content-type', types[path.extname(pathname)]);
      response.end(fs.readFileSync(path.join(folder, pathname)));
    } else if (pathname === '/theme.css') {
      response.setHeader('content-type', 'text/css');
      response.end(themeStyle(searchParams.get('name') ?? 'dark'));
    } else if (pathname === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page(searchParams.get('theme') ?? 'dark'));
    } else {
      if (pathname !== '/favicon.ico') strays.push(request.url);
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, strays, close };
}

/** As client/timeline-page.ts makes it, with the stub in the place of VS Code's own script. */
function page(theme) {
  const policy =
    "default-src 'none'; script-src 'nonce-page'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="/theme.css?name=${theme}"><link rel="stylesheet" href="/timeline.css"><title>Thread</title></head>
<body class="${themeClass(theme)}">
<script type="module" nonce="page" src="/stub.mjs"></script>
<script defer nonce="page" src="/timeline.js"></script>
</body></html>`;
}
