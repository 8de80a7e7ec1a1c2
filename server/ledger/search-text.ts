/**
 * Text and queries for full-text search. A run of Chinese, Japanese or Korean letters is indexed as its overlapping pairs, so
 * that two signs are enough to find it. A query is quoted term by term: no sign in it is an operator and no query can throw.
 */
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';

const cjk = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+/gu;
/** Characters of an entry that are indexed: of what tools put out, the beginning and the end tell enough. */
const limit = 20_000;
const toolLimit = 4_000;

/** What of an entry is found by search; '' when nothing is. Long text keeps its beginning and its end. */
export function searchText(entry: LedgerEntry): string {
  return pairs(clip(rawText(entry), entry.kind === 'tool_result' || entry.kind === 'step' ? toolLimit : limit));
}

/** What these say is a `plan` entry of its own. */
const planTools: ReadonlySet<string> = new Set(['TodoWrite', 'update_plan']);

export function rawText(entry: LedgerEntry): string {
  switch (entry.kind) {
    case 'user':
    case 'assistant':
      return entry.content.content
        .map((block) =>
          block.type === 'text'
            ? block.text
            : block.type === 'toolCall'
              ? `${block.name} ${planTools.has(block.name) ? '' : strings(block.arguments).join('\n')}`
              : '',
        )
        .join('\n');
    case 'tool_result':
      return entry.content.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    case 'step':
      return `${entry.content.title}\n${entry.content.output ?? ''}`;
    case 'notice':
    case 'summary':
    case 'handoff':
      return entry.content.text;
    case 'plan':
      return entry.content.items.map((item) => item.text).join('\n');
    case 'system':
    case 'reset':
    case 'turn':
    case 'setting':
    case 'snapshot':
    case 'opaque':
      return '';
  }
}

function strings(value: unknown, out: string[] = [], depth = 0): string[] {
  if (typeof value === 'string') out.push(value);
  else if (depth < 6 && typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) strings(part, out, depth + 1);
  return out;
}

function clip(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most * 0.8)}\n${text.slice(-most * 0.2)}`;
}

function pairs(text: string): string {
  return text.replace(cjk, (run) => {
    const signs = Array.from(run);
    if (signs.length === 1) return ` ${run} `;
    return ` ${signs
      .slice(1)
      .map((sign, i) => `${signs[i] ?? ''}${sign}`)
      .join(' ')} `;
  });
}

/** The words of a query, as a person typed them: "quoted phrases" stay together. */
export function queryTerms(words: string): readonly string[] {
  const terms: string[] = [];
  for (const match of words.matchAll(/"([^"]*)"?|(\S+)/gu)) {
    const term = (match[1] ?? match[2] ?? '').trim();
    if (/[\p{L}\p{N}]/u.test(term)) terms.push(term);
  }
  return terms;
}

/** An FTS5 expression that holds for every term as a phrase, the last letters of each open; undefined: nothing to look for. */
export function matchExpression(words: string): string | undefined {
  const terms = queryTerms(words);
  if (terms.length === 0) return undefined;
  return terms.map((term) => `"${pairs(term).replaceAll('"', ' ').replaceAll('\0', ' ').trim()}"*`).join(' AND ');
}

const open = '\ue000';
const close = '\ue001';

/** About 160 characters around the first hit; hits stand between U+E000 and U+E001, which are taken out of the text first. */
export function snippet(text: string, words: string): string {
  const clean = text.replaceAll(open, '').replaceAll(close, '').replace(/\s+/gu, ' ');
  const lower = clean.toLowerCase();
  const parts = queryTerms(words)
    .flatMap((term) => [term.toLowerCase(), ...term.toLowerCase().split(/[^\p{L}\p{N}]+/u)])
    .filter((part) => part !== '');
  const hits = parts
    .map((part) => ({ at: lower.indexOf(part), length: part.length }))
    .filter((hit) => hit.at >= 0)
    .toSorted((a, b) => a.at - b.at || b.length - a.length);
  const first = hits[0]?.at ?? 0;
  const from = Math.max(0, first - 60);
  const to = Math.min(clean.length, from + 180);
  let out = '';
  let at = from;
  for (const hit of hits) {
    if (hit.at < at || hit.at + hit.length > to) continue;
    out += clean.slice(at, hit.at) + open + clean.slice(hit.at, hit.at + hit.length) + close;
    at = hit.at + hit.length;
  }
  return `${from > 0 ? '…' : ''}${out}${clean.slice(at, to)}${to < clean.length ? '…' : ''}`;
}
