/**
 * The timeline's webview in a plain browser page: what only a browser can tell of it (places on the screen, 100,000 entries,
 * hostile text, the page's policy). Entries are made up; VS Code's side is page/stub.mjs. `--pictures=FOLDER` keeps a
 * picture in each theme. Ends with a summary line.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { bootstrap } from '../tools/bootstrap.mjs';
import { findChromium, launchChromium } from '../tools/chromium.mjs';
import { writeSummary } from '../tools/summary.mjs';
import { servePage } from './page/serve.mjs';
import { themeNames } from './page/themes.mjs';

const node = await bootstrap(fileURLToPath(import.meta.url));
const option = (name) => process.argv.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
const chromium = await findChromium(node);
if (chromium === null) {
  console.log(
    `skipped: no browser for ${process.platform} ${process.arch}; set CHROMIUM to one\n${writeSummary({ passed: 0, failed: 0, skipped: 1 })}`,
  );
  process.exit(0);
}
const served = await servePage(option('dist'));
const browser = await launchChromium(chromium);
const totals = { passed: 0, failed: 0, skipped: 0 };

/** A page that must stay quiet: any error, refused style or script, or request to elsewhere fails the check. */
async function withPage(query, work, viewport = { width: 1000, height: 900 }) {
  const page = await browser.newPage({ viewport });
  const noise = [];
  page.on('console', (message) => noise.push(message.text()));
  page.on('pageerror', (error) => noise.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url)) noise.push(`request to ${request.url()}`);
  });
  try {
    await page.goto(`${served.url}?${query}`);
    await page.waitForSelector('.row');
    await settled(page);
    await work(page);
    same(noise, [], 'nothing was said or asked for');
    same(page.url(), `${served.url}?${query}`, 'the page stayed where it was');
  } finally {
    await page.close();
  }
}

async function check(name, work) {
  try {
    await work();
    totals.passed += 1;
    console.log(`  ok ${name}`);
  } catch (error) {
    totals.failed += 1;
    console.log(`  FAILED ${name}\n    ${String(error.stack ?? error).replaceAll('\n', '\n    ')}`);
  }
}

function same(found, wanted, what) {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}
function holds(value, what) {
  if (!value) throw new Error(`it does not hold: ${what}`);
}

/** Two frames without work: what was asked for is drawn and measured. */
const settled = (page) =>
  page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 30)));
/** Top of each row in view, by entry, in pixels from the upper edge of the list. */
const places = (page) =>
  page.evaluate(() => {
    const list = document.querySelector('loom-list').getBoundingClientRect();
    const rows = [...document.querySelectorAll('.row')].map((row) => [row.dataset.key, row.getBoundingClientRect()]);
    return Object.fromEntries(
      rows.filter(([, box]) => box.bottom > list.top && box.top < list.bottom).map(([key, box]) => [key, box.top - list.top]),
    );
  });
/** How far rows that were and are in view have moved, the farthest of them. */
function moved(before, after, expected = 0) {
  const shifts = Object.keys(before)
    .filter((key) => key in after)
    .map((key) => Math.abs(after[key] - before[key] - expected));
  return shifts.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...shifts);
}
const gap = (page) =>
  page.evaluate(() => {
    const list = document.querySelector('loom-list');
    return Math.round(list.scrollHeight - list.scrollTop - list.clientHeight);
  });
const intents = (page, type) =>
  page.evaluate((wanted) => window.timelinePage.intents.filter((intent) => intent.type === wanted), type);
const holdsStart = (page) =>
  page.waitForFunction(() => document.querySelector('.beginning')?.textContent.includes('begins here'), null, {
    timeout: 60_000,
  });

await check('a thread opens at its newest line, and a page is kept for a reload', () =>
  withPage('count=2000', async (page) => {
    same(await gap(page), 0, 'pixels below the viewport');
    same(
      await page.evaluate(() => window.timelinePage.state),
      { thread: 't1', conversation: null, title: 'Fix double charge race' },
      'kept state',
    );
  }),
);

