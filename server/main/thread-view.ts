/** From a thread's rows to what the list shows and `loom threads --json` prints. */
import { parseFacts } from '../ingest/facts.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { ThreadState, ThreadView } from '../protocol/views.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Fidelity } from '../../shuttles/contract/read.ts';
import type { Holder } from '../../shuttles/contract/shuttle.ts';
import { activityOf } from '../drive/liveness.ts';
import { returnsOf } from './returns.ts';
import { partsOfHeld } from '../../shuttles/kit/held-session.ts';

/** Live processes by native session (`claude:<id>`): more than one when a session is open twice. */
export type Holders = ReadonlyMap<string, readonly Holder[]>;

export function holderKey(harness: HarnessId, nativeId: string): string {
  return `${harness}:${nativeId}`;
}

/** The parts of such a key. */
export function harnessAndId(key: string): readonly [HarnessId, string] {
  const at = key.indexOf(':');
  return [key.slice(0, at) as HarnessId, key.slice(at + 1)];
}

/** `project`: the key of a folder (project-folder.ts); absent: each spelling stands for itself. */
export function threadView(ledger: Ledger, row: ThreadRow, holders: Holders, project?: (cwd: string) => string): ThreadView {
  const key = project?.(row.cwd) ?? row.cwd;
  const natives = ledger.natives.byThread(row.number);
  const own = natives.filter((native) => native.child_of === null || row.child === 1);
  const held = own.flatMap((native) =>
    (holders.get(holderKey(native.harness, native.native_id)) ?? []).map((holder) => ({ native, holder })),
  );
  // After a hand-over a process that has another of its sessions open drives nothing.
  const driver = held.find(({ native }) => native.number === row.current_native) ?? (row.lease_epoch === 0 ? held[0] : undefined);
  const current = own.find((native) => native.number === row.current_native);
  const ordered = current === undefined ? own : [...own.filter((native) => native !== current), current];
  const fidelity = fidelityOf(current ?? own[0]);
  const unread = own.flatMap((native) => ledger.sources.unfinished(native.number));
  const changes = ledger.snapshots?.totalsOf(row.number);
  return {
    id: row.id,
    title: row.title === '' ? 'Untitled' : row.title,
    harness: row.harness,
    surface: row.surface,
    cwd: row.cwd,
    ...(key === row.cwd ? {} : { project: key }),
    repo: row.repo,
    branch: row.branch,
    createdAt: row.created_at,
    updatedAt: Math.max(row.updated_at, ...unread.map(({ mtime }) => Math.floor(mtime))),
    turns: row.turns,
    entries: row.entries,
    live: driver !== undefined,
    state: stateOf(row, driver?.holder),
    driver:
      driver === undefined
        ? null
        : { harness: driver.native.harness, pid: driver.holder.pid, surface: driver.holder.surface ?? null },
    automation: row.automation === 1,
    archived: row.archived === 1,
    sourceGone: row.source_gone === 1,
    importedFrom: row.imported_from,
    ...(unread.length === 0 ? {} : { reading: true }),
    ...(fidelity === 'native' ? {} : { fidelity }),
    parent: row.parent_thread === null ? null : { thread: row.parent_thread, entry: row.parent_entry },
    // One that a harness has yet to begin has no file and no id of its own.
    native: ordered
      .filter(({ path }) => path !== '')
      .map((native) => ({ harness: native.harness, id: native.native_id, path: fileOf(native.path) })),
    children: natives
      .filter((native) => native.child_of !== null && row.child === 0)
      .map((native) => ({
        conversation: ledger.branches.byNative(native.number)[0]?.conversation ?? 0,
        title: native.child_title ?? '',
        nativeId: native.native_id,
      })),
    model: row.model,
    usage: {
      input: row.usage_input,
      output: row.usage_output,
      cacheRead: row.usage_cache_read,
      cacheWrite: row.usage_cache_write,
    },
    lease: leaseView(ledger, row),
    conflict: conflictView(ledger, row, own),
    returns: returnsOf(ledger, row),
    stopped: ledger.stops?.of(row.number) ?? null,
    ...(changes === undefined ? {} : { changes }),
  };
}

function leaseView(ledger: Ledger, row: ThreadRow): ThreadView['lease'] {
  if (row.lease_harness === null) return null;
  const since = ledger.leases?.newest(row.number)?.acquired_at ?? row.updated_at;
  return { epoch: row.lease_epoch, holder: row.lease_harness, since };
}

/** The oldest one that is open, so that what a person looks at does not change under their hands. */
function conflictView(ledger: Ledger, row: ThreadRow, own: readonly NativeRow[]): ThreadView['conflict'] {
  if (row.lease_epoch === 0) return null;
  const conflict = ledger.conflicts?.openOf(row.number)[0];
  const native = own.find(({ number }) => number === conflict?.native);
  if (conflict === undefined || native === undefined) return null;
  const { conversation, entries, began_at: since } = conflict;
  return { harness: native.harness, nativeId: native.native_id, conversation, entries, since };
}

/** Of a session in a container, the container: what a person can look at. */
function fileOf(path: string): string {
  const held = path.endsWith('.jsonl') ? undefined : partsOfHeld(path);
  return held === undefined || /[\\/]/.test(held.name) ? path : held.file;
}

/** Most harnesses tell everything and say nothing of it: their facts are not parsed for a list. */
export function fidelityOf(native: NativeRow | undefined): Fidelity {
  if (native === undefined || !native.facts.includes('"fidelity"')) return 'native';
  return parseFacts(native.facts).fidelity ?? 'native';
}

/** True or absent: a state is only claimed when a live process or the transcript says so. */
function stateOf(row: ThreadRow, holder: Holder | undefined): ThreadState {
  return holder === undefined ? 'ended' : activityOf(holder, row.last_turn);
}
