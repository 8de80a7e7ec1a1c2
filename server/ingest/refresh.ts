/**
 * Sessions of which a small file beside them says something new: their facts are taken in again, and none of their records. Only a session
 * that is told to be another one's import is read anew, in its origin's thread (rehome.ts).
 */
import { isDeepStrictEqual } from 'node:util';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { Reader } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import { importedOrigin } from './adoption.ts';
import { mergeFacts, parseFacts } from './facts.ts';
import type { IngestOptions } from './ingest.ts';
import { rehome } from './rehome.ts';
import { SidecarChanges } from './sidecar-changes.ts';
import type { ReadRequest } from './source-reader.ts';

/** After a start, as many of the sessions written last are looked at for what changed beside them meanwhile. */
const newestFollowed = 512;

export class Refresh {
  readonly #options: IngestOptions;
  readonly #changes: SidecarChanges;
  #first = true;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#changes = new SidecarChanges(options.sidecars);
  }

  /** The file was read: what lies beside its session is followed from now on. */
  follow(shuttle: Shuttle, path: string): void {
    this.#changes.follow(shuttle, path);
  }

  /** `read`: reads the source, as far as the second argument says. */
  async run(read: (request: ReadRequest, isWhole: boolean) => Promise<void>, stopped: () => boolean): Promise<void> {
    const { ledger, shuttles, environment, onThreadChanged } = this.#options;
    if (this.#first) this.#followNewest();
    this.#first = false;
    for (const shuttle of shuttles) {
      if (shuttle.reader.sidecarFacts === undefined) continue;
      for (const { native, source } of this.#touched(shuttle)) {
        if (stopped()) return;
        const parent = native.child_of === null ? undefined : ledger.natives.byNumber(native.child_of);
        const told = shuttle.reader.sidecarFacts(identityOf(native, source, parent), source.path, this.#options.sidecars);
        const facts = parseFacts(native.facts);
        if (isDeepStrictEqual(mergeFacts(facts, told), facts)) continue;
        const root = shuttle.find.roots(environment).find(({ path }) => isBelow(source.path, path));
        if (root === undefined) continue;
        const origin = native.child_of === null ? importedOrigin(ledger, told) : undefined;
        const left = origin === undefined ? undefined : rehome(ledger, native, origin);
        const known = ledger.sources.byNumber(source.number) ?? source;
        await read({ path: source.path, root: root.path, shuttle, known, alone: true }, left !== undefined);
        if (left !== undefined) onThreadChanged(left);
      }
    }
  }

  *#touched(shuttle: Shuttle): Iterable<{ readonly native: NativeRow; readonly source: SourceRow }> {
    const { ledger, environment } = this.#options;
    for (const id of this.#changes.changed(shuttle, environment)) {
      const native = ledger.natives.byNativeId(shuttle.harness, id);
      const source =
        native === undefined ? undefined : ledger.sources.byNative(native.number).find(({ status }) => status === 'current');
      if (native !== undefined && source !== undefined) yield { native, source };
    }
    for (const path of this.#changes.changedBesides(shuttle)) {
      const source = ledger.sources.byPath(path);
      const native = source?.native === undefined || source.native === null ? undefined : ledger.natives.byNumber(source.native);
      if (source?.status === 'current' && native !== undefined) yield { native, source };
    }
  }

  #followNewest(): void {
    const { ledger, shuttles, environment } = this.#options;
    const newest = ledger.sources.newest(newestFollowed).toReversed();
    for (const shuttle of shuttles) {
      if (shuttle.find.besides === undefined) continue;
      const roots = shuttle.find.roots(environment);
      for (const { path } of newest) if (roots.some((root) => isBelow(path, root.path))) this.#changes.follow(shuttle, path);
    }
  }
}

type Identity = Parameters<NonNullable<Reader['sidecarFacts']>>[0];

function identityOf(native: NativeRow, source: SourceRow, parent: NativeRow | undefined): Identity {
  return {
    nativeId: native.native_id,
    part: source.part,
    needs: [],
    ...(parent === undefined ? {} : { childOf: { nativeId: parent.native_id } }),
  };
}
