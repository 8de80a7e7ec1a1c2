/**
 * Answers what an agent asks of the ledger through `loom mcp`: one entry that a baton cites (whole, part by part), a page of a thread, the list,
 * a search. What leaves here is masked with all that the thread itself gives away, and quoted (told-markdown.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';
import { cleanText } from '../baton/clean-text.ts';
import { withoutCutWord } from '../baton/cut-title.ts';
import type { Masker } from '../baton/mask.ts';
import { createMasker } from '../baton/mask.ts';
import { maskedAndClean } from '../baton/masked-clean.ts';
import { grownBaton } from '../drive/kept-baton.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { conversationOf, findThread } from '../ledger/lookup.ts';
import { queryTerms } from '../ledger/search-query.ts';
import { markClose, markOpen, Snippets } from '../ledger/snippet.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { entriesAfter, entryById, newestEntries } from '../ledger/transcript.ts';
import { Fault } from '../protocol/faults.ts';
import { readingBounds } from '../protocol/reading.ts';
import type { ReadListParams, ReadParams, ReadSearchParams, Told } from '../protocol/reading.ts';
import type { SearchParams, SearchResult } from '../protocol/requests.ts';
import type { ThreadView } from '../protocol/views.ts';
import type { LedgerEntry } from '../../shuttles/contract/entry.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import { isListed } from './list.ts';
import type { ProjectFolders } from './project-folder.ts';
import { ago } from './terminal.ts';
import { threadView } from './thread-view.ts';
import type { Holders } from './thread-view.ts';
import { toldEntry } from './told-entry.ts';
import type { ToldEntry } from './told-entry.ts';
import { clearTexts, dataRule, drawShort, drawWindow, spanOf } from './told-markdown.ts';

export interface ReadingsOptions {
  readonly ledger: Ledger;
  /** Secret of this ledger, for the fingerprints of masked values. */
  readonly salt: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads what is new of the sources. */
  readonly catchUp: () => Promise<unknown>;
  readonly holders: () => Holders;
  readonly folders: ProjectFolders;
  /** Leaves out what is damaged, and tells of it. */
  readonly search: (params: SearchParams) => SearchResult;
  /** Milliseconds for which an answer waits until what is new is read; absent: four seconds. */
  readonly patienceMs?: number;
}

/** Characters of a part of an entry that is told beside others. */
const shortPart = 1200;
/** Of all parts of that length on one side of an entry. */
const neighbourCharacters = 4000;
const notAllRead = 'Sessions are still being read: what is newest may be missing.';

/** A long entry between its neighbours, masked whole: it is asked for part by part. */
interface OpenedEntry {
  /** Of what it was made: other entries or other secrets make it anew. */
  readonly key: string;
  readonly masker: Learning;
  readonly texts: readonly string[];
  readonly earlier: string;
  readonly later: string;
}
/** Entries are kept open from this length on, since masking one takes as long as all the rest, and up to that one. Characters. */
const keptOpen = { from: 32_768, most: 8_388_608 } as const;
/** Nobody asks for the next part any more. Milliseconds. */
const keptOpenMs = 60_000;