await check('scrolling up through pages of earlier entries moves everything by exactly what was scrolled', () =>
  withPage('count=3000', async (page) => {
    await page.mouse.move(500, 500);
    for (let turn = 0; turn < 60; turn += 1) {
      const before = await places(page);
      await page.mouse.wheel(0, -350);
      await settled(page);
      const shift = moved(before, await places(page), 350);
      holds(shift < 3, `step ${turn} was off by ${shift} pixels`);
    }
    holds((await intents(page, 'older')).length >= 1, 'earlier entries were asked for');
  }),
);

await check('a thread whose session file is gone says so quietly, and offers to restore it', () =>
  withPage('count=20&gone', async (page) => {
    const note = page.locator('.branch-note', { hasText: 'session file is gone' });
    same(await note.count(), 1, 'notes');
    same(await note.getAttribute('role'), 'note', 'role');
    await note.getByRole('button', { name: 'Restore…' }).click();
    await settled(page);
    same(await intents(page, 'restoreNative'), [{ type: 'restoreNative' }], 'intents');
  }),
);
await check('a thread whose session file is there says nothing of it', () =>
  withPage('count=20', async (page) => {
    same(await page.locator('.branch-note').count(), 0, 'notes');
  }),
);

await check('a hand-over names its size, what was masked and its kind, and only the newest one offers the way back', () =>
  withPage('count=800&handed&delay=0', async (page) => {
    await page.getByRole('button', { name: 'Prompts' }).click();
    await page.keyboard.press('g');
    await holdsStart(page);
    await settled(page);
    const seen = new Map();
    const look = async () => {
      for (const divider of await page.locator('.row:has(.divider.handoff)').all())
        seen.set(await divider.getAttribute('data-key'), await divider.textContent());
    };
    for (let turn = 0; turn < 30; turn += 1) {
      await look();
      await page.evaluate(() => (document.querySelector('loom-list').scrollTop += 600));
      await settled(page);
    }
    const words = [...seen.values()];
    holds(words.length > 1, 'there are several hand-overs');
    holds(
      words.every((text) => text.includes('baton 5.1 KB · 3 secrets masked · 1 quoted source · native history')),
      'each has its words',
    );
    same(
      words.map((text) => text.includes('Return to Claude Code with 2 new turns')),
      words.map((_, index) => index === words.length - 1),
      'ways back',
    );
    const back = page.getByRole('button', { name: 'Return to Claude Code with 2 new turns' });
    for (let turn = 0; turn < 30 && (await back.count()) === 0; turn += 1) {
      await page.evaluate(() => (document.querySelector('loom-list').scrollTop -= 600));
      await settled(page);
    }
    await back.focus();
    await page.keyboard.press('Enter');
    await settled(page);
    same(await intents(page, 'returnTo'), [{ type: 'returnTo', harness: 'claude' }], 'intents');
  }),
);
await check('a thread that never changed hands offers no way back', () =>
  withPage('count=400', async (page) => {
    same(await page.locator('.way-back').count(), 0, 'ways back');
  }),
);

await check('a conflict stands above the thread with what it is and both ways out, by key too', () =>
  withPage('count=40&conflict', async (page) => {
    const note = page.locator('.branch-note.conflict');
    holds((await note.textContent()).includes('Claude Code went on in its old session: 3 entries'), 'its words');
    for (const name of ['See it', 'Keep Codex', 'Follow Claude Code']) {
      await note.getByRole('button', { name }).focus();
      await page.keyboard.press('Enter');
    }
    await settled(page);
    same(await intents(page, 'follow'), [{ type: 'follow', conversation: 2, reveal: null }], 'to its line');
    same((await intents(page, 'keepLease')).length, 1, 'kept');
    same((await intents(page, 'followConflict')).length, 1, 'followed');
  }),
);

