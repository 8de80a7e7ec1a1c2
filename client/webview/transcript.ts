/**
 * The transcript as rows, kept up to date at both ends. Invariants: rows stand in transcript order; a result stands in the
 * row of its call if that is held, else in a row of its own; and the rows do not depend on the pages in which the entries
 * came (transcript.test.ts holds it to that). Adding costs the size of what is added, but for one copy of the list of rows.
 */
import type { EntryView } from '../../server/protocol/views.ts';
import { joined, rowsOf, type Row, type ToolRow } from './rows.ts';

export class Transcript {
  #rows: Row[] = [];
  /** Keys of calls that have no result yet, by call id, in order; and of results whose call is not held. */
  #openCalls = new Map<string, string[]>();
  #orphans = new Map<string, string[]>();
  #first: number | null = null;
  #last: number | null = null;
  #count = 0;

  /** A new list after every change. */
  get rows(): readonly Row[] {
    return this.#rows;
  }
  /** How many entries are held. */
  get count(): number {
    return this.#count;
  }
  /** Ids of the oldest and of the newest entry held. */
  get first(): number | null {
    return this.#first;
  }
  get last(): number | null {
    return this.#last;
  }

  /** Entries newer than all that are held, oldest first; others are ignored. Returns how many rows were added at the end. */
  append(entries: readonly EntryView[]): number {
    const before = this.#rows.length;
    this.#rows = [...this.#rows];
    for (const entry of entries) {
      if (this.#last !== null && entry.id <= this.#last) continue;
      this.#last = entry.id;
      this.#first ??= entry.id;
      this.#count += 1;
      for (const row of rowsOf(entry)) this.#push(row);
    }
    return this.#rows.length - before;
  }

  /** Entries older than all that are held, oldest first; others are ignored. */
  prepend(entries: readonly EntryView[]): void {
    const { first } = this;
    const page = new Transcript();
    page.append(first === null ? entries : entries.filter((entry) => entry.id < first));
    if (page.#count === 0) return;
    const attached = this.#attachOrphans(page);
    let newer = attached.size === 0 ? this.#rows : without(this.#rows, attached);
    const last = page.#rows.at(-1);
    const next = newer[0];
    const seam = last === undefined || next === undefined ? undefined : joined(last, next);
    if (seam !== undefined) newer = newer.slice(1);
    this.#rows = [...(seam === undefined ? page.#rows : [...page.#rows.slice(0, -1), seam]), ...newer];
    for (const [id, keys] of page.#openCalls) this.#openCalls.set(id, [...keys, ...(this.#openCalls.get(id) ?? [])]);
    for (const [id, keys] of page.#orphans) this.#orphans.set(id, [...keys, ...(this.#orphans.get(id) ?? [])]);
    this.#first = page.#first;
    this.#last ??= page.#last;
    this.#count += page.#count;
  }

  /** Puts the whole entry in the place of its clipped one. */
  replace(entry: EntryView): void {
    this.#rows = this.#rows.map((row) => (row.entries.some((one) => one.id === entry.id) ? replaced(row, entry) : row));
  }

  #push(row: Row): void {
    if (row.kind === 'tool' && row.callId !== '') {
      if (row.call !== null) remember(this.#openCalls, row.callId, row.key);
      else if (this.#attach(row)) return;
      else remember(this.#orphans, row.callId, row.key);
    }
    const last = this.#rows.at(-1);
    const whole = last === undefined ? undefined : joined(last, row);
    if (whole === undefined) this.#rows.push(row);
    else this.#rows[this.#rows.length - 1] = whole;
  }

  /** Gives a result to the newest call with its id that has none. */
  #attach(result: ToolRow): boolean {
    const key = takeLast(this.#openCalls, result.callId);
    if (key === undefined) return false;
    for (let at = this.#rows.length - 1; at >= 0; at -= 1) {
      const row = this.#rows[at];
      if (row?.kind !== 'tool' || row.key !== key) continue;
      this.#rows[at] = withResult(row, result);
      return true;
    }
    return false;
  }

  /** Results that are held find their calls in an older page; returns the keys of the rows that are no longer their own. */
  #attachOrphans(page: Transcript): ReadonlySet<string> {
    const wanted = new Set([...this.#orphans.keys()].filter((id) => page.#openCalls.has(id)));
    const attached = new Set<string>();
    if (wanted.size === 0) return attached;
    for (const row of this.#rows) {
      if (row.kind !== 'tool' || row.call !== null || !wanted.has(row.callId)) continue;
      if (!page.#attach(row)) continue;
      attached.add(row.key);
      const left = (this.#orphans.get(row.callId) ?? []).filter((key) => key !== row.key);
      if (left.length === 0) this.#orphans.delete(row.callId);
      else this.#orphans.set(row.callId, left);
    }
    return attached;
  }
}

/** Leaves rows out; those that become neighbours by it are joined as if there had never been anything between them. */
function without(rows: readonly Row[], keys: ReadonlySet<string>): Row[] {
  const kept: Row[] = [];
  let gap = false;
  for (const row of rows) {
    if (keys.has(row.key)) {
      gap = true;
      continue;
    }
    const last = kept.at(-1);
    const whole = gap && last !== undefined ? joined(last, row) : undefined;
    if (whole === undefined) kept.push(row);
    else kept[kept.length - 1] = whole;
    gap = false;
  }
  return kept;
}

function withResult(call: ToolRow, result: ToolRow): ToolRow {
  return { ...call, result: result.result, entries: [...call.entries, ...result.entries] };
}

function replaced(row: Row, entry: EntryView): Row {
  const entries = row.entries.map((one) => (one.id === entry.id ? entry : one));
  if (row.kind === 'tool') {
    const at = Number(row.key.split('.')[1] ?? 0);
    const call = row.call !== null && entry.kind === 'assistant' ? (entry.calls[at] ?? row.call) : row.call;
    const result = row.result?.id === entry.id && (entry.kind === 'tool_result' || entry.kind === 'step') ? entry : row.result;
    return { ...row, call, result, entries };
  }
  // The kinds of an entry never change, so the row's own tuple type still holds.
  return { ...row, entries } as unknown as Row;
}

function remember(map: Map<string, string[]>, id: string, key: string): void {
  const keys = map.get(id);
  if (keys === undefined) map.set(id, [key]);
  else keys.push(key);
}

function takeLast(map: Map<string, string[]>, id: string): string | undefined {
  const keys = map.get(id);
  const key = keys?.pop();
  if (keys?.length === 0) map.delete(id);
  return key;
}
