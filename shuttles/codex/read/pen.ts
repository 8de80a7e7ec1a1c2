/**
 * Writes a record's outputs. Holds: every entry has a key, the first entry of a file that continues another one stands after
 * its base, the others at the tip; facts are said once, when they change.
 */
import type { ContentByKind, EntryKindName, Trust } from '../../contract/entry.ts';
import type { Draft, NativeRecord, Place, ReadOutput, SessionFacts } from '../../contract/read.ts';
import type { CodexState } from './state.ts';

export interface Extra {
  /** Aliases by which later records may refer to the entry. */
  readonly aliases?: readonly string[];
  readonly nativeId?: string | undefined;
}

export class Pen {
  readonly outputs: ReadOutput[] = [];
  #state: CodexState;
  #record: NativeRecord | undefined;
  #key = '';
  #at: number | null = null;
  #inherited = false;
  #written = 0;
  #placeName: string | undefined;

  constructor(state: CodexState) {
    this.#state = state;
  }

  get key(): string {
    return this.#key;
  }

  get inherited(): boolean {
    return this.#inherited;
  }

  /** `placeName`: how other rollouts refer to the record, if they can. */
  begin(record: NativeRecord, key: string, at: number | null, inherited: boolean, placeName?: string): void {
    this.#record = record;
    this.#key = key;
    this.#at = at;
    this.#inherited = inherited;
    this.#written = 0;
    this.#placeName = placeName;
  }

  /** After the last entry of a record: what is forked behind the record stands behind all of them. */
  end(): void {
    if (this.#placeName === undefined || this.#written === 0) return;
    this.outputs.push({ type: 'mark', keys: [this.#placeName], after: this.#state.lastKey });
  }

  entry<K extends EntryKindName>(kind: K, content: ContentByKind[K], trust: Trust, extra: Extra = {}): void {
    const key = this.#written === 0 ? this.#key : `${this.#key}.${this.#written}`;
    this.#written += 1;
    const { aliases, nativeId } = extra;
    this.outputs.push({
      type: 'entry',
      kind,
      content,
      at: this.#at,
      trust,
      place: this.#place(),
      keys: aliases === undefined ? [key] : [key, ...aliases],
      ...(nativeId !== undefined && nativeId !== '' && { nativeId }),
      ...(this.#inherited && { inherited: true as const }),
      offset: this.#record?.offset ?? 0,
      length: this.#record?.length ?? 0,
    } as Draft);
    this.#state.entries += 1;
    this.#state.lastKey = key;
    if (this.#state.segment) {
      this.#state.segment = false;
      this.outputs.push({ type: 'head', key, exact: false });
    }
  }

  facts(facts: SessionFacts): void {
    const shown = this.#state.shown;
    const fresh = Object.entries(facts).filter(([name, value]) => {
      const text = JSON.stringify(value);
      if (shown[name] === text) return false;
      shown[name] = text;
      return true;
    });
    if (fresh.length > 0) this.outputs.push({ type: 'facts', facts: Object.fromEntries(fresh) as SessionFacts });
  }

  child(nativeId: string, callId: string | undefined, title: string | undefined): void {
    if (this.#inherited) return;
    this.outputs.push({
      type: 'child',
      nativeId,
      ...(callId !== undefined && { callId }),
      ...(title !== undefined && { title }),
    });
  }

  warning(code: string, text: string): void {
    this.outputs.push({ type: 'warning', offset: this.#record?.offset ?? 0, code, text });
  }

  #place(): Place {
    const jump = this.#state.jump;
    if (jump === null) return { kind: 'tip' };
    this.#state.jump = null;
    return { kind: 'after', key: jump.key, ...(jump.floor !== null && { floor: jump.floor }), fork: true };
  }
}

/** What every part of the reader works on. */
export interface Reading {
  readonly state: CodexState;
  readonly pen: Pen;
}
