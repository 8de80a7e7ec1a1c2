/**
 * Takes one batch of a source's outputs into the ledger: entries through the engine, and in the same transaction the cursor,
 * the keys, the branches, the thread's row and the search index. So a crash at any moment leaves either nothing of the batch
 * or all of it with its cursor: nothing is read twice, nothing is skipped. Announced only after the commit.
 */
import { Rejected, UncertainPersistence } from '../engine/errors.ts';
import type { EntryPack } from '../engine/storage.ts';
import { asFault } from '../ledger/database.ts';
import type { NewDocument } from '../ledger/documents-table.ts';
import { threadIdOf } from '../ledger/thread-id.ts';
import { kindNamed, subagentTask } from '../ledger/kinds.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NativeRow } from '../ledger/natives-table.ts';
import type { Position } from '../ledger/keys-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import type { EntryEdit, LedgerEntry } from '../../shuttles/contract/entry.ts';
import type { SessionFacts, SourceIdentity } from '../../shuttles/contract/read.ts';
import { asLedgerEntry } from '../ledger/transcript.ts';
import { adopt, importedOrigin } from './adoption.ts';
import { Branches } from './branches.ts';
import { editsOf } from './context-edit.ts';
import { beginOf, metBy, withLoomsPrompt } from './expected.ts';
import { mergeFacts, parseFacts } from './facts.ts';
import { joins, Placement } from './placement.ts';
import type { Placed } from './placement.ts';
import { sameSession, updateThread } from './thread-row.ts';
import { refers } from './translated-batch.ts';
import type { BatchOutput, OutlinedDraft, PreparedPack, TranslatedBatch } from './translated-batch.ts';
import { withdraw } from './withdrawal.ts';

export interface Batch {
  readonly source: SourceRow;
  readonly identity: SourceIdentity;
  /** What was read, from the source's cursor on. */
  readonly read: TranslatedBatch;
  /** The source's row as it is once the batch is in: new offset, state, size, status. */
  readonly next: Pick<SourceRow, 'offset' | 'state' | 'size' | 'mtime' | 'identity' | 'fingerprint' | 'birth' | 'status'>;
  /** Facts from files beside the source. */
  readonly sidecar: SessionFacts;
  /** Sources of the same session that told it worse: what was read of them goes from the thread. */
  readonly withdraws?: readonly number[];
  /** The source stands beside those that tell the session: it is not what is shown as its file. */
  readonly beside?: boolean;
  /** Its bytes as stored are archived once it is read, and not with its records. */
  readonly archivedWhole?: boolean;
}

/**
 * What a commit changed, for those who watch. Entries are in transcript order; a content that nobody looks at while it is told of may be gone
 * afterwards.
 */
export interface Committed {
  readonly session: string;
  readonly thread: ThreadRow;
  readonly entries: readonly LedgerEntry[];
  /** The latest time that one of them tells, in milliseconds; 0: none does. Known without taking contents apart. */
  readonly newestAt: number;
  readonly branchesChanged: boolean;
  readonly copied: number;
}

/**
 * Throws what ends the whole pass: a `Fault` of the ledger (full, locked). A native compaction that claims to keep entries the
 * engine cannot keep (of another branch, or before an older head) is stored as keeping none.
 */
export async function commitBatch(ledger: Ledger, batch: Batch): Promise<Committed> {
  try {
    return await attempt(ledger, batch, true);
  } catch (error) {
    if (error instanceof Rejected && (error.code === 'headMovesBack' || error.code === 'notVisible'))
      return attempt(ledger, batch, false);
    if (error instanceof UncertainPersistence) {
      ledger.forget(homeOf(ledger, batch).session);
      throw asFault(error.cause, ledger.folder);
    }
    throw asFault(error, ledger.folder);
  }
}

