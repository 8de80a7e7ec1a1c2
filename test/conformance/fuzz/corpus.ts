/** Real records of every harness, each with the file that it came from: what fuzzing starts with. Containers give theirs through their shuttle. */
import fs from 'node:fs';
import path from 'node:path';
import type { Held } from '../../../shuttles/contract/container.ts';
import type { HarnessId } from '../../../shuttles/contract/harness.ts';
import type { JsonObject } from '../../../shuttles/contract/json.ts';
import type { NativeRecord, Sidecars } from '../../../shuttles/contract/read.ts';
import { RecordCutter } from '../../../shuttles/kit/records.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { fixtures } from '../../home-ledger.ts';
import { copiedDatabase } from '../../openclaw-home.ts';
import { homes, TempFolder } from '../facts/homes.ts';

export const noSidecars: Sidecars = { text: () => undefined, list: () => [] };

/** One session as its shuttle is given it. */
export interface Session {
  readonly path: string;
  readonly values: readonly JsonObject[];
}

/** Longer records make the runs slow and are looked at by each harness's own tests. */
const longest = 20_000;
const mostRecords = 60;

const forms: Readonly<Record<HarnessId, RegExp>> = {
  claude: /\.claude\/projects\/.*\.jsonl$/,
  codex: /\.codex\/sessions\/.*\.jsonl$/,
  pi: /\.(?:pi|omp)\/agent\/sessions\/.*\.jsonl$/,
  openclaw: /\.openclaw\/agents\/.*\.(?:jsonl(?:\.reset\.[^/]*)?|sqlite)$/,
  gemini: /\.gemini\/tmp\/.*\/chats\/.*\.jsonl$/,
  antigravity: /\.gemini\/antigravity[^/]*\/(?:conversations\/.*\.db|brain\/.*(?:\.jsonl|task\.md))$/,
};
const folders: Readonly<Record<HarnessId, string>> = {
  claude: 'claude',
  codex: 'codex',
  pi: 'pi',
  openclaw: 'openclaw',
  gemini: 'gemini',
  antigravity: 'antigravity',
};

/** Of the recorded sessions, and of the one that is made by hand. */
export function sessionsOf(harness: HarnessId): readonly Session[] {
  using folder = new TempFolder();
  homes().get(`made ${harness}`)?.(folder.path);
  return [...below(harness, path.join(fixtures, folders[harness])), ...below(harness, folder.path)];
}

function below(harness: HarnessId, root: string): readonly Session[] {
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => forms[harness].test(`/${name.replaceAll('\\', '/')}`))
    .toSorted()
    .flatMap((name) => {
      // As it would lie below a home.
      const shown = `/home/user/${name.slice(Math.max(0, name.search(/\.(?:claude|codex|pi|omp|openclaw|gemini)\//)))}`;
      return sessionsIn(harness, path.join(root, name), shown);
    })
    .filter(({ values }) => values.length > 0);
}

function sessionsIn(harness: HarnessId, file: string, shown: string): readonly Session[] {
  const container = shuttles.find((shuttle) => shuttle.harness === harness)?.container;
  if (file.endsWith('.jsonl') || file.includes('.jsonl.reset')) {
    const cutter = new RecordCutter();
    return [{ path: shown, values: valuesIn([...cutter.feed(fs.readFileSync(file)), ...cutter.finish()]) }];
  }
  if (container === undefined) return [];
  if (file.endsWith('.md')) return heldSessions({ form: 'document', path: shown, text: fs.readFileSync(file, 'utf8') });
  using database = copiedDatabase(file);
  return heldSessions({ form: 'database', path: shown, tables: database.tables });

  function heldSessions(held: Held): readonly Session[] {
    const listed = container?.sessions(held, noSidecars);
    if (listed === undefined || 'refused' in listed) return [];
    return listed.sessions.map(({ name }) => ({
      path: `${held.path}#${name}`,
      values: valuesIn([...(container?.records(held, name, 0, noSidecars) ?? [])]),
    }));
  }
}

function valuesIn(records: readonly NativeRecord[]): readonly JsonObject[] {
  return records
    .flatMap((record) => (record.ok && JSON.stringify(record.value).length < longest ? [record.value] : []))
    .slice(0, mostRecords);
}
