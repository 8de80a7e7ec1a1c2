/**
 * Continue in… as a person meets it, on the packaged extension: the choice, the review, the hand-over, the way back, the last choice again by
 * keys alone, a conflict, a thread that is being driven, a limit. The agents are stood in for by scripts that write down how they were started,
 * and what they would write into their sessions is written here.
 */
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { until } from './walk.mjs';

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const charge = /Fix the double charge/;

/** `started`: what the stand-ins wrote down. `demo`, `home`: as test/tools/demo-home.mjs made them. */
export class HandOverWalk {
  constructor({ walk, hands, page, demo, home, started }) {
    Object.assign(this, { walk, hands, page, demo, home, started });
  }

  get timeline() {
    return this.hands.timeline;
  }

  async all() {
    await this.theHandOver();
    await this.theWayBack();
    await this.theKeys();
    await this.theConflict();
    await this.theDrivenThread();
    await this.theLimit();
  }

  async theHandOver() {
    const { walk, hands, page, demo, started, timeline } = this;
    await walk.step('Continue in… offers what is installed, with what it will get, and the same agent after that', async () => {
      await timeline.getByRole('button', { name: 'Continue in…' }).click();
      await page.locator('.quick-input-title', { hasText: 'Fix the double charge' }).waitFor();
      const codex = hands.choice('Codex');
      await codex.waitFor();
      assert.match(await codex.getAttribute('aria-label'), /Codex.*native history.*verified/);
      const rows = await page.locator('.quick-input-list .monaco-list-row').allInnerTexts();
      const at = (name) => rows.findIndex((row) => row.startsWith(name));
      assert.ok(at('Codex') === 0 && at('Claude Code') > 0, `in this order: ${rows.join(', ')}`);
      await walk.picture('continue-in');
    });
    await walk.step('what does not arrive as it was is listed from there, and the list leads back', async () => {
      const codex = hands.choice('Codex');
      await codex.hover();
      await codex.getByRole('button', { name: /What Codex does not get/ }).click();
      await page.locator('.quick-input-title', { hasText: 'What Codex does not get as it was' }).waitFor();
      await hands.pick('Back to the agents');
      await page.locator('.quick-input-title', { hasText: 'Fix the double charge' }).waitFor();
      await hands.pick('Codex');
    });
    await walk.step('the baton is there to be read and changed before anything is sent', async () => {
      await this.#batonShows('Fix the double charge');
      await hands.lens('Send to Codex').waitFor();
      await hands.lens('Always for this pair in this workspace').waitFor();
      await hands.toast(/Continue “Fix the double charge” in Codex\?/).waitFor();
      await walk.picture('baton-review');
      assert.strictEqual(started.read('codex'), null, 'nothing was started');
      assert.strictEqual(this.codexSessions().length, 2, 'nothing was written');
    });
    await walk.step('everything that leaves can be seen', async () => {
      await hands.lens(/KB.*messages/).click();
      await page.locator('.editor-instance .view-lines', { hasText: 'Files that are named' }).waitFor();
      await hands.command('View: Close Editor');
      await hands.lens('Send to Codex').waitFor();
    });
    await walk.step('Send writes the session, and its terminal opens in the folder of the thread', async () => {
      await hands.lens('Send to Codex').click();
      const call = await until('codex was started', () => started.read('codex'), 60_000);
      assert.strictEqual(call[0], demo.folder);
      assert.strictEqual(call[1], 'resume');
      assert.match(call[2], uuid7);
      const text = fs.readFileSync(this.codexSession(call[2]), 'utf8');
      assert.match(text, /Customers are charged twice/);
      assert.match(text, /It is in `CHANGELOG\.md` now\./);
      await page.locator('.terminal-wrapper .xterm-rows', { hasText: 'codex resume' }).waitFor();
      this.codexId = call[2];
    });
    await walk.step('the thread is one row that names both, and its timeline shows the hand-over', async () => {
      await hands.row(/Fix the double charge.*Claude Code → Codex/).waitFor();
      await timeline
        .getByText(/Codex took over from Claude Code · baton .* KB .*native history/)
        .first()
        .waitFor();
      assert.strictEqual(await hands.row(charge).count(), 1);
    });
    await walk.step('what Codex does then belongs to the same thread', async () => {
      this.codexWrites('Go on with the admin page.', 'The admin page asks for a reason now.');
      await timeline.getByText('The admin page asks for a reason now.').waitFor();
      await hands.row(/Fix the double charge.*5 turns/).waitFor();
      assert.strictEqual(await hands.row(/Go on with the admin page/).count(), 0);
    });
  }