/** What turns did, as the panel tells it: every prompt's turn changed two files, and something lay between any two. */
const tellChanges = (page) =>
  page.evaluate(() => {
    const file = (name, by) => ({ path: name, change: 'modified', added: 3, removed: 1, by });
    const { all } = window.timelinePage;
    const turns = all
      .filter((entry) => entry.kind === 'user')
      .flatMap(({ id }, index, prompts) => {
        const common = { harness: 'claude', added: 6, removed: 2, beside: [] };
        const files = [file('src/<b>a.ts', 'tool'), file('src/b.ts', 'command')];
        const last = (prompts[index + 1]?.id ?? all.at(-1).id + 1) - 1;
        const turn = {
          ...common,
          entry: id,
          conversation: 1,
          last,
          before: index * 3 + 2,
          after: index * 3 + 3,
          files,
          filesTotal: 2,
        };
        const none = { entry: null, conversation: null, last: null };
        const between = { ...common, ...none, before: index * 3 + 1, after: index * 3 + 2, files: [files[0]], filesTotal: 1 };
        return index === 0 ? [turn] : [between, turn];
      });
    const changes = { thread: 't1', worktree: '/home/user/shop', reason: null, turns, files: 2, added: 6, removed: 2 };
    window.timelinePage.say({ type: 'changes', changes });
  });
await check('what turns did comes in without moving what is read, and keeps who reads the end at the end', () =>
  withPage('count=400', async (page) => {
    await tellChanges(page);
    await page.waitForSelector('.turn.changed');
    await settled(page);
    same(await gap(page), 0, 'pixels below the viewport');
    await page.reload();
    await page.waitForSelector('.row');
    await settled(page);
    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, -3000);
    await settled(page);
    const before = await places(page);
    await tellChanges(page);
    await page.waitForSelector('.turn.changed');
    await settled(page);
    const first = Object.entries(before).find(([, top]) => top >= 0);
    const after = await places(page);
    holds(Math.abs(after[first[0]] - first[1]) < 40, `the first row in view stays: ${first[1]} to ${after[first[0]]}`);
  }),
);
await check('what a turn did is seen and restored by key, whole or one file, and paths are text', () =>
  withPage('count=60', async (page) => {
    await tellChanges(page);
    const line = page.locator('.turn.changed:not(.between) > .changed-line').last();
    await line.waitFor();
    await line.focus();
    await page.keyboard.press('Enter');
    await settled(page);
    same(await line.getAttribute('aria-expanded'), 'true', 'unfolded');
    const row = page.locator('.row:has(.changed-files)');
    holds((await row.getAttribute('aria-label')).includes('2 files +6 −2'), 'the row says so to a screen reader');
    same(await row.locator('.changed-files b').count(), 0, 'elements made of a path');
    for (const name of [/^View diff of Turn/, /^Restore before Turn/, 'Restore src/b.ts'])
      await row.getByRole('button', { name }).press('Enter');
    const shown = await intents(page, 'showChanges');
    const restored = await intents(page, 'restoreChanges');
    same([shown.length, restored.map((intent) => intent.path)], [1, [null, 'src/b.ts']], 'intents');
    same(shown[0].after, shown[0].before + 1, 'the two snapshots of the turn');
    await page.getByRole('button', { name: /^Changes · 2 files/ }).click();
    same((await intents(page, 'showAllChanges')).length, 1, 'the whole thread');
  }),
);

await check('a server that has no earlier page to give is asked once, and again only by hand', () =>
  withPage('count=3000&stuck', async (page) => {
    await page.keyboard.press('g');
    await page.waitForFunction(() => document.querySelector('loom-list').scrollTop < 60);
    for (let turn = 0; turn < 5; turn += 1) await settled(page);
    same((await intents(page, 'older')).length, 1, 'requests');
    await page.click('.beginning .rest');
    await settled(page);
    same((await intents(page, 'older')).length, 2, 'requests');
  }),
);

