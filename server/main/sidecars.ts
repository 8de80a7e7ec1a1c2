/** Small files beside sessions, read for shuttles and kept while they do not change. Never a link, never more than 32 MiB (lists of sessions grow). */
import fs from 'node:fs';
import type { Sidecars } from '../../shuttles/contract/read.ts';

const largest = 32 * 1024 * 1024;

export class DiskSidecars implements Sidecars {
  readonly #texts = new Map<string, { readonly size: number; readonly mtimeMs: number; readonly text: string }>();

  text = (path: string): string | undefined => {
    try {
      const stat = fs.lstatSync(path);
      if (!stat.isFile() || stat.size > largest) return undefined;
      const known = this.#texts.get(path);
      if (known !== undefined && known.size === stat.size && known.mtimeMs === stat.mtimeMs) return known.text;
      const text = fs.readFileSync(path, 'utf8');
      this.#texts.set(path, { size: stat.size, mtimeMs: stat.mtimeMs, text });
      if (this.#texts.size > 4096) this.#texts.delete(this.#texts.keys().next().value ?? '');
      return text;
    } catch (error) {
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  };

  list = (folder: string): readonly string[] => {
    try {
      return fs.readdirSync(folder);
    } catch (error) {
      if (error instanceof Error && 'code' in error) return [];
      throw error;
    }
  };
}