export class Readings {
  readonly #options: ReadingsOptions;
  #opened: OpenedEntry | undefined;
  #closing: NodeJS.Timeout | undefined;

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  /** Throws `Fault` T001, T002, T004. */
  async read(params: ReadParams): Promise<Told> {
    const { ledger } = this.#options;
    if (params.entry === null) {
      const note = await this.#fresh();
      const thread = findThread(ledger, params.thread);
      return { text: await this.#page(thread, params, note) };
    }
    // What a baton cites is there mostly; only what is not may be yet to read.
    const known = await this.#cited(params.thread, params.entry).catch((error: unknown) => {
      if (error instanceof Fault && error.id !== 'T002') return undefined;
      throw error;
    });
    if (known === undefined) await this.#fresh();
    const { thread, entry } = known ?? (await this.#cited(params.thread, params.entry));
    return { text: await this.#whole(thread, entry, params) };
  }

  /** Newest first. */
  async list({ harness, cwd, live, limit }: ReadListParams): Promise<Told> {
    const { ledger, folders, now } = this.#options;
    const note = await this.#fresh();
    const holders = this.#options.holders();
    const folder = cwd === null ? undefined : folders.keyOf(cwd);
    const fits = (thread: ThreadView): boolean =>
      (harness === null || thread.native.some((native) => native.harness === harness)) &&
      (folder === undefined || thread.cwd === cwd || (thread.project ?? thread.cwd) === folder) &&
      (!live || thread.live);
    const found: ThreadView[] = [];
    let more = false;
    ledger.snapshot(() => {
      for (const row of ledger.threads.newest(mostThreads)) {
        if (!isListed(row, false)) continue;
        const view = threadView(ledger, row, holders, (name) => folders.keyOf(name));
        if (!fits(view)) continue;
        more = found.length === limit;
        if (more) break;
        found.push(view);
      }
    });
    const lines: string[] = [];
    for (const thread of found) lines.push(listLine(thread, now(), await this.#titleMasker(thread)));
    const rest = more ? 'There are more: narrow it by `cwd`, `harness` or `live`, or use `loom_search`.' : '';
    return { text: answer([dataRule, note, lines.length === 0 ? 'No thread fits.' : lines.join('\n'), rest]) };
  }

  /** Throws `Fault` T001, T002 for a thread that it is to be searched within. */
  async search({ words, harness, cwd, thread, limit }: ReadSearchParams): Promise<Told> {
    const { ledger, now, search } = this.#options;
    const note = await this.#fresh();
    const { hits, hint } = search({
      words,
      limit,
      ...(harness === null ? {} : { harness }),
      ...(cwd === null ? {} : { cwd }),
      ...(thread === null ? {} : { thread }),
    });
    const snippets = new Snippets(queryTerms(words));
    const maskers = new Map<string, Learning>();
    const lines: string[] = [];
    for (const hit of hits) {
      const row = findThread(ledger, hit.thread);
      const entry = entryById(ledger, row.session, hit.entry);
      const conversation = entry === undefined ? row.current_conversation : await this.#conversationOf(row, entry);
      const key = `${row.id} ${conversation}`;
      const masker = maskers.get(key) ?? (await this.#masker(row, conversation));
      maskers.set(key, masker);
      // Cut from masked text, in which the names of arguments stand before their values: half a secret has no shape that gives it away.
      const told = entry === undefined ? undefined : toldEntry(entry);
      if (told !== undefined) learn(told, masker);
      const text = told === undefined ? '' : told.parts.map((part) => part.text).join('\n');
      const piece = snippets.of(maskedAndClean(text, masker, cleanText).text).text;
      const age = hit.at === null ? '' : `${ago(hit.at, now())} ago`;
      lines.push(
        `- \`${row.id}\` [e${hit.entry}] ${[harnessNames[hit.harness], age].filter((word) => word !== '').join(', ')} ${spanOf(withoutCutWord(hit.title), masker, 80)}\n  ${spanOf(piece.replaceAll(markOpen, '').replaceAll(markClose, ''), masker, 400)}`,
      );
    }
    return { text: answer([dataRule, note, hint ?? '', lines.length === 0 ? 'Nothing found.' : lines.join('\n')]) };
  }

  async #cited(name: string, id: number): Promise<{ readonly thread: ThreadRow; readonly entry: LedgerEntry }> {
    const { ledger } = this.#options;
    const thread = findThread(ledger, name);
    const entry = entryById(ledger, thread.session, id);
    if (entry === undefined) throw new Fault('T004', `${thread.id} has no entry e${id}.`);
    return { thread, entry };
  }

  /** The entry from where it was read to, between its neighbours in short. */
  async #whole(thread: ThreadRow, entry: LedgerEntry, { from, around }: ReadParams): Promise<string> {
    const conversation = await this.#conversationOf(thread, entry);
    const { before, after } = around === 0 ? none : await this.#neighbours(thread, conversation, entry.id, around);
    const told = toldEntry(entry);
    const [earliest, latest] = [before, after].map((entries) => entries.flatMap((one) => toldEntry(one) ?? []));
    const knowing = await this.#masker(thread, conversation);
    const most = Math.min(shortPart, Math.floor(neighbourCharacters / Math.max(1, around)));
    const { masker, texts, earlier, later } = this.#open(thread.session, told, earliest ?? [], latest ?? [], most, knowing);
    const { markdown, next } =
      told === undefined
        ? { markdown: `## [e${entry.id}] Nothing of this entry is told here.`, next: null }
        : drawWindow(told, masker, from, readingBounds.characters, texts);
    const more =
      next === null
        ? ''
        : `This entry goes on: \`loom_read\` with thread \`${thread.id}\`, entry \`e${entry.id}\`, from ${next}.`;
    return answer([dataRule, headOf(thread, masker), earlier, markdown, more, later]);
  }

  /** Masked with what the thread gave away (`masker`, which learns more here) and with what these entries do. `most`: characters of a neighbour's part. */
  #open(
    session: string,
    told: ToldEntry | undefined,
    before: readonly ToldEntry[],
    after: readonly ToldEntry[],
    most: number,
    masker: Learning,
  ): OpenedEntry {
    const all = [...before, ...(told === undefined ? [] : [told]), ...after];
    const key = JSON.stringify([session, told?.id, most, all.map(({ id }) => id), [...masker.remembered]]);
    if (this.#opened?.key === key) {
      this.#closeLater();
      return this.#opened;
    }
    for (const one of all) learn(one, masker);
    const short = (entries: readonly ToldEntry[]): string => entries.map((one) => drawShort(one, masker, most)).join('\n\n');
    const texts = told === undefined ? [] : clearTexts(told, masker);
    const opened = { key, masker, texts, earlier: short(before), later: short(after) };
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    if (length >= keptOpen.from && length <= keptOpen.most) {
      this.#opened = opened;
      this.#closeLater();
    }
    return opened;
  }

  #closeLater(): void {
    clearTimeout(this.#closing);
    this.#closing = setTimeout(() => (this.#opened = undefined), keptOpenMs);
    this.#closing.unref();
  }

  async #neighbours(
    { current_conversation: current, current_entry: end, session }: ThreadRow,
    conversation: number,
    entry: number,
    around: number,
  ): Promise<{ readonly before: readonly LedgerEntry[]; readonly after: readonly LedgerEntry[] }> {
    const { ledger } = this.#options;
    const before = await newestEntries(ledger, session, conversation, around, { before: entry });
    const last = conversation === current ? end : null;
    const after = await entriesAfter(ledger, session, conversation, entry, around, last ?? undefined);
    return { before: before.entries, after: after.entries };
  }

