/**
 * Replaces secrets by marks: `«masked:kind:ab12»`. The four hex digits are a fingerprint, keyed by the ledger's salt: equal
 * secrets have equal marks in one ledger and tell nothing outside it. Masking is idempotent, deterministic and linear in
 * the text's length. What is no secret keeps every byte: commit hashes, UUIDs, build numbers, paths, image data.
 */
import { createHmac } from 'node:crypto';
import { RememberedValues, shortestValue } from './remembered-values.ts';
import { mayHoldSecrets } from './secret-gate.ts';
import { findSecrets, markPattern } from './secrets.ts';

export interface Masked {
  readonly text: string;
  /** How many places were replaced. */
  readonly count: number;
}

export function mask(text: string, salt: string): Masked {
  return maskWith(text, salt, () => undefined);
}

/** A masker remembers what it masked and finds the same value again where no name or shape gives it away. */
export interface Masker {
  mask(text: string): Masked;
  /** Learns from a text without giving it back, so that what comes before it can be masked too. */
  learn(text: string): void;
}

/** Remembered values; the oldest are forgotten first, so that memory and time stay bounded. */
const rememberedLimit = 256;

/** A masker whose memory can be looked at and given to another one. */
export interface RememberingMasker extends Masker {
  /** How many secrets the text itself gives away. */
  learn(text: string): number;
  /** Masks a text that gives away nothing itself: only what is remembered. */
  maskKnown(text: string): Masked;
  /** What it remembers, with the kind; the value that was met longest ago comes first. */
  readonly remembered: ReadonlyMap<string, string>;
}

/** `from`: memory to begin with. `onRemember` hears of each value that is met, however often. */
export function createMasker(
  salt: string,
  from: Iterable<readonly [string, string]> = [],
  onRemember: (value: string, kind: string) => void = () => undefined,
): RememberingMasker {
  const known = new Map<string, string>();
  const values = new RememberedValues();
  for (const [value, kind] of from) {
    if (value.length < shortestValue) continue;
    if (!known.has(value)) values.add(value);
    known.set(value, kind);
  }
  const remember = (value: string, kind: string): void => {
    if (!isTelling(value)) return;
    onRemember(value, kind);
    if (!known.delete(value)) values.add(value);
    known.set(value, kind);
    if (known.size <= rememberedLimit) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      values.delete(oldest);
      break;
    }
  };
  const maskKnown = (text: string): Masked => {
    if (!values.isIn(text)) return { text, count: 0 };
    let out = text;
    let count = 0;
    for (const [value, kind] of known) {
      if (!out.includes(value)) continue;
      const pieces = out.split(value);
      count += pieces.length - 1;
      out = pieces.join(mark(value, kind, salt));
    }
    return { text: out, count };
  };
  return {
    remembered: known,
    maskKnown,
    mask(text) {
      const first = maskWith(text, salt, remember);
      const second = maskKnown(first.text);
      return { text: second.text, count: first.count + second.count };
    },
    learn(text) {
      return maskWith(text, salt, remember).count;
    },
  };
}

/** How many marks stand in a text. */
export function countMarks(text: string): number {
  return text.match(markPattern)?.length ?? 0;
}

/**
 * A replacement may bring together what was apart, so passes are made until one finds nothing. Each pass that finds
 * something leaves less to find; the limit is there for texts made to test it.
 */
const passLimit = 8;
function maskWith(text: string, salt: string, remember: (value: string, kind: string) => void): Masked {
  if (!mayHoldSecrets(text)) return { text, count: 0 };
  let out = text;
  let count = 0;
  const marks = new Map<string, string>();
  const markOf = (value: string, kind: string): string => {
    const key = `${kind}:${value}`;
    const known = marks.get(key);
    if (known !== undefined) return known;
    if (marks.size > 1000) marks.clear();
    const made = mark(value, kind, salt);
    marks.set(key, made);
    return made;
  };
  for (let pass = 0; pass < passLimit; pass++) {
    const found = findSecrets(out);
    if (found.length === 0) break;
    const pieces: string[] = [];
    let from = 0;
    for (const finding of found) {
      const value = out.slice(finding.start, finding.end);
      remember(value, finding.kind);
      pieces.push(out.slice(from, finding.start), markOf(value, finding.kind));
      from = finding.end;
    }
    pieces.push(out.slice(from));
    out = pieces.join('');
    count += found.length;
  }
  return { text: out, count };
}

function mark(value: string, kind: string, salt: string): string {
  return `«masked:${kind}:${createHmac('sha256', salt).update(value).digest('hex').slice(0, 4)}»`;
}

/** Long and odd enough that the same characters elsewhere can only be the same secret. */
function isTelling(value: string): boolean {
  return (
    value.length >= shortestValue && value.length <= 512 && !/[\s«»]/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value)
  );
}
