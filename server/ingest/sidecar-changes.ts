/**
 * Notices that a small file beside the sessions changed, and names the sessions it may be about: those whose ids stand in the lines that
 * are new or gone. A title that a harness changes there is so seen without a change of any session file, at the cost of that small file.
 * Files that belong to one session alone (`Find.besides`) are looked at for the sessions that were read last.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { attempt } from '../../shuttles/kit/error-code.ts';

interface Seen {
  readonly stamp: string;
  readonly lines: ReadonlySet<string>;
}

/** Levels of folders below a sidecar path that is a folder, and files in all of them. */
const depth = 3;
const mostFiles = 4096;
/** Sessions whose own small files are looked at: one `lstat` each. */
const mostFollowed = 512;
const unknown = '?';
const idForm = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/giu;

export class SidecarChanges {
  readonly #sidecars: Sidecars;
  readonly #seen = new Map<string, Seen>();
  /** Paths of session files, the one read last at the end, with the stamps of what lies beside them. */
  readonly #followed = new Map<string, { readonly of: Shuttle; readonly stamp: string }>();

  constructor(sidecars: Sidecars) {
    this.#sidecars = sidecars;
  }

  /** The session in that file was read. What lay beside it then is not known for certain: it is named once. */
  follow(shuttle: Shuttle, file: string): void {
    if (shuttle.find.besides === undefined) return;
    const before = this.#followed.get(file);
    this.#followed.delete(file);
    this.#followed.set(file, before ?? { of: shuttle, stamp: unknown });
    if (this.#followed.size > mostFollowed) this.#followed.delete(this.#followed.keys().next().value ?? '');
  }

  /** Session files of which a small file of their own changed since. */
  changedBesides(shuttle: Shuttle): readonly string[] {
    const changed: string[] = [];
    for (const [file, { of, stamp }] of this.#followed) {
      if (of !== shuttle) continue;
      const now = (shuttle.find.besides?.(file) ?? []).map(stampOf).join(' ');
      if (now === stamp) continue;
      this.#followed.set(file, { of, stamp: now });
      changed.push(file);
    }
    return changed;
  }

  /** Native ids, in lower case. The first time, those of every line: nobody knows what was written while nobody looked. */
  changed(shuttle: Shuttle, environment: Environment): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const place of shuttle.find.sidecarPaths(environment))
      for (const file of filesAt(place)) {
        const stamp = stampOf(file);
        const before = this.#seen.get(file);
        if (stamp === undefined || before?.stamp === stamp) continue;
        const lines = new Set((this.#sidecars.text(file) ?? '').split('\n'));
        for (const line of lines) if (before?.lines.has(line) !== true) addIds(line, ids);
        for (const line of before?.lines ?? []) if (!lines.has(line)) addIds(line, ids);
        this.#seen.set(file, { stamp, lines });
      }
    return ids;
  }
}

function addIds(line: string, ids: Set<string>): void {
  for (const [id] of line.matchAll(idForm)) ids.add(id.toLowerCase());
}

function filesAt(place: string): readonly string[] {
  const files: string[] = [];
  const folders = [{ at: place, level: 0 }];
  for (let folder = folders.pop(); folder !== undefined && files.length < mostFiles; folder = folders.pop()) {
    const { at, level } = folder;
    const names = attempt(() => fs.readdirSync(at, { withFileTypes: true }));
    if (names === undefined) {
      if (level === 0) files.push(at);
      continue;
    }
    for (const name of names)
      if (name.isFile() && name.name.endsWith('.json')) files.push(at + path.sep + name.name);
      else if (name.isDirectory() && level < depth) folders.push({ at: at + path.sep + name.name, level: level + 1 });
  }
  return files;
}

function stampOf(file: string): string | undefined {
  const stats = attempt(() => fs.lstatSync(file));
  return stats?.isFile() === true ? `${stats.ino}:${stats.size}:${stats.mtimeMs}` : undefined;
}