async function attempt(ledger: Ledger, batch: Batch, retain: boolean): Promise<Committed> {
  const { identity } = batch;
  const harness = batch.source.harness;
  const named = ledger.natives.byNativeId(harness, identity.nativeId);
  const met = named === undefined ? metBy(ledger, batch) : undefined;
  const known = named ?? met?.native;
  const read = met === undefined ? batch.read : withLoomsPrompt(batch.read);
  const { outputs } = read;
  const home = homeOf(ledger, batch);
  const session = home.session;
  const engine = await ledger.engine(session, true);

  let native = known;
  let thread: ThreadRow | undefined;
  const entries: LedgerEntry[] = [];
  let newestAt = 0;
  /** Of the drafts of the batch, in order, those that were written. */
  const written: (Placed | undefined)[] = [];
  /** Their thread is only known at the end. */
  const documents: { readonly row: NewDocument['row'] & { thread: number }; readonly body: NewDocument['body'] }[] = [];
  const isImport = importedOrigin(ledger, batch.sidecar)?.session === session;
  const anew = known !== undefined && (batch.withdraws ?? []).length > 0;
  const branches = new Branches(known === undefined || anew ? [] : ledger.branches.byNative(known.number), (conversation) =>
    ledger.branches.get(session, conversation),
  );
  const branchesBefore = branches.own.length;
  // A file may hold another session than before.
  const goesOn = known !== undefined && batch.source.native === known.number && !anew;
  const begin = beginOf(ledger, known);
  const position: Position = !goesOn
    ? (begin ?? { conversation: 0, entry: 0 })
    : { conversation: batch.source.position_conversation, entry: batch.source.position_entry };

  const placement = await engine.commit(
    (tx) => {
      const owner = (conversation: number, parent: NativeRow): number => {
        const call = home.childCall === undefined ? undefined : ledger.keys.getAlias(parent.number, `call:${home.childCall}`);
        const inside = call?.conversation ?? ledger.branches.byNative(parent.number)[0]?.conversation;
        if (inside === undefined) return 0;
        return tx.task(subagentTask, {
          conversationId: inside,
          state: { nativeId: identity.nativeId, callId: home.childCall ?? null },
          owns: [conversation],
        });
      };
      const placeOf = (key: string): Position | undefined => run.keys.get(key) ?? sameSession(ledger.keys.get(key), session);
      const retained = (draft: OutlinedDraft): number | undefined => {
        if (draft.retainFromKey === undefined || !retain) return undefined;
        const keys = typeof draft.retainFromKey === 'string' ? [draft.retainFromKey] : draft.retainFromKey;
        return keys.map(placeOf).find((place) => place !== undefined)?.entry;
      };
      const edited = (draft: OutlinedDraft, conversation: number): readonly EntryEdit[] =>
        draft.edit === undefined || !retain
          ? []
          : editsOf(draft.edit, (key) => {
              const place = placeOf(key);
              if (place === undefined || !branches.descends(conversation, place)) return undefined;
              const stored = tx.getEntry(place.entry);
              return stored === undefined ? entries.find(({ id }) => id === place.entry) : asLedgerEntry(stored);
            });
      const run: Placement = new Placement(
        session,
        known?.number ?? 0,
        position,
        branches,
        {
          entry: (draft, conversation) => {
            const nth = written.length;
            const stored = read.stored[nth];
            if (stored === undefined) throw new Error('a draft of the batch comes without what is stored of it');
            const referring = refers(draft)
              ? withReferences(stored.content, retained(draft), edited(draft, conversation))
              : undefined;
            const late = referring === undefined ? stored : { content: referring };
            const { kind, at } = draft;
            const entry = tx.lateEntry(kindNamed(kind), conversation, late, draft.toolCallId);
            const { id } = entry;
            const found = read.found[nth];
            // What an import copied is found in its origin, which is in the same thread.
            const isCopy = draft.inherited === true && isImport;
            if (found !== null && found !== undefined && !isCopy)
              documents.push({
                row: { thread: 0, conversation, entry: id, kind, harness, at, length: found.length },
                body: found.body,
              });
            if (at !== null && at > newestAt) newestAt = at;
            entries.push(entry as unknown as LedgerEntry);
            return id;
          },
          conversation: (parent) => {
            const from = parent === null ? {} : { parent: { conversationId: parent.conversation, at: parent.at } };
            const conversation = tx.createConversation(from);
            if (home.childOf !== undefined && branches.own.length === 0) owner(conversation, home.childOf);
            return conversation;
          },
        },
        {
          // A session that only begins has no keys yet.
          key: (key) => (home.isNew ? undefined : sameSession(ledger.keys.get(key), session)),
          floor: (key, floor) => (home.isNew ? undefined : sameSession(ledger.keys.floor(key, floor), session)),
          alias: (alias) => (known === undefined ? undefined : ledger.keys.getAlias(known.number, alias)),
        },
        begin,
      );
      for (const output of outputs) {
        const before = run.placed.length;
        run.place(output);
        if (output.type === 'entry') written.push(run.placed[before]);
      }
      return run;
    },
    {
      packs: () => packsOf(written, read.packs),
      within: (run: Placement) => {
        if (known !== undefined && anew) withdraw(ledger, known, batch.source.number, batch.withdraws ?? []);
        if (met !== undefined) ledger.expected.meet(met.expected, identity.nativeId, Math.round(batch.next.mtime));
        native =
          met === undefined ? (known ?? createNative(ledger, batch, home)) : { ...met.native, native_id: identity.nativeId };
        const facts = foldFacts(native, batch);
        const head = headOutput(outputs);
        native = {
          ...native,
          facts: JSON.stringify(facts),
          path: batch.beside === true && native.path !== '' ? native.path : batch.source.path,
          child_call: native.child_call ?? identity.childOf?.callId ?? null,
          child_title: native.child_title ?? identity.childOf?.title ?? null,
          ...(head === undefined ? {} : { head_key: head.key, head_exact: head.exact ? 1 : 0 }),
        };
        ledger.natives.update(native);
        ledger.keys.putAll(session, run.keys);
        ledger.keys.putAliases(native.number, run.aliases);
        for (const branch of branches.own) ledger.branches.put({ ...branch, native: native.number });
        ledger.sources.update({
          ...batch.source,
          ...batch.next,
          native: native.number,
          part: identity.part,
          position_conversation: run.position.conversation,
          position_entry: run.position.entry,
          fault: null,
        });
        const { number: source, generation } = batch.source;
        for (const stretch of read.natives) ledger.archive.append({ source, generation, ...stretch });
        if (read.natives.length === 0) ledger.archive.truncate(source, generation, read.from);
        if (batch.archivedWhole === true && batch.next.status === 'current') ledger.archive.wait(source);
        for (const output of outputs) {
          if (output.type === 'warning')
            ledger.warnings.put({ source: batch.source.number, offset: output.offset, code: output.code, text: output.text });
        }
        const follows = batch.source.status === 'current' && !anew;
        thread = updateThread(ledger, native, facts, run, branches, { entries, follows, mtime: batch.next.mtime });
        if (
          batch.next.status === 'current' &&
          (batch.source.status !== 'current' || run.copied > 0) &&
          batch.source.status !== 'gone' &&
          native.child_of === null
        ) {
          const adopted = adopt(ledger, native, thread, batch.next.birth, run.position, ({ conversation, entry }) =>
            ledger.readable(session, () =>
              engine.entries(conversation, { after: 0, through: entry, limit: Number.MAX_SAFE_INTEGER }).items.map(asLedgerEntry),
            ),
          );
          if (adopted !== undefined) {
            ledger.threads.update(adopted.original);
            ledger.threads.update(adopted.copy);
            thread = adopted.original;
          }
        }
        const { number } = thread;
        for (const { row } of documents) row.thread = number;
        ledger.index(documents);
      },
    },
  );
  if (thread === undefined) throw new Error('a batch was committed without its thread');
  const branchesChanged = branches.own.length !== branchesBefore;
  return { session, thread, entries, newestAt, branchesChanged, copied: placement.copied };
}

