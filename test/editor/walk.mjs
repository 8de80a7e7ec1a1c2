/**
 * A walk through the workbench as a person would take it: named steps, each bounded in time and kept as a picture in test-results/, so
 * that a red one can be looked at. A step that fails does not end the walk.
 */
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { results, root } from '../tools/places.mjs';

const stepLimitMs = 90_000;

export class Walk {
  #n = 0;
  #pictures;
  passed = 0;
  failed = 0;

  constructor(page, pictures) {
    this.page = page;
    this.#pictures = path.join(results, pictures);
    fs.rmSync(this.#pictures, { recursive: true, force: true });
    fs.mkdirSync(this.#pictures, { recursive: true });
  }

  async step(name, play) {
    const began = Date.now();
    const number = String(++this.#n).padStart(2, '0');
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${stepLimitMs / 1000} s`)), stepLimitMs);
    });
    let problem = null;
    try {
      await Promise.race([play(), late]);
      this.passed++;
    } catch (error) {
      problem = error;
      this.failed++;
    }
    clearTimeout(timer);
    console.log(`  ${problem === null ? 'ok  ' : 'FAIL'} ${name} (${Date.now() - began} ms)`);
    if (problem !== null) console.log(`       ${String(problem.message).slice(0, 2000).replaceAll('\n', '\n       ')}`);
    const file = `${number}-${name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)}.png`;
    await this.page.screenshot({ path: path.join(this.#pictures, file) }).catch(() => undefined);
  }

  /** A part that fails between its steps counts as one that failed, and the next one begins without what it left open. */
  async part(name, play) {
    try {
      await play();
    } catch (error) {
      this.failed++;
      console.log(`  FAIL ${name}: ${String(error.message).slice(0, 2000).replaceAll('\n', '\n       ')}`);
      await this.page.keyboard.press('Escape').catch(() => undefined);
    }
  }

  /** A picture for the README; written into media/ only with UPDATE_SCREENSHOTS=1. */
  async picture(name) {
    const file = path.join(this.#pictures, `${name}.png`);
    await this.page.screenshot({ path: file });
    if (process.env.UPDATE_SCREENSHOTS !== '1') return;
    const kept = path.join(root, 'media/screenshots');
    fs.mkdirSync(kept, { recursive: true });
    fs.copyFileSync(file, path.join(kept, `${name}.png`));
  }
}

/** Asks until it is so; files and other processes tell no test when they are ready. */
export async function until(what, ask, limitMs = 20_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`It did not come to pass: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