  /** Entries in short, as many as fit: the newest of what was asked for, or with `after` the oldest. */
  async #page(thread: ThreadRow, { thread: name, after, before, limit }: ReadParams, note: string): Promise<string> {
    const { ledger } = this.#options;
    const { session, current_conversation: current, current_entry: end } = thread;
    // A subagent's native id names its conversation.
    const conversation = conversationOf(ledger, thread, name);
    const masker = await this.#masker(thread, conversation);
    const through = end === null || conversation !== current ? {} : { through: end };
    const entries =
      conversation === 0
        ? []
        : after === null
          ? (await newestEntries(ledger, session, conversation, limit, { ...through, ...(before === null ? {} : { before }) }))
              .entries
          : (await entriesAfter(ledger, session, conversation, after, limit, through.through)).entries;
    const told = entries.map((entry) => ({ id: entry.id, told: toldEntry(entry) }));
    for (const one of told) if (one.told !== undefined) learn(one.told, masker);
    const drawn: { readonly id: number; readonly text: string }[] = [];
    let size = 0;
    for (const one of after === null ? told.toReversed() : told) {
      const text = one.told === undefined ? '' : drawShort(one.told, masker, shortPart);
      if (drawn.length > 0 && size + text.length > readingBounds.characters) break;
      drawn.push({ id: one.id, text });
      size += text.length;
    }
    const shown = after === null ? drawn.toReversed() : drawn;
    const [first, last] = [shown[0]?.id, shown.at(-1)?.id];
    if (first === undefined || last === undefined)
      return answer([dataRule, headOf(thread, masker), note, 'There are no entries there.']);
    const older = (await newestEntries(ledger, session, conversation, 1, { ...through, before: first })).entries.length > 0;
    const newer = (await entriesAfter(ledger, session, conversation, last, 1, through.through)).entries.length > 0;
    const ways = [
      older ? `older entries: before \`e${first}\`` : '',
      newer ? `newer ones: after \`e${last}\`` : '',
      'one whole: entry `eN`',
    ];
    return answer([
      dataRule,
      headOf(thread, masker),
      note,
      ...shown.map(({ text }) => text),
      `\`loom_read\` with thread \`${thread.id}\` and ${ways.filter((way) => way !== '').join('; ')}.`,
    ]);
  }

  /** The line that the thread is on where the entry is a part of it, else the branch that it stands on. */
  async #conversationOf(
    { session, current_conversation: current, current_entry: end }: ThreadRow,
    entry: LedgerEntry,
  ): Promise<number> {
    if (current === 0) return entry.conversationId;
    const here = await entriesAfter(this.#options.ledger, session, current, entry.id - 1, 1, end ?? undefined);
    return here.entries[0]?.id === entry.id ? current : entry.conversationId;
  }

  /** Knows what the entries of the thread's line, and of that branch or subagent, gave away. */
  async #masker(thread: ThreadRow, conversation = thread.current_conversation): Promise<Learning> {
    const { ledger, salt } = this.#options;
    const { current_conversation: current } = thread;
    const lines = current === 0 ? [] : [thread];
    if (conversation !== 0 && conversation !== current)
      lines.unshift({ ...thread, current_conversation: conversation, current_entry: null });
    const secrets: (readonly [string, string])[] = [];
    for (const line of lines) secrets.push(...(await grownBaton(ledger, line, { salt })).baton.secrets);
    return createMasker(salt, secrets);
  }

  /** Of a thread in the list. Its entries are asked only where a word of its title or folder could be a secret that they name. */
  async #titleMasker({ id, title, cwd }: ThreadView): Promise<Masker> {
    const row = mayBeValue.test(`${title} ${cwd}`) ? this.#options.ledger.threads.byId(id) : undefined;
    return row === undefined ? createMasker(this.#options.salt) : this.#masker(row);
  }

  /** What is to be said when not everything could be read in time. */
  async #fresh(): Promise<string> {
    const { catchUp, patienceMs = 4000 } = this.#options;
    const stop = new AbortController();
    const late = delay(patienceMs, notAllRead, { signal: stop.signal, ref: false }).catch(() => '');
    // What cannot be read is told where faults are told; the ledger can be read as it is.
    const read = catchUp().then(
      () => '',
      () => notAllRead,
    );
    const note = await Promise.race([read, late]);
    stop.abort();
    return note;
  }
}