/** Where a native session that is new to the ledger belongs. */
interface Home {
  readonly session: string;
  readonly thread: ThreadRow | undefined;
  readonly childOf: NativeRow | undefined;
  readonly childCall: string | undefined;
  /** No other native session is known to be in it. */
  readonly isNew: boolean;
}

function homeOf(ledger: Ledger, batch: Batch): Home {
  const known = ledger.natives.byNativeId(batch.source.harness, batch.identity.nativeId) ?? metBy(ledger, batch)?.native;
  return known === undefined ? newHome(ledger, batch) : knownHome(ledger, known);
}

function knownHome(ledger: Ledger, native: NativeRow): Home {
  return {
    session: native.session,
    thread: undefined,
    childOf: native.child_of === null ? undefined : ledger.natives.byNumber(native.child_of),
    childCall: native.child_call ?? undefined,
    isNew: false,
  };
}

function newHome(ledger: Ledger, batch: Batch): Home {
  const { identity } = batch;
  const harness = batch.source.harness;
  const parent = identity.childOf === undefined ? undefined : ledger.natives.byNativeId(harness, identity.childOf.nativeId);
  if (parent !== undefined) {
    return {
      session: parent.session,
      thread: ledger.threads.byNumber(parent.thread),
      childOf: parent,
      childCall: identity.childOf?.callId,
      isNew: false,
    };
  }
  const origin = identity.childOf === undefined ? importedOrigin(ledger, { ...identity.facts, ...batch.sidecar }) : undefined;
  if (origin !== undefined) {
    const thread = ledger.threads.byNumber(origin.thread);
    return { session: origin.session, thread, childOf: undefined, childCall: undefined, isNew: false };
  }
  const shared = joins(
    batch.read.outputs,
    (key) => ledger.keys.get(key),
    (key, floor) => ledger.keys.floor(key, floor),
  );
  const session = shared?.session ?? `s-${threadIdOf(harness, identity.nativeId)}`;
  const isNew = shared === undefined && !ledger.hasSession(session);
  return { session, thread: undefined, childOf: undefined, childCall: undefined, isNew };
}