  async theWayBack() {
    const { walk, hands, demo, started, timeline } = this;
    const { file, sessionId } = demo.sessions.claude;
    const back = timeline.getByRole('button', { name: 'Return to Claude Code with 1 new turn' });
    await walk.step('the hand-over in the timeline offers the way back, with what is new', async () => {
      await back.waitFor();
      await walk.picture('handed-over');
    });
    await walk.step('the way back sends only what is new, to the end of the session that was left', async () => {
      const before = fs.readFileSync(file);
      started.forget();
      await back.click();
      await hands.lens('Send to Claude Code').waitFor({ timeout: 60_000 });
      await hands.lens(/only what is new/).waitFor();
      await hands.command('Loom: Send baton, always for this pair in this workspace');
      const call = await until('claude was started', () => started.read('claude'), 60_000);
      assert.deepStrictEqual(call, [demo.folder, '--resume', sessionId]);
      const after = fs.readFileSync(file);
      assert.ok(after.subarray(0, before.length).equals(before), 'nothing that was there has changed');
      const added = after.subarray(before.length).toString();
      assert.match(added, /The admin page asks for a reason now\./);
      assert.doesNotMatch(added, /The gateway then answers a repeat/, 'and not what it knows already');
    });
    await walk.step('the same thread goes on in the session that was left', async () => {
      await timeline
        .getByText(/Claude Code took over from Codex .*only what was new/)
        .first()
        .waitFor();
      this.claudeWrites('Now the last caller.', 'All callers send a key.');
      await timeline.getByText('All callers send a key.').waitFor();
      assert.strictEqual(await hands.row(charge).count(), 1);
    });
  }

  async theKeys() {
    const { walk, hands, page, started, timeline } = this;
    await walk.step('by keys alone: the hotkey asks where there is no last choice that fits, and Alt+Enter sends', async () => {
      started.forget();
      // So that every row is in an open group.
      await hands.command('Loom: Group by harness');
      await hands.focusRow(charge);
      await page.keyboard.press('Control+K');
      await page.keyboard.press('l');
      await page.locator('.quick-input-title', { hasText: 'Fix the double charge' }).waitFor();
      await hands.choice('return with 1 new turn').waitFor();
      await page.keyboard.press('Enter');
      await this.#batonShows('Loom');
      await hands.lens('Send to Codex').waitFor();
      await page.keyboard.press('Alt+Enter');
      const call = await until('codex was started', () => started.read('codex'), 60_000);
      assert.strictEqual(call[2], this.codexId, 'in the session that it had');
      await timeline
        .getByText(/Codex took over from Claude Code .*only what was new/)
        .first()
        .waitFor();
    });
    await walk.step(
      'by keys alone: the last choice again, with one confirmation, for another thread, and agreed for good',
      async () => {
        started.forget();
        await hands.focusRow(/Parse duration strings/);
        await page.keyboard.press('Control+K');
        await page.keyboard.press('l');
        await page.locator('.quick-input-title', { hasText: 'Continue “Parse duration strings” in Codex?' }).waitFor();
        await hands.choice('Always for this pair in this workspace').waitFor();
        await walk.picture('continue-again');
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        const call = await until('codex was started', () => started.read('codex'), 60_000);
        assert.match(fs.readFileSync(this.codexSession(call[2]), 'utf8'), /parseDuration/);
      },
    );
    await walk.step('what was agreed for good is not asked again, and can be taken back', async () => {
      started.forget();
      await hands.focusRow(/Release notes for 2\.4/);
      await page.keyboard.press('Control+K');
      await page.keyboard.press('l');
      await hands.choice('Send to Codex').waitFor();
      assert.strictEqual(await hands.choice('Always for this pair').count(), 0);
      await page.keyboard.press('Enter');
      await until('codex was started', () => started.read('codex'), 60_000);
      await hands.command('Loom: Forget agreements for this workspace');
      await hands.toast(/2 agreements forgotten/).waitFor();
      await hands.clearToasts();
      await hands.command('Loom: Group by time');
    });
  }

