/** The homes that facts are looked for in: every fixture and case as it was recorded, and one home a harness that is made by hand. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import { cases, fixtures } from '../../home-ledger.ts';
import { antigravityFacts } from './antigravity.ts';
import { claudeFacts } from './claude.ts';
import { codexFacts } from './codex.ts';
import type { Found } from './fact.ts';
import { geminiFacts } from './gemini.ts';
import { makeAntigravity } from './made-antigravity.ts';
import { makeClaude } from './made-claude.ts';
import { makeCodex } from './made-codex.ts';
import { makeGemini } from './made-gemini.ts';
import { makeOpenclaw } from './made-openclaw.ts';
import { makePi } from './made-pi.ts';
import { openclawFacts } from './openclaw.ts';
import { piFacts } from './pi.ts';

export const scripts: Readonly<Record<HarnessId, (home: string) => Found>> = {
  claude: claudeFacts,
  codex: codexFacts,
  pi: piFacts,
  openclaw: openclawFacts,
  gemini: geminiFacts,
  antigravity: antigravityFacts,
};
const makers: Readonly<Record<HarnessId, (home: string) => void>> = {
  claude: makeClaude,
  codex: makeCodex,
  pi: makePi,
  openclaw: makeOpenclaw,
  gemini: makeGemini,
  antigravity: makeAntigravity,
};

/** Copies the home, or makes it, into an empty folder. */
export type Home = (folder: string) => void;

export function homes(): ReadonlyMap<string, Home> {
  const found = new Map<string, Home>();
  const copy = (name: string, from: string): void =>
    void found.set(name, (folder) => fs.cpSync(from, folder, { recursive: true, verbatimSymlinks: true }));
  for (const harness of folders(fixtures))
    for (const name of folders(path.join(fixtures, harness)))
      if (harness !== 'claude-desktop') copy(`${harness}/${name}`, path.join(fixtures, harness, name));
  for (const name of folders(cases)) {
    const home = path.join(cases, name, 'home');
    if (fs.existsSync(home)) copy(`case ${name}`, home);
  }
  found.set('claude-desktop', (folder) => {
    const desktop = path.join(fixtures, 'claude-desktop');
    fs.cpSync(path.join(desktop, 'home'), folder, { recursive: true });
    fs.cpSync(path.join(desktop, 'Claude'), path.join(folder, '.config/Claude'), { recursive: true });
  });
  for (const [harness, make] of Object.entries(makers)) found.set(`made ${harness}`, make);
  return found;
}

export class TempFolder implements Disposable {
  readonly path = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-facts-'));
  [Symbol.dispose](): void {
    fs.rmSync(this.path, { recursive: true, force: true });
  }
}

function folders(folder: string): readonly string[] {
  return fs.readdirSync(folder).filter((name) => fs.statSync(path.join(folder, name)).isDirectory());
}