type Learning = ReturnType<typeof createMasker>;
const none = { before: [], after: [] } as const;
const mostThreads = 1_000_000;
/** As long and odd as a value has to be that is remembered (mask.ts). */
const mayBeValue = /(?=\S*\d)(?=\S*[A-Za-z])\S{8}/u;

function learn({ about, parts }: ToldEntry, masker: Learning): void {
  masker.learn(about);
  for (const { text } of parts) masker.learn(text);
}

function answer(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function headOf({ id, title, harness, cwd }: ThreadRow, masker: Masker): string {
  const where = cwd === '' ? '' : ` in ${spanOf(cwd, masker)}`;
  return `# Thread \`${id}\` (${harnessNames[harness]}) ${spanOf(withoutCutWord(title), masker, 120)}${where}`;
}

function listLine(
  { id, title, native, state, live, updatedAt, turns, cwd, lease }: ThreadView,
  now: number,
  masker: Masker,
): string {
  const who = [...new Set(native.map(({ harness }) => harnessNames[harness]))].join(' → ');
  const facts = [
    who,
    live ? state : '',
    `${ago(updatedAt, now)} ago`,
    `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    lease === null ? '' : `held by ${harnessNames[lease.holder]}`,
  ];
  const where = cwd === '' ? '' : ` in ${spanOf(cwd, masker)}`;
  return `- \`${id}\` ${facts.filter((fact) => fact !== '').join(', ')} ${spanOf(withoutCutWord(title), masker, 100)}${where}`;
}