await check('of 100,000 entries only some rows are elements, and both ends are reached', () =>
  withPage('count=100000&delay=0', async (page) => {
    await page.keyboard.press('g');
    await holdsStart(page);
    await settled(page);
    same(await page.evaluate(() => document.querySelector('loom-list').scrollTop < 60), true, 'at the start');
    const most = await page.evaluate(async () => {
      const list = document.querySelector('loom-list');
      let rows = 0;
      const blank = [];
      for (let step = 0; step <= 60; step += 1) {
        list.scrollTop = (list.scrollHeight * step) / 60;
        await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 0));
        const box = list.getBoundingClientRect();
        const drawn = [...list.querySelectorAll('.row')].map((row) => row.getBoundingClientRect());
        rows = Math.max(rows, drawn.length);
        if (drawn.length === 0 || drawn[0].top > box.top + 60 || drawn.at(-1).bottom < box.bottom - 60) blank.push(step);
      }
      return { rows, blank };
    });
    same(most.blank, [], 'places where the viewport was not filled');
    holds(most.rows < 200, `${most.rows} rows were elements at once`);
    await page.keyboard.press('G');
    await settled(page);
    same(await gap(page), 0, 'pixels below the viewport');
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const work = async () =>
      (await session.send('Performance.getMetrics')).metrics.find((metric) => metric.name === 'ScriptDuration').value * 1000;
    const begun = await work();
    await page.evaluate(async () => {
      const list = document.querySelector('loom-list');
      list.scrollTop = list.scrollHeight / 2;
      for (let frame = 0; frame < 200; frame += 1) {
        list.scrollTop -= 60;
        await new Promise(requestAnimationFrame);
      }
    });
    const each = ((await work()) - begun) / 200;
    console.log(`     ${each.toFixed(2)} ms of script for each scrolled frame, ${most.rows} rows at most`);
    holds(each < 8, `${each} ms of script a frame`);
  }),
);

await check('who is at the end stays there as entries arrive; who reads above is not moved and is told', () =>
  withPage('count=2000', async (page) => {
    await page.evaluate(() => window.timelinePage.append(20));
    await settled(page);
    same(await gap(page), 0, 'pixels below the viewport');
    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, -2000);
    await settled(page);
    const before = await places(page);
    await page.evaluate(() => window.timelinePage.append(40));
    await settled(page);
    holds(moved(before, await places(page)) < 1, 'nothing moved');
    holds(/\d+ new · jump to latest/.test(await page.textContent('.latest')), 'the new lines are counted');
    await page.waitForFunction(() => /new lines? below/.test(document.querySelector('.announcer').textContent), null, {
      timeout: 5000,
    });
    await page.click('.latest');
    await settled(page);
    same(await gap(page), 0, 'pixels below the viewport');
    same(await page.locator('.latest').count(), 0, 'the button is gone');
  }),
);

await check('who is at the end stays there when the viewport changes, and keeps a line that is unfolded there in view', () =>
  withPage('count=500', async (page) => {
    for (const [width, height] of [
      [520, 900],
      [520, 500],
      [1000, 900],
    ]) {
      await page.setViewportSize({ width, height });
      await settled(page);
      same(await gap(page), 0, `pixels below the viewport of ${width} by ${height}`);
    }
    const last = page.locator('.row .fold').last();
    const before = await last.boundingBox();
    await last.click();
    await settled(page);
    const after = await page.locator('.row .fold[aria-expanded=true]').last().boundingBox();
    holds(Math.abs(after.y - before.y) < 2, 'the unfolded line stayed where it was');
  }),
);

await check('a new view of the same thread, another width, and unfolding above keep the place', () =>
  withPage('count=3000', async (page) => {
    await page.mouse.move(500, 500);
    await page.mouse.wheel(0, -4000);
    await settled(page);
    let before = await places(page);
    await page.evaluate(() => {
      const { all, say } = window.timelinePage;
      const view = { ...window.timelinePage.view, entries: all.slice(-300), older: all.length - 300 };
      say({ type: 'view', view, following: null, fresh: false });
    });
    await settled(page);
    holds(moved(before, await places(page)) < 2, 'a new view moved what is read');
    const [first] = Object.entries(await places(page)).find(([, top]) => top >= 0);
    await page.setViewportSize({ width: 700, height: 900 });
    await settled(page);
    const after = await places(page);
    holds(first in after && Math.abs(after[first]) < 300, 'another width lost the place');
    before = await places(page);
    await page.evaluate(() => {
      const list = document.querySelector('loom-list').getBoundingClientRect();
      const above = [...document.querySelectorAll('.row .fold')].filter((fold) => fold.getBoundingClientRect().bottom < list.top);
      above.at(-1)?.click();
    });
    await settled(page);
    holds(moved(before, await places(page)) < 2, 'unfolding above moved what is read');
  }),
);

