/**
 * The packaged extension, installed into a real VS Code (code-server) and used as a person uses it, in a headless browser: list, timeline,
 * search, live work, a hand-over to its end, hostile text, three themes. The harnesses' own programs are stood in for by a
 * script that writes down how it was started: what they do with a session is proven in test/agents. Ends with a summary line.
 */
import assert from 'node:assert';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../tools/bootstrap.mjs';
import { findChromium, launchChromium } from '../tools/chromium.mjs';
import { installCodeServer, installVsix, instanceIn, prepareInstance, startCodeServer } from '../tools/code-server.mjs';
import { makeDemoHome } from '../tools/demo-home.mjs';
import { packVsixIfStale } from '../tools/package.mjs';
import { results, root } from '../tools/places.mjs';
import { endAllOnInterrupt } from '../tools/processes.mjs';
import { writeSummary } from '../tools/summary.mjs';
import { openWorkbench, steadySettings } from '../tools/workbench.mjs';
import { ChangesWalk, makeRepository } from './changes.mjs';
import { faintTexts } from './faint-texts.mjs';
import { HandOverWalk } from './hand-over.mjs';
import { Walk, until } from './walk.mjs';
import { Hands } from './workbench-hands.mjs';

/** The demo's sessions are up to some hours old: soon after midnight they are all of yesterday. */
const newestDay = /^(Today|Yesterday)/;
const node = await bootstrap(fileURLToPath(import.meta.url));
const chromium = await findChromium(node);
if (chromium === null || process.platform === 'win32') {
  console.log(`skipped: no browser or no code-server for ${process.platform} ${process.arch}; CHROMIUM names a browser`);
  console.log(writeSummary({ passed: 0, failed: 0, skipped: 1 }));
  process.exit(0);
}
endAllOnInterrupt();
/** `--only=list,live,hand-over`: these parts; the list opens what the others need. */
const wanted = process.argv
  .find((one) => one.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');

// Short: sockets below it have names of at most 108 bytes.
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lm-'));
const home = path.join(dir, 'home');
fs.mkdirSync(home);
process.once('exit', () => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
const demo = makeDemoHome(home);
fs.cpSync(path.join(root, 'test/cases/29-xss-transcript/home/.claude/projects'), path.join(home, '.claude/projects'), {
  recursive: true,
});
makeRepository(demo.folder, demo.env);
const started = writeRecorders(path.join(dir, 'bin'));

const entry = await installCodeServer();
const instance = instanceIn(dir);
prepareInstance(instance, { ...steadySettings, 'workbench.colorTheme': 'Dark Modern' });
const env = {
  ...demo.env,
  XDG_DATA_HOME: instance.temp,
  XDG_CONFIG_HOME: instance.temp,
  TMPDIR: instance.temp,
  XDG_RUNTIME_DIR: instance.temp,
};
// VS Code takes PATH from the person's login shell, as a desktop does; the system's own profile may set it anew before this.
env.SHELL = '/bin/sh';
fs.writeFileSync(path.join(home, '.profile'), `PATH='${path.join(dir, 'bin')}':"$PATH"\nexport PATH\n`);
await installVsix({ node, entry, instance, vsix: packVsixIfStale(node), env });
const server = await startCodeServer({ node, entry, instance, env });
const browser = await launchChromium(chromium);
const workbench = await openWorkbench(browser, server, { folder: demo.folder, viewport: { width: 1440, height: 900 } });
const { page } = workbench;
page.setDefaultTimeout(30_000);
const walk = new Walk(page, 'e2e');
const hands = new Hands(page);
const { timeline } = hands;
const handOver = new HandOverWalk({ walk, hands, page, demo, home, started });
const changes = new ChangesWalk({ walk, hands, page, demo, home });

try {
  const parts = {
    list: theList,
    timeline: theTimeline,
    search: theSearch,
    live: theLiveWork,
    changes: () => changes.all(),
    looks: theLooks,
    'hand-over': () => handOver.all(),
    archive: theArchive,
    hostile: theHostileText,
  };
  for (const [name, part] of Object.entries(parts))
    if (wanted === undefined || wanted.includes(name)) await walk.part(name, part);
} finally {
  fs.writeFileSync(path.join(results, 'e2e', 'console.log'), workbench.lines.join('\n'));
  copyLogs();
  await browser.close();
  await server.stop();
}
const counted = { passed: walk.passed, failed: walk.failed, skipped: 0 };
console.log(writeSummary(counted));
process.exit(counted.failed === 0 ? 0 : 1);

async function theList() {
  await walk.step('Loom stands in the activity bar and opens', async () => {
    await hands.openLoom();
    await hands.widenSideBar(140);
  });
  await walk.step('threads of both agents are listed with who, how much and when', async () => {
    await hands.row(/Fix the double charge.*Claude Code.*3 turns/).waitFor({ timeout: 30_000 });
    await hands.row(/Move the settings to SQLite.*Codex.*1 turn/).waitFor();
    await hands.row(newestDay).first().waitFor();
    assert.strictEqual(await hands.row(/Find all callers/).count(), 0, 'a subagent is no row of its own');
  });
  await walk.step('a thread of another folder shows only when all folders are asked for', async () => {
    const rows = () => page.getByRole('treeitem').count();
    const here = await rows();
    await hands.command('Loom: Show threads of all folders');
    await until('there are more rows', async () => (await rows()) > here);
    await hands.command('Loom: Show threads of this workspace');
    await until('they are gone again', async () => (await rows()) === here);
  });
  await walk.step('the list is grouped by harness and by time', async () => {
    await hands.command('Loom: Group by harness');
    await hands.row(/^Codex/).waitFor();
    await hands.command('Loom: Group by time');
    await hands.row(newestDay).first().waitFor();
  });
}

async function theTimeline() {
  await walk.step('a click opens the thread at its newest line', async () => {
    await hands.row(/Fix the double charge/).click();
    await timeline.getByRole('heading', { name: 'Fix the double charge' }).waitFor({ timeout: 30_000 });
    await timeline.getByText('A lost answer no longer charges twice').waitFor();
    await timeline.locator('table').waitFor();
  });
  await walk.step('a folded tool says how it ended, and unfolds to its output', async () => {
    await timeline.locator('loom-timeline, body').first().press('g');
    const failed = timeline.getByRole('button', { name: /Bash.*npm test.*exit 1/ }).first();
    await failed.waitFor();
    assert.strictEqual(await failed.getAttribute('aria-expanded'), 'false');
    await failed.click();
    await timeline.getByText('a refused card is reported').first().waitFor();
    assert.ok(!(await timeline.locator('pre.output').first().innerText()).includes('\u001b'), 'escape sequences became colours');
    await failed.click();
    await timeline.getByText('a refused card is reported').first().waitFor({ state: 'detached' });
  });
  await walk.step('an edit unfolds to its diff', async () => {
    const edit = timeline.getByRole('button', { name: /Edit.*checkout\.js/ }).first();
    await edit.scrollIntoViewIfNeeded();
    await edit.click();
    await timeline.getByText('const key = `order-${order.id}`;').first().waitFor();
    const added = timeline.locator('.diff-line.added code').first();
    const behind = await added.evaluate((code) => getComputedStyle(code).backgroundColor);
    assert.strictEqual(behind, 'rgba(0, 0, 0, 0)', "the line's colour shows behind its text");
    await edit.click();
  });
  await walk.step('prompts are reached by key', async () => {
    await timeline.locator('body').press('g');
    await timeline.locator('body').press('n');
    await until('the second prompt has the focus', async () =>
      /Good\. Do it/.test(
        (await timeline
          .locator('article:focus')
          .getAttribute('aria-label')
          .catch(() => '')) ?? '',
      ),
    );
  });
  await walk.step('only failures are shown when asked for, and all again', async () => {
    const filter = timeline.getByRole('button', { name: 'Failures' });
    await filter.click();
    await until('few rows are left', async () => (await timeline.locator('article').count()) <= 3);
    await filter.click();
    await until('all are back', async () => (await timeline.locator('article').count()) > 3);
  });
  await walk.step('find in thread goes to what it found', async () => {
    await timeline.getByRole('button', { name: 'Find', exact: true }).click();
    await timeline.getByRole('searchbox', { name: 'Find in thread' }).fill('idempotency');
    await timeline.locator('.find [role=status]', { hasText: /\d/ }).waitFor();
    await timeline.locator('article.active').waitFor();
    await timeline.getByRole('button', { name: 'Close find' }).click();
  });
  await walk.step('the subagent is followed, and left again', async () => {
    const line = timeline.locator('.switcher select');
    const label = await line.locator('option', { hasText: 'Find all callers' }).getAttribute('value');
    await line.selectOption(label);
    await timeline.getByText('Find every caller of charge() in this repository').first().waitFor();
    await timeline.getByRole('button', { name: 'Back to the thread' }).click();
    await timeline.getByText('A lost answer no longer charges twice').waitFor();
  });
  await walk.step('a file named in the thread opens in the editor', async () => {
    const edit = timeline.getByRole('button', { name: /Edit.*checkout\.js/ }).first();
    await edit.scrollIntoViewIfNeeded();
    await edit.click();
    await timeline
      .getByRole('link', { name: /checkout\.js/ })
      .first()
      .click();
    await page.locator('.tabs-container .tab', { hasText: 'checkout.js' }).waitFor();
    await hands.row(/Fix the double charge/).click();
    await timeline.getByRole('heading', { name: 'Fix the double charge' }).waitFor();
  });
}

async function theSearch() {
  await walk.step('search over all threads opens the hit at its place', async () => {
    await hands.command('Loom: Search threads');
    await page.locator('.quick-input-title', { hasText: 'Loom: Search threads' }).waitFor();
    await hands.typeIntoPicker('UNIQUE constraint');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Move the settings to SQLite' }).first().waitFor();
    await hands.pick('Move the settings to SQLite');
    await timeline.getByRole('heading', { name: 'Move the settings to SQLite' }).waitFor();
  });
}

async function theLiveWork() {
  await walk.step('what an agent writes now appears in the open timeline', async () => {
    await hands.row(/Fix the double charge/).click();
    await timeline.getByText('A lost answer no longer charges twice').waitFor();
    demo.sessions.claude.at = Date.now() - 1000;
    const began = Date.now();
    demo.sessions.claude.user('Please add a line to the changelog as well.', 0).save();
    await timeline.getByText('Please add a line to the changelog as well.').waitFor();
    console.log(`       from the append to the timeline: ${Date.now() - began} ms, with a browser between`);
  });
  await walk.step('who reads further up is not moved, and is told of new lines', async () => {
    await timeline.locator('body').press('g');
    const first = timeline.locator('article').first();
    await first.waitFor();
    const before = await first.boundingBox();
    demo.sessions.claude.say('It is in `CHANGELOG.md` now.', 0).save();
    await timeline.getByRole('button', { name: /new · jump to latest/ }).waitFor();
    assert.deepStrictEqual(await first.boundingBox(), before);
    await timeline.getByRole('button', { name: /jump to latest/ }).click();
    await timeline.getByText('It is in CHANGELOG.md now.').waitFor();
  });
  await walk.step('the list counts the new turn', () => hands.row(/Fix the double charge.*4 turns/).waitFor());
}

async function theLooks() {
  const looks = [
    ['Light Modern', 'vs', 'light'],
    ['Dark High Contrast', 'hc-black', 'high-contrast'],
    ['Dark Modern', 'vs-dark', 'dark'],
  ];
  for (const [theme, kind, name] of looks) {
    await walk.step(`the timeline is readable in ${name}`, async () => {
      await hands.theme(theme, kind);
      await timeline.locator('body').press('g');
      const failed = timeline.getByRole('button', { name: /Bash.*npm test.*exit 1/ }).first();
      if ((await failed.getAttribute('aria-expanded')) === 'false') await failed.click();
      await timeline.getByText('a refused card is reported').first().waitFor();
      await walk.picture(`timeline-${name}`);
      const faint = await timeline.locator('body').evaluate(faintTexts);
      assert.deepStrictEqual(faint, [], 'text that stands out too little from what is behind it');
    });
  }
  await walk.step('all that was unfolded folds again', async () => {
    await timeline
      .getByRole('button', { name: /Bash.*npm test.*exit 1/ })
      .first()
      .click();
  });
}

async function theArchive() {
  await walk.step('a session file that was deleted is told of, and put back byte for byte', async () => {
    const file = handOver.codexSessions().find((name) => fs.readFileSync(name, 'utf8').includes('UNIQUE constraint'));
    const before = fs.readFileSync(file);
    await hands.row(/Move the settings to SQLite/).click();
    await timeline.getByRole('heading', { name: 'Move the settings to SQLite' }).waitFor();
    fs.rmSync(file);
    const banner = timeline.getByText('The session file is gone');
    await banner.waitFor({ timeout: 60_000 });
    await timeline.getByRole('button', { name: 'Restore…' }).click();
    await page.locator('.quick-input-title', { hasText: 'Restore the session files' }).waitFor();
    await hands.pick('Put back where it was');
    await until('the file is there again', () => fs.existsSync(file) && fs.readFileSync(file).equals(before));
    await banner.waitFor({ state: 'detached', timeout: 60_000 });
  });
}

async function theHostileText() {
  await walk.step('hostile text is text: nothing runs, nothing is fetched, no link leads anywhere by itself', async () => {
    await page.locator('.terminal-wrapper:visible').first().waitFor();
    await hands.closeEditors();
    await hands.command('Loom: Show threads of all folders');
    const fetched = workbench.refused.length;
    const group = hands.row(/^September/);
    await group.waitFor();
    if ((await group.getAttribute('aria-expanded')) === 'false') await group.click();
    await hands.row(/onerror/).click();
    await timeline.locator('article').first().waitFor();
    await timeline.locator('body').press('g');
    for (const fold of await timeline.locator('button.fold[aria-expanded=false]').all())
      await fold.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForTimeout(1000);
    for (const frame of page.frames()) {
      const pwned = await frame.evaluate(() => String(globalThis['__pwn'])).catch(() => 'undefined');
      assert.strictEqual(pwned, 'undefined', `a script of the transcript ran in ${frame.url()}`);
    }
    assert.deepStrictEqual(workbench.refused.slice(fetched), [], 'requests that would have left the machine');
    const live = await timeline.locator('body').evaluate((body) => ({
      scripts: [
        ...body.querySelectorAll(
          'article script, article iframe, article object, article embed, article link, article meta, article style, article form',
        ),
      ].length,
      handlers: [...body.querySelectorAll('article *')].filter((e) => [...e.attributes].some((a) => a.name.startsWith('on')))
        .length,
      links: [...body.querySelectorAll('article a[href], article [src], article [srcset]')]
        .map((e) => e.getAttribute('href') ?? e.getAttribute('src') ?? '')
        .filter((u) => !u.startsWith('data:image/')),
    }));
    assert.deepStrictEqual(live, { scripts: 0, handlers: 0, links: [] });
  });
  await walk.step('hostile text is shown as it was written', async () => {
    await timeline.getByText('<script', { exact: false }).first().waitFor();
  });
}

/** Programs named like the agents' that write down their folder and arguments, one a line, and stay. */
function writeRecorders(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const record = (name) => path.join(folder, `${name}.started`);
  const versions = {
    codex: 'codex-cli 0.171.0',
    claude: '2.1.332 (Claude Code)',
    pi: '1.6.0',
    gemini: '0.61.0',
    agy: '1.0.11',
  };
  for (const [name, version] of Object.entries(versions)) {
    const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\nif [ "$1" = login ] || [ "$1" = auth ]; then exit 0; fi\nprintf '%s\\n' "$PWD" "$@" > '${record(name)}.part'\nmv '${record(name)}.part' '${record(name)}'\necho "${name} $*"\necho '(a stand-in: the program itself would go on here)'\nexec cat\n`;
    fs.writeFileSync(path.join(folder, name), script, { mode: 0o755 });
  }
  return {
    read: (name) => (fs.existsSync(record(name)) ? fs.readFileSync(record(name), 'utf8').trimEnd().split('\n') : null),
    forget: () => Object.keys(versions).forEach((name) => fs.rmSync(record(name), { force: true })),
  };
}

/** What Loom logged, beside the pictures. */
function copyLogs() {
  const logs = path.join(instance.userData, 'logs');
  if (!fs.existsSync(logs)) return;
  for (const name of fs.readdirSync(logs, { recursive: true })) {
    if (name.endsWith('Loom.log')) fs.copyFileSync(path.join(logs, name), path.join(results, 'e2e', 'Loom.log'));
  }
}