  async theConflict() {
    const { walk, hands, page, timeline } = this;
    const bar = timeline.locator('.branch-note.conflict');
    await walk.step('the old session goes on: the thread says so and merges nothing', async () => {
      // By its tab: rows still move to their new groups.
      await page.locator('.tabs-container .tab', { hasText: 'Fix the double charge' }).click();
      await timeline.getByRole('heading', { name: 'Fix the double charge' }).waitFor();
      await hands.row(/^Today/).waitFor();
      this.claudeWrites('I went on here by mistake.', 'Then I will change the admin page as well.');
      await bar.getByText('Claude Code went on in its old session').waitFor({ timeout: 60_000 });
      await hands.row(/Fix the double charge.*conflict.*went on in its old session/).waitFor();
      await hands.toast(/Claude Code went on in its old session/).waitFor();
      assert.strictEqual(await timeline.getByText('Then I will change the admin page as well.').count(), 0);
      await walk.picture('conflict');
      await hands.clearToasts();
    });
    for (const [theme, kind, name] of [
      ['Light Modern', 'vs', 'light'],
      ['Dark High Contrast', 'hc-black', 'high-contrast'],
      ['Dark Modern', 'vs-dark', 'dark'],
    ]) {
      await walk.step(`the conflict and the hand-over can be read in ${name}`, async () => {
        await hands.theme(theme, kind);
        await bar.waitFor();
        if (name !== 'dark') await walk.picture(`conflict-${name}`);
      });
    }
    await walk.step('what it wrote is seen from there, as what it is', async () => {
      await bar.getByRole('button', { name: 'See it' }).click();
      await timeline.getByText('Then I will change the admin page as well.').waitFor();
      await timeline.getByText('This is what Claude Code wrote in its old session after the hand-over.').waitFor();
      await timeline.getByRole('button', { name: 'Show the current line' }).click();
    });
    await walk.step('Keep Codex ends it, and the thread is as it was', async () => {
      await bar.getByRole('button', { name: 'Keep Codex' }).click();
      await bar.waitFor({ state: 'detached' });
      await until(
        'the row says nothing more of it',
        async () => (await hands.row(/Fix the double charge.*conflict/).count()) === 0,
      );
    });
    await walk.step('Follow Claude Code, by keys alone, gives the thread to the old session', async () => {
      this.claudeWrites('No, I stay here.', 'Then here it is.');
      await bar.waitFor({ timeout: 60_000 });
      await hands.clearToasts();
      await hands.command('Loom: End the conflict: follow the old session');
      await bar.waitFor({ state: 'detached' });
      await timeline.getByText('Then here it is.').waitFor();
    });
  }

  async theDrivenThread() {
    const { walk, hands, page, home, demo, timeline } = this;
    const driver = spawn('sleep', ['600'], { stdio: 'ignore' });
    const registry = path.join(home, '.claude/sessions', `${driver.pid}.json`);
    const doing = (status) => {
      fs.mkdirSync(path.dirname(registry), { recursive: true });
      const { sessionId } = demo.sessions.claude;
      fs.writeFileSync(registry, JSON.stringify({ pid: driver.pid, sessionId, cwd: demo.folder, status, entrypoint: 'cli' }));
    };
    try {
      await walk.step('a thread that is being driven says by whom, and offers to wait, to watch and to fork', async () => {
        doing('busy');
        await hands.row(/Fix the double charge.*working/).waitFor({ timeout: 60_000 });
        await timeline.getByRole('button', { name: 'Continue in…' }).click();
        await hands.pick('Codex');
        await page.locator('.quick-input-title', { hasText: 'is being driven' }).waitFor();
        assert.match(
          await page.locator('.quick-input-widget:visible input[type="text"]').getAttribute('placeholder'),
          new RegExp(`Claude Code.*${driver.pid}`),
        );
        for (const name of ['Wait', 'Watch', 'Fork from the last turn']) await hands.choice(name).waitFor();
        await walk.picture('driven');
      });
      await walk.step('Wait goes on by itself when the thread turns idle', async () => {
        await hands.pick('Wait');
        await hands.toast(/Waiting until “Fix the double charge” is idle/).waitFor();
        assert.strictEqual(await hands.lens('Send to Codex').count(), 0);
        doing('idle');
        await hands.lens('Send to Codex').waitFor({ timeout: 60_000 });
        await hands.command('Loom: Cancel hand-over');
        await hands.lens('Send to Codex').waitFor({ state: 'detached' });
      });
      await walk.step('Wait can be given up', async () => {
        doing('busy');
        await hands.row(/Fix the double charge.*working/).waitFor({ timeout: 60_000 });
        await hands.row(charge).click();
        await timeline.getByRole('button', { name: 'Continue in…' }).click();
        await hands.pick('Codex');
        await hands.pick('Wait');
        const waiting = hands.toast(/Waiting until/);
        await waiting.getByRole('button', { name: 'Cancel' }).click();
        await waiting.waitFor({ state: 'detached' });
      });
    } finally {
      driver.kill();
      fs.rmSync(registry, { force: true });
    }
  }