await check('keys move from row to row, from prompt to prompt, fold and unfold', () =>
  withPage('count=400', async (page) => {
    const active = () =>
      page.evaluate(() => ({ key: document.activeElement?.dataset?.key ?? '', kind: document.activeElement?.className ?? '' }));
    await page.keyboard.press('p');
    await settled(page);
    holds((await active()).kind.includes('is-prompt'), 'p goes to the prompt before');
    const prompt = await active();
    await page.keyboard.press('ArrowDown');
    await settled(page);
    holds((await active()).key !== prompt.key, 'the arrow goes on');
    await page.keyboard.press('p');
    await settled(page);
    same((await active()).key, prompt.key, 'and p comes back');
    for (let turn = 0; turn < 12 && !(await active()).kind.includes('is-tool'); turn += 1) {
      await page.keyboard.press('ArrowDown');
      await settled(page);
    }
    const opened = () => page.evaluate(() => document.activeElement.querySelector('.fold').getAttribute('aria-expanded'));
    same(await opened(), 'false', 'a tool is folded');
    await page.keyboard.press('Enter');
    await settled(page);
    same(await opened(), 'true', 'Enter unfolds it');
    await page.keyboard.press('Enter');
    await settled(page);
    same(await opened(), 'false', 'and folds it');
  }),
);

await check('find shows a hit that was not loaded yet, counts the hits, and marks the words', () =>
  withPage('count=4000', async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('SHOP-7.');
    await page.waitForFunction(() => document.querySelector('.row.active')?.textContent.includes('SHOP-7.'), null, {
      timeout: 10_000,
    });
    same(await page.textContent('.find [role=status]'), '1 of 1', 'the count of hits');
    holds((await intents(page, 'older')).length > 0, 'earlier pages were asked for');
    holds((await page.evaluate(() => CSS.highlights.get('loom-find')?.size ?? 0)) > 0, 'words are marked');
    same(await page.evaluate(() => document.activeElement.tagName), 'INPUT', 'typing goes on in the field');
    await page.keyboard.press('Escape');
    same(await page.locator('.find').count(), 0, 'Escape closes it');
  }),
);

await check('filters keep what they say', () =>
  withPage('count=600', async (page) => {
    const kinds = () =>
      page.evaluate(() =>
        [...new Set([...document.querySelectorAll('.row')].map((row) => /is-(\w+)/.exec(row.className)[1]))].toSorted(),
      );
    await page.getByRole('button', { name: 'Prompts' }).click();
    await settled(page);
    same(
      (await kinds()).filter((kind) => kind !== 'divider'),
      ['prompt'],
      'kinds of rows',
    );
    await page.getByRole('button', { name: 'Prompts' }).click();
    await page.getByRole('button', { name: 'Failures' }).click();
    await settled(page);
    holds(!(await kinds()).includes('answer'), 'no answers among failures');
    same(
      await page.evaluate(() =>
        [...document.querySelectorAll('.row .fold.tool')].every((fold) => fold.classList.contains('failed')),
      ),
      true,
      'all tools failed',
    );
  }),
);