function createNative(ledger: Ledger, batch: Batch, home: Home): NativeRow {
  const { identity } = batch;
  const harness = batch.source.harness;
  const thread =
    home.thread?.number ??
    ledger.threads.insert(threadIdOf(harness, identity.nativeId), home.session, harness, identity.childOf !== undefined);
  const number = ledger.natives.insert({
    harness,
    native_id: identity.nativeId,
    thread,
    session: home.session,
    child_of: home.childOf?.number ?? null,
    child_call: identity.childOf?.callId ?? null,
    child_title: identity.childOf?.title ?? null,
    written_by_loom: 0,
    path: batch.source.path,
  });
  const row = ledger.natives.byNumber(number);
  if (row === undefined) throw new Error('a native session that was just inserted is not there');
  return row;
}

function foldFacts(native: NativeRow, batch: Batch): SessionFacts {
  let facts = parseFacts(native.facts);
  for (const output of batch.read.outputs) if (output.type === 'facts') facts = mergeFacts(facts, output.facts);
  return mergeFacts(facts, batch.sidecar);
}

function headOutput(outputs: readonly BatchOutput[]): { key: string | null; exact: boolean } | undefined {
  for (let i = outputs.length - 1; i >= 0; i--) {
    const output = outputs[i];
    if (output?.type === 'head') return output;
  }
  return undefined;
}

/** What is stored of a draft that names other entries, now that it is known which they are. */
function withReferences(stored: object, retainFrom: number | undefined, edits: readonly EntryEdit[]): object {
  const { at, provenance, ...content } = stored as { readonly at: unknown; readonly provenance: unknown };
  return {
    ...content,
    ...(retainFrom === undefined ? {} : { retainFrom }),
    ...(edits.length === 0 ? {} : { edits }),
    at,
    provenance,
  };
}

/** Those packs whose entries were all written, one behind the other, to one conversation. */
function packsOf(written: readonly (Placed | undefined)[], packs: readonly PreparedPack[]): readonly EntryPack[] {
  return packs.flatMap(({ first, count, codec, size, contents }) => {
    const ids: number[] = [];
    const conversation = written[first]?.conversation;
    for (let nth = first; nth < first + count; nth++) {
      const place = written[nth];
      if (place === undefined || place.conversation !== conversation) return [];
      ids.push(place.id);
    }
    return [{ ids, codec, size, contents }];
  });
}