  async theLimit() {
    const { walk, hands, page } = this;
    await walk.step('a limit that ends a turn is told once, with the way to go on elsewhere', async () => {
      await hands.clearToasts();
      const ends = new Date(Date.now() + 3 * 3_600_000).getUTCHours();
      this.claudeWrites('One more thing.', null);
      this.claudeLimit(`You've hit your session limit · resets ${ends % 12 || 12}${ends < 12 ? 'am' : 'pm'} (UTC)`);
      const toast = hands.toast(/Claude Code hit its limit \(resets .*\)\. Continue “Fix the double charge” in another agent\?/);
      await toast.waitFor({ timeout: 60_000 });
      await hands.row(/Fix the double charge.*stopped at a limit/).waitFor();
      await walk.picture('limit');
      await toast.getByRole('button', { name: 'Continue in…' }).click();
      await page.locator('.quick-input-title', { hasText: 'Fix the double charge' }).waitFor();
      await page.keyboard.press('Escape');
      assert.strictEqual(await hands.toast(/hit its limit/).count(), 0, 'and is not told again');
    });
  }

  async #batonShows(words) {
    await this.page.locator('.editor-instance .view-lines', { hasText: words }).first().waitFor({ timeout: 60_000 });
  }

  codexSessions() {
    const folder = path.join(this.home, '.codex/sessions');
    return fs
      .readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => path.join(folder, name));
  }

  codexSession(id) {
    const found = this.codexSessions().find((file) => file.includes(id));
    assert.ok(found, 'the session that it resumes was written');
    return found;
  }

  /** A turn at the end of the session that Codex was last resumed on. */
  codexWrites(prompt, answer) {
    const said = (role, type, text) => ['response_item', { type: 'message', role, content: [{ type, text }] }];
    const turn = `turn-${Date.now()}`;
    const rows = [
      ['event_msg', { type: 'task_started', turn_id: turn, model_context_window: 258_400 }],
      said('user', 'input_text', prompt),
      ['event_msg', { type: 'user_message', message: prompt, images: [] }],
      ['event_msg', { type: 'agent_message', message: answer }],
      said('assistant', 'output_text', answer),
      ['event_msg', { type: 'task_complete', turn_id: turn, last_agent_message: answer }],
    ];
    const lines = rows.map(([type, payload]) => `${JSON.stringify({ timestamp: new Date().toISOString(), type, payload })}\n`);
    fs.appendFileSync(this.codexSession(this.codexId), lines.join(''));
  }

  /** A turn at the end of Claude Code's own session, wherever that now is. `answer`: null, it is still to come. */
  claudeWrites(prompt, answer) {
    const { claude } = this.demo.sessions;
    claude.at = Date.now() - 1000;
    claude.rewind(this.#lastClaudeRow().uuid).user(prompt, 0);
    if (answer !== null) claude.say(answer, 0).turnEnd(1000);
    claude.save();
  }

  /** As the program writes it when the service says no (2.1.332). */
  claudeLimit(text) {
    const { claude } = this.demo.sessions;
    const last = this.#lastClaudeRow();
    const row = {
      ...last,
      parentUuid: last.uuid,
      type: 'assistant',
      uuid: crypto.randomUUID(),
      timestamp: new Date().toISOString(),
      message: {
        id: crypto.randomUUID(),
        model: '<synthetic>',
        role: 'assistant',
        type: 'message',
        stop_reason: 'stop_sequence',
        content: [{ type: 'text', text }],
      },
      error: 'rate_limit',
      isApiErrorMessage: true,
      apiErrorStatus: 429,
    };
    fs.appendFileSync(claude.file, `${JSON.stringify(row)}\n`);
  }

  #lastClaudeRow() {
    const rows = fs.readFileSync(this.demo.sessions.claude.file, 'utf8').trimEnd().split('\n');
    return rows.map((row) => JSON.parse(row)).findLast((row) => typeof row.uuid === 'string');
  }
}
