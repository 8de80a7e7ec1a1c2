/** The two sides of an edit as short hashes, by which an edit that takes an earlier one back is known without keeping any text. */
import { hash as digest } from 'node:crypto';
import type { FileChange } from '../../shuttles/contract/entry.ts';
import type { JsonObject, JsonValue } from '../../shuttles/contract/json.ts';
import type { EditPair, EditSides } from './baton-state.ts';

/** Longer texts are not looked at. Characters. */
const longest = 100_000;
const mostPairs = 20;

/** One pair a hunk of the diff. */
export function editPairs(path: string, change: FileChange, entry: number): readonly EditPair[] {
  return sidesOf(change.diff ?? '').map((sides) => ({ path, ...sides, entry }));
}

/** false: `callSides` has none. */
export function mayReplace(args: JsonObject): boolean {
  for (const key in args) if (replacing.has(key)) return true;
  return false;
}

/** What a call's arguments say that it replaces: a patch, old and new text, or a list of those. */
export function callSides(args: JsonObject): readonly EditSides[] {
  const patch = [args['input'], args['patch']].find((text) => typeof text === 'string' && text.startsWith('*** Begin Patch'));
  if (typeof patch === 'string') return sidesOf(patch);
  const lists = [args['edits'], args['ReplacementChunks']].filter((list) => Array.isArray(list)).flat();
  return [args, ...lists].flatMap(replacement).slice(0, mostPairs);
}

const names = [
  ['old_string', 'new_string'],
  ['oldText', 'newText'],
  ['old_str', 'new_str'],
  ['TargetContent', 'ReplacementContent'],
] as const;
const replacing = new Set(['input', 'patch', 'edits', 'ReplacementChunks', ...names.map(([old]) => old)] as string[]);
function replacement(value: JsonValue | undefined): readonly EditSides[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const fields = value as JsonObject;
  return names.flatMap(([old, fresh]) => {
    const [from, to] = [fields[old], fields[fresh]];
    return typeof from === 'string' && typeof to === 'string' ? pairOf(from, to) : [];
  });
}

/** Runs of lines that begin with `-` and `+`; a line of a patch's frame ends one. */
function sidesOf(diff: string): readonly EditSides[] {
  if (diff === '' || diff.length > longest) return [];
  const out: EditSides[] = [];
  let from = '';
  let to = '';
  const flush = (): void => {
    out.push(...pairOf(from, to));
    from = '';
    to = '';
  };
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@') || line.startsWith('*** ')) flush();
    else if (line.startsWith('-')) from += `${line.slice(1)}\n`;
    else if (line.startsWith('+')) to += `${line.slice(1)}\n`;
  }
  flush();
  return out.slice(0, mostPairs);
}

/** Sides of blanks only, or equal ones, make no pair. */
function pairOf(from: string, to: string): readonly EditSides[] {
  if ((from + to).trim() === '' || from === to || from.length + to.length > longest) return [];
  return [{ from: hash(from), to: hash(to) }];
}
const hash = (text: string): string => digest('sha256', text, 'base64').slice(0, 12);
