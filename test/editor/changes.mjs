/**
 * What turns did to files as a person meets it, on the packaged extension, in a real repository: the line at the end of a turn, the diff of many
 * files, restore and undo, one file and one part of it, conflicts, an agent at work, snapshots compared. The agent is stood in for by what
 * it would write: rows of its session, and the files.
 */
import assert from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { ClaudeSession } from '../tools/demo/claude-session.mjs';
import { until } from './walk.mjs';

const money = `/** Amounts are whole cents. */
export function parse(text) {
  return Number(text) * 100;
}

export function add(a, b) {
  return a + b;
}

export function format(cents) {
  return (cents / 100).toFixed(2);
}
`;
const moneyBetter = money
  .replace('return Number(text) * 100;', 'return Math.round(Number(text) * 100);')
  .replace('return (cents / 100).toFixed(2);', 'return `${(cents / 100).toFixed(2)} €`;');
const vat = 'import { add } from "./money.js";\n\nexport const withVat = (cents) => add(cents, Math.round(cents * 0.19));\n';
const thread = /Round money like the gateway/;

/** The demo's folder as a repository with one commit. `env`: as its programs get it. */
export function makeRepository(folder, env) {
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main', ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
  fs.writeFileSync(path.join(folder, 'src/money.js'), money);
  fs.writeFileSync(path.join(folder, 'src/old-prices.js'), 'export const prices = [];\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'The shop');
}

export class ChangesWalk {
  #agent;

  constructor({ walk, hands, page, demo, home }) {
    Object.assign(this, { walk, hands, page, demo, home });
  }

  get timeline() {
    return this.hands.timeline;
  }

  async all() {
    const before = this.#person();
    await this.theTurns();
    await this.theDiff();
    await this.theRestore();
    await this.theParts();
    await this.theRefusals();
    await this.theComparison();
    await this.walk.step('the repository is as it was: nothing of Loom is in it', () =>
      assert.deepStrictEqual(this.#person(), before),
    );
    // What follows looks at the thread that was there before.
    await this.hands.closeEditors();
    await this.hands.row(/Fix the double charge/).click();
    await this.timeline.getByRole('heading', { name: 'Fix the double charge' }).waitFor();
  }

  async theTurns() {
    const { walk, hands, timeline } = this;
    await walk.step('a turn that changed files says so at its end, as it happens', async () => {
      const { folder } = this.demo;
      this.#agent = new ClaudeSession({ seed: 'money', home: this.home, cwd: folder, branch: 'main', at: Date.now() });
      this.#agent.title('Round money like the gateway');
      await this.#begin('Round amounts like the payment gateway does, and drop what nobody uses.');
      await hands.row(thread).click();
      await timeline.getByRole('heading', { name: 'Round money like the gateway' }).waitFor({ timeout: 30_000 });
      this.#write('src/money.js', moneyBetter);
      this.#write('src/vat.js', vat);
      fs.rmSync(path.join(folder, 'src/old-prices.js'));
      this.#now();
      this.#agent.edit(
        path.join(folder, 'src/money.js'),
        [' export function parse(text) {', '-  return Number(text) * 100;', '+  return Math.round(Number(text) * 100);', ' }'],
        { line: 2 },
      );
      this.#agent.bash('rm src/old-prices.js && node build/vat.js > src/vat.js', '');
      this.#end('Amounts are rounded like the gateway does, and `old-prices.js` is gone.');
      await this.#line(/turn 1 · 3 files \+5 −3/).waitFor({ timeout: 60_000 });
      await timeline.getByRole('button', { name: /^Changes · 3 files/ }).waitFor();
      await hands.row(/Round money like the gateway.*\+5 −3/).waitFor();
    });
    await walk.step('what the person changed between two turns is told apart from them', async () => {
      this.#write('README.md', '# shop\n\nA small shop. Amounts are cents.\n');
      await this.#begin('Put the shipping costs in as well.');
      this.#write('src/shipping.js', 'export const shipping = 490;\n');
      this.#now();
      this.#agent.bash('echo "export const shipping = 490;" > src/shipping.js', '');
      this.#end('Shipping costs 4.90.');
      await this.#line(/turn 2 · 1 file \+1 −0/).waitFor({ timeout: 60_000 });
      await this.#line(/between turns: 1 file \+1 −1, by you or another agent/).waitFor();
    });
    await walk.step('its line unfolds to the files, with whose change each is as far as that is known', async () => {
      const line = this.#line(/turn 1 · 3 files/);
      await line.focus();
      await this.page.keyboard.press('Enter');
      await timeline.getByRole('button', { name: 'View diff of src/money.js' }).waitFor();
      const lines = await timeline.locator('.changed-files li').allInnerTexts();
      assert.match(
        lines.find((one) => one.includes('money.js')),
        /edited by Claude Code/,
      );
      assert.match(
        lines.find((one) => one.includes('vat.js')),
        /new.*changed while Claude Code ran commands/s,
      );
      assert.match(
        lines.find((one) => one.includes('old-prices.js')),
        /deleted/,
      );
    });
    for (const [theme, kind, name] of looks) {
      await walk.step(`the lines of turns are readable in ${name}`, async () => {
        await hands.theme(theme, kind);
        await this.#line(/turn 1 · 3 files/).scrollIntoViewIfNeeded();
        await walk.picture(`changes-${name}`);
      });
    }
  }

  async theDiff() {
    const { walk, hands, page } = this;
    for (const [theme, kind, name] of looks) {
      await walk.step(`View diff opens all files of the turn in one editor, readable in ${name}`, async () => {
        await hands.theme(theme, kind);
        const began = Date.now();
        await this.#button(/^View diff of Turn 1/).click();
        await page.locator('.tabs-container .tab', { hasText: 'Turn 1 · Round money like the gateway' }).waitFor();
        const editor = page.locator('.multiDiffEditor');
        for (const file of ['money.js', 'vat.js', 'old-prices.js'])
          await editor.locator('.header', { hasText: file }).first().waitFor();
        await editor.locator('.view-lines', { hasText: 'Math.round(Number(text)' }).first().waitFor();
        console.log(`       from the click to the drawn diff: ${Date.now() - began} ms, with a browser between`);
        await walk.picture(`turn-diff-${name}`);
        await this.#closeEditor();
      });
    }
    await walk.step('one file of it opens alone, and its history over the thread is walked', async () => {
      await this.#begin('Round shipping as well.');
      this.#write('src/money.js', moneyBetter.replace('whole cents', 'whole cents, always'));
      this.#now();
      this.#agent.bash('sed -i s/cents./cents,/ src/money.js', '');
      this.#end('Done.');
      await this.#line(/turn 3 · 1 file/).waitFor({ timeout: 60_000 });
      await this.#unfold(/turn 1 · 3 files/);
      await this.#button('View diff of src/money.js').click();
      const tab = (words) => page.locator('.tabs-container .tab.active', { hasText: words });
      await tab(/money\.js · Turn 1/).waitFor();
      await page.locator('.editor-instance .view-lines', { hasText: 'Math.round' }).first().waitFor();
      await hands.command('Loom: Next change of this file in the thread');
      await tab(/money\.js · Turn 3/).waitFor();
      await hands.command('Loom: Previous change of this file in the thread');
      await tab(/money\.js · Turn 1/).waitFor();
      await this.#closeEditor();
    });
  }

  async theRestore() {
    const { walk, hands, page } = this;
    await walk.step('Restore before shows what will change before anything does', async () => {
      await this.#button('Restore before Turn 2').click();
      await this.#title('Restore before: Turn 2');
      await hands.choice('src/shipping.js').getByText('is deleted').waitFor();
      await walk.picture('restore-before');
      assert.ok(this.#exists('src/shipping.js'));
    });
    await walk.step('one key does it, only with the files of that turn', async () => {
      await page.keyboard.press('Enter');
      await hands.toast(/Restored 1 file\./).waitFor();
      assert.ok(!this.#exists('src/shipping.js'));
      assert.match(this.#read('src/money.js'), /always/);
      assert.match(this.#read('README.md'), /Amounts are cents/);
    });
    await walk.step('Undo is one click', async () => {
      await walk.picture('restored');
      await hands
        .toast(/Restored 1 file\./)
        .getByRole('button', { name: 'Undo' })
        .click();
      await hands.toast(/Undone: Restored 1 file\./).waitFor();
      assert.strictEqual(this.#read('src/shipping.js'), 'export const shipping = 490;\n');
      await hands.clearToasts();
    });
    await walk.step('later changes in the same file stay', async () => {
      await this.#button('Restore before Turn 1').click();
      await this.#title('Restore before: Turn 1');
      await hands.choice('src/money.js').getByText('later changes stay').waitFor();
      await page.keyboard.press('Enter');
      await hands.toast(/Restored 3 files\./).waitFor();
      assert.strictEqual(this.#read('src/money.js'), money.replace('whole cents', 'whole cents, always'));
      assert.ok(this.#exists('src/old-prices.js') && !this.#exists('src/vat.js'));
      await hands.clearToasts();
      await hands.command('Loom: Undo the last restore');
      await hands.toast(/Undone: Restored 3 files\./).waitFor();
      assert.ok(!this.#exists('src/old-prices.js') && this.#exists('src/vat.js'));
      await hands.clearToasts();
    });
  }

  async theParts() {
    const { walk, hands, page } = this;
    await walk.step('of one file, one part is taken back, seen in the diff while it is chosen', async () => {
      await this.#unfold(/turn 1 · 3 files/);
      await this.#button('Restore src/money.js').click();
      await this.#title('Restore in src/money.js');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.locator('.tabs-container .tab', { hasText: /money\.js · Turn 1/ }).waitFor();
      await page.locator('.editor-instance .view-lines', { hasText: 'toFixed' }).first().waitFor();
      await walk.picture('restore-part');
      await page.keyboard.press('Enter');
      await this.#title('Restore before: Turn 1');
      await page.keyboard.press('Enter');
      await hands.toast(/Restored 1 file\./).waitFor();
      const text = this.#read('src/money.js');
      assert.match(text, /Math\.round/);
      assert.doesNotMatch(text, /€/);
      await hands
        .toast(/Restored 1 file\./)
        .getByRole('button', { name: 'Undo' })
        .click();
      await until('it is there again', () => /€/.test(this.#read('src/money.js')));
      await hands.clearToasts();
      await this.#toTimeline();
    });
  }

  async theRefusals() {
    const { walk, hands, page, home, demo } = this;
    await walk.step('what would lose later changes asks first, and the others can be restored alone', async () => {
      const mine = this.#read('src/money.js').replace('Math.round(Number(text) * 100)', 'Math.trunc(Number(text) * 100)');
      this.#write('src/money.js', mine);
      await this.#button('Restore before Turn 1').click();
      await this.#title('Restore before: Turn 1');
      await hands.choice('src/money.js').getByText('cannot be taken back').waitFor();
      await page.keyboard.press('Enter');
      const dialog = page.locator('.monaco-dialog-box', { hasText: /1 file changed since in a way that cannot be kept/ });
      await dialog.waitFor();
      await walk.picture('restore-conflict');
      await dialog.getByRole('button', { name: 'Restore the others' }).click();
      await hands.toast(/Restored 2 files\./).waitFor();
      assert.strictEqual(this.#read('src/money.js'), mine);
      await hands.clearToasts();
      await hands.command('Loom: Undo the last restore');
      await hands.toast(/Undone/).waitFor();
      this.#write('src/money.js', moneyBetter);
      await hands.clearToasts();
    });
    const driver = spawn('sleep', ['600'], { stdio: 'ignore' });
    const registry = path.join(home, '.claude/sessions', `${driver.pid}.json`);
    try {
      await walk.step('while an agent works there, a restore says who, and waits for a word', async () => {
        fs.mkdirSync(path.dirname(registry), { recursive: true });
        const { sessionId } = this.#agent;
        const row = { pid: driver.pid, sessionId, cwd: demo.folder, status: 'busy', entrypoint: 'cli' };
        fs.writeFileSync(registry, JSON.stringify(row));
        await hands.row(/Round money like the gateway.*working/).waitFor({ timeout: 60_000 });
        await this.#button('Restore before Turn 2').click();
        await this.#title('Restore before: Turn 2');
        await page.keyboard.press('Enter');
        const dialog = page.locator('.monaco-dialog-box', { hasText: new RegExp(`Claude Code.*${driver.pid}`) });
        await dialog.waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        assert.ok(this.#exists('src/shipping.js'), 'nothing was done');
      });
    } finally {
      driver.kill();
      fs.rmSync(registry, { force: true });
    }
    await walk.step('a program that goes away gives its last turn nothing of what happened since', async () => {
      await until(
        'it is seen to be gone',
        async () => (await hands.row(/Round money like the gateway.*working/).count()) === 0,
        60_000,
      );
      await this.#line(/turn 3 · 1 file \+1 −1/).waitFor();
    });
  }

  async theComparison() {
    const { walk, hands, page } = this;
    await walk.step('what is no text is a line that says so', async () => {
      fs.writeFileSync(path.join(this.demo.folder, 'logo.png'), Buffer.from([137, 80, 78, 71, 0, 1, 2, 3]));
      await hands.command('Loom: Take snapshot');
      const taken = hands.toast(/Snapshot \d+ of .* was taken/);
      await taken.getByRole('button', { name: 'Compare…' }).click();
      await this.#title('Loom: Compare snapshots');
      await this.#pickFirstTurn();
      await hands.typeIntoPicker('asked for');
      await hands.pick('asked for');
      await page.locator('.multiDiffEditor .header', { hasText: 'logo.png' }).first().waitFor();
      await page.locator('.multiDiffEditor .view-lines', { hasText: 'This file is no text: 8 bytes' }).first().waitFor();
      await this.#closeEditor();
    });
    await walk.step('any snapshot is compared with the files as they are now', async () => {
      await hands.command('Loom: Compare snapshots');
      await this.#title('Loom: Compare snapshots');
      await this.#pickFirstTurn();
      await hands.pick('The files as they are now');
      await page.locator('.multiDiffEditor .header', { hasText: 'README.md' }).first().waitFor();
      await this.#closeEditor();
    });
    await walk.step("a thread's whole work opens from the list", async () => {
      await hands.takeFromMenu(thread, 'Show changes of a thread');
      await page.locator('.tabs-container .tab', { hasText: 'All turns · Round money' }).waitFor();
      await page.locator('.multiDiffEditor .header', { hasText: 'README.md' }).first().waitFor();
      await this.#closeEditor();
    });
  }

  /** The line that says what a turn did. */
  #line(name) {
    return this.timeline.getByRole('button', { name, expanded: undefined }).and(this.timeline.locator('.changed-line'));
  }

  #button(name) {
    return this.timeline.getByRole('button', { name, exact: true });
  }

  /** A page that was hidden has its lines folded again. */
  async #unfold(name) {
    const line = this.#line(name);
    await line.waitFor();
    if ((await line.getAttribute('aria-expanded')) === 'false') await line.click();
  }

  async #title(words) {
    await this.page.locator('.quick-input-title:visible', { hasText: words }).waitFor();
  }

  /** And waits for the timeline behind it: a page that is just being made takes keys and does nothing with them. */
  async #closeEditor() {
    await this.hands.command('View: Close Editor');
    await this.timeline.getByRole('heading', { name: 'Round money like the gateway' }).waitFor();
  }

  /** By its number: what is typed makes the picker sort by the words of its rows, so by the clock's minutes. */
  async #pickFirstTurn() {
    const rows = this.page.locator('.quick-input-list .monaco-list-row');
    await this.hands.typeIntoPicker('a turn began');
    await until('only starts of turns are listed', async () => {
      const texts = await rows.allTextContents();
      return texts.length > 0 && texts.every((text) => text.includes('a turn began'));
    });
    const numbers = (await rows.allTextContents()).map((text) => Number(/snapshot (\d+)/.exec(text)[1]));
    await rows.nth(numbers.indexOf(Math.min(...numbers))).click();
  }

  async #toTimeline() {
    await this.page
      .locator('.tabs-container .tab', { hasText: /^Round money/ })
      .first()
      .click();
    await this.timeline.getByRole('heading', { name: 'Round money like the gateway' }).waitFor();
  }

  /** Asks the agent for something, and waits until Loom has seen how the files were before it begins. */
  async #begin(prompt) {
    const seen = this.#starts();
    this.#now();
    this.#agent.user(prompt, 0).save();
    await until('the files before the turn are kept', () => this.#starts() > seen, 60_000);
  }

  #end(answer) {
    this.#agent.say(answer, 0).turnEnd(4200).save();
  }

  #now() {
    this.#agent.at = Date.now() + 5;
  }

  #starts() {
    const db = new Database(path.join(this.home, 'ledger/ledger.db'), { readonly: true });
    try {
      return db.prepare("SELECT count(*) FROM snapshots WHERE cause = 'turnStart'").pluck().get();
    } finally {
      db.close();
    }
  }

  /** What of the repository is the person's own: its refs, its configuration, what is staged. */
  #person() {
    const git = path.join(this.demo.folder, '.git');
    const read = (name) => fs.readFileSync(path.join(git, name), 'latin1');
    return {
      names: fs.readdirSync(git, { recursive: true }).toSorted((a, b) => (a < b ? -1 : 1)),
      head: read('HEAD'),
      config: read('config'),
      index: read('index'),
    };
  }

  #write(name, text) {
    fs.writeFileSync(path.join(this.demo.folder, name), text);
  }
  #read(name) {
    return fs.readFileSync(path.join(this.demo.folder, name), 'utf8');
  }
  #exists(name) {
    return fs.existsSync(path.join(this.demo.folder, name));
  }
}

const looks = [
  ['Light Modern', 'vs', 'light'],
  ['Dark High Contrast', 'hc-black', 'high-contrast'],
  ['Dark Modern', 'vs-dark', 'dark'],
];
