import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FolderWatches } from './folder-watches.ts';
import type { WatchFolder } from './folder-watches.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loom-watches-'));
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A system with so many watches to give, which all work. */
function systemWith(most: number, code: string): WatchFolder {
  let given = 0;
  return (at) => {
    if (!fs.existsSync(at)) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'watch' });
    if (given >= most) throw Object.assign(new Error(code), { code, syscall: 'watch' });
    given++;
    return Object.assign(new EventEmitter(), { close: () => given-- }) as unknown as fs.FSWatcher;
  };
}
const make = (...names: readonly string[]): string[] =>
  names.map((name) => {
    fs.mkdirSync(path.join(folder, name), { recursive: true });
    return path.join(folder, name);
  });

test.each(['ENOSPC', 'EMFILE'])(
  'a system that gives no more watches (%s) leaves the rest to the sweep and says how many',
  (code) => {
    using watches = disposed(new FolderWatches({ onEvent: () => undefined, watch: systemWith(2, code) }));
    const [a = '', b = '', c = '', d = ''] = make('a', 'b', 'c', 'd');
    expect(watches.of.follow([a, b, c, d])).toEqual({ code, folders: 2 });
    expect(watches.of.size).toBe(2);
    // Those that are no longer wanted are given back, and then there is room.
    expect(watches.of.follow([c, d])).toBeUndefined();
    expect(watches.of.size).toBe(2);
  },
);

test('a folder that is not there is no refusal', () => {
  using watches = disposed(new FolderWatches({ onEvent: () => undefined }));
  expect(watches.of.follow([path.join(folder, 'none')])).toBeUndefined();
  expect(watches.of.size).toBe(0);
});

test('a file that is written to is named; one that comes or goes names its folder', async () => {
  const [a = ''] = make('a');
  const file = path.join(a, 's.jsonl');
  fs.writeFileSync(file, 'x');
  const heard: (string | null)[] = [];
  let wake = (): void => undefined;
  using watches = disposed(
    new FolderWatches({
      onEvent: (at, changed) => {
        expect(at).toBe(a);
        heard.push(changed);
        wake();
      },
    }),
  );
  watches.of.follow([a]);
  const hears = async (wanted: string | null): Promise<void> => {
    while (!heard.includes(wanted)) await new Promise<void>((resolve) => (wake = resolve));
    heard.length = 0;
  };
  fs.appendFileSync(file, 'y');
  await hears(file);
  fs.rmSync(file);
  await hears(null);
});

function disposed(of: FolderWatches): { readonly of: FolderWatches } & Disposable {
  return { of, [Symbol.dispose]: () => of.close() };
}