await check('hostile text is shown and does nothing', () =>
  withPage('hostile', async (page) => {
    await page.keyboard.press('g');
    await settled(page);
    const found = [];
    let seen = '';
    for (let turn = 0; turn < 40; turn += 1) {
      await page.evaluate(() => document.querySelectorAll('.fold[aria-expanded=false]').forEach((fold) => fold.click()));
      await settled(page);
      await page.evaluate(() => document.querySelectorAll('loom-list .link').forEach((link) => link.click()));
      seen += await page.evaluate(() => document.querySelector('loom-list').textContent);
      found.push(
        ...(await page.evaluate(() => {
          const active = [
            'SCRIPT',
            'IFRAME',
            'STYLE',
            'META',
            'BASE',
            'FORM',
            'SVG',
            'MATH',
            'OBJECT',
            'EMBED',
            'LINK',
            'IMG',
            'INPUT',
            'TEXTAREA',
          ];
          const addresses = ['href', 'src', 'srcdoc', 'action', 'formaction', 'xlink:href', 'style'];
          return [...document.querySelectorAll('loom-timeline *')]
            .filter((element) => !element.classList.contains('space'))
            .filter(
              (element) =>
                active.includes(element.tagName.toUpperCase()) ||
                [...element.attributes].some(({ name }) => name.startsWith('on') || addresses.includes(name)),
            )
            .map((element) => element.outerHTML.slice(0, 200));
        })),
      );
      await page.evaluate(() => (document.querySelector('loom-list').scrollTop += 1500));
      await settled(page);
    }
    same(found, [], 'elements and attributes that do something');
    same(await page.evaluate(() => globalThis['__pwn'] ?? null), null, 'what hostile text would have set');
    for (const text of [
      '<script>window.__pwn=2</script>',
      '[cmd](command:workbench.action.quit)',
      '⟨RLO⟩evil',
      '<meta http-equiv=refresh',
    ])
      holds(seen.includes(text), `${text} is shown as it was written`);
    const urls = (await intents(page, 'openLink')).map((intent) => intent.url);
    holds(
      urls.length > 0 && urls.every((url) => url.startsWith('https://example.com/')),
      `only web addresses are handed on: ${urls}`,
    );
    same(served.strays, [], 'requests that the page should not make');
  }),
);

await check('the page speaks to a screen reader: a feed of named articles, buttons with names, one live region', () =>
  withPage('count=300', async (page) => {
    const faults = await page.evaluate(() => {
      const nameless = [...document.querySelectorAll('button, [role=link], select, input, [role=img]')].filter(
        (element) => !(element.getAttribute('aria-label') || element.textContent.trim() || element.closest('label')),
      );
      const articles = [...document.querySelectorAll('[role=feed] > article')];
      const wrong = articles.filter(
        (article) => !article.getAttribute('aria-label') || !(Number(article.getAttribute('aria-posinset')) > 0),
      );
      return {
        articles: articles.length > 0,
        nameless: nameless.map((element) => element.outerHTML.slice(0, 120)),
        wrong: wrong.length,
        live: document.querySelectorAll('[aria-live=polite]').length,
      };
    });
    same(faults, { articles: true, nameless: [], wrong: 0, live: 1 }, 'what assistive technology finds');
  }),
);

const pictures = option('pictures');
for (const theme of themeNames) {
  await check(`nothing is cut off at the side in ${theme}, wide or narrow`, () =>
    withPage(`count=260&theme=${theme}`, async (page) => {
      for (const width of [1000, 420]) {
        await page.setViewportSize({ width, height: 900 });
        await settled(page);
        await page.evaluate(() => document.querySelectorAll('.fold[aria-expanded=false]').forEach((fold) => fold.click()));
        await settled(page);
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll('loom-timeline, .head, loom-list, .row, .body')]
            .filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'hidden')
            .map((e) => e.className),
        );
        same(wide, [], `elements wider than ${width} pixels`);
        if (pictures !== undefined) {
          fs.mkdirSync(pictures, { recursive: true });
          await page.screenshot({ path: path.join(pictures, `timeline-${theme}-${width}.png`) });
        }
      }
    }),
  );
}

await browser.close();
await served.close();
console.log(writeSummary(totals));
process.exit(totals.failed === 0 ? 0 : 1);
