/** `loom show`: the timeline of a thread, page by page. */
import type { EntryView } from '../../protocol/views.ts';
import type { LedgerEntry } from '../../../shuttles/contract/entry.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { machineOf, thisSystem } from '../../../shuttles/kit/machine.ts';
import { shuttles } from '../../../shuttles/registry.ts';
import { findThread } from '../../ledger/lookup.ts';
import { rawText } from '../../ledger/search-text.ts';
import { RawRecords } from '../../ingest/raw-records.ts';
import type { RawRecord } from '../../ingest/raw-records.ts';
import { entriesAfter } from '../../ledger/transcript.ts';
import { actionWords } from '../action-words.ts';
import { conversationViews } from '../conversation-view.ts';
import { entryView } from '../entry-view.ts';
import { readHolders } from '../presence.ts';
import { DiskSidecars } from '../sidecars.ts';
import { dayAndTime, oneLine, plain } from '../terminal.ts';
import type { Terminal } from '../terminal.ts';
import { threadView } from '../thread-view.ts';
import { conversationArgument } from './conversation.ts';
import { done, flag, isUsage, numberOption, oneThread } from './command.ts';
import type { Command } from './command.ts';

const page = 1000;

export const showCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, environment }) {
    const name = oneThread(parsed);
    if (isUsage(name)) return name;
    const given = numberOption(parsed, 'conversation', 1);
    if (isUsage(given)) return given;
    const after = numberOption(parsed, 'after', 0);
    if (isUsage(after)) return after;
    const limit = numberOption(parsed, 'limit', 1);
    if (isUsage(limit)) return limit;
    const thread = findThread(ledger, name);
    using records = new RawRecords({ ledger, shuttles, environment, sidecars: new DiskSidecars() });
    const raw = flag(parsed, 'raw') ? records : undefined;
    const { conversation, through } = conversationArgument(ledger, thread, name, given);
    const { entries, next } =
      conversation === 0
        ? { entries: [], next: undefined }
        : await entriesAfter(
            ledger,
            thread.session,
            conversation,
            after ?? 0,
            limit ?? (flag(parsed, 'json') ? page : Number.MAX_SAFE_INTEGER),
            through ?? undefined,
          );
    if (flag(parsed, 'json')) {
      terminal.json({
        thread: threadView(ledger, thread, readHolders(shuttles, environment, machineOf(environment.platform, thisSystem()))),
        conversations: conversationViews(ledger, thread).map(
          ({ id, parent, owner, current, title, harness, entries: count }) => ({
            id,
            parent,
            owner,
            current,
            title,
            harness,
            entries: count,
          }),
        ),
        entries: entries.map((entry) => entryJson(entry, raw)),
        next: next ?? null,
      });
      return done;
    }
    terminal.line(terminal.bold(plain(thread.title)));
    terminal.line(terminal.dim(`${thread.id} · ${harnessNames[thread.harness]} · ${plain(thread.cwd)}`));
    let told = '';
    for (const entry of entries) {
      const view = entryView(entry);
      // Why a turn failed mostly stands in the notice before it.
      const isTold = view.kind === 'turn' && view.error !== null && told.includes(view.error);
      show(terminal, isTold ? { ...view, error: null } : view, raw?.of(entry));
      if (view.kind === 'notice') told = view.text;
      else if (view.kind === 'user') told = '';
    }
    if (next !== undefined) terminal.note(`more: loom show ${thread.id} --after ${next}`);
    return done;
  },
};

/** The stored content, flat, with the whole text beside it; `raw`: its record, and whether that came from the file or the archive. */
function entryJson(entry: LedgerEntry, records: RawRecords | undefined): object {
  const { at, provenance, ...content } = entry.content;
  const record = records?.of(entry);
  return {
    id: entry.id,
    conversation: entry.conversationId,
    kind: entry.kind,
    at,
    text: rawText(entry),
    ...content,
    provenance,
    ...(record === undefined ? {} : record.ok ? { raw: record.text, rawFrom: record.from } : { rawMissing: record.reason }),
  };
}

function show(terminal: Terminal, entry: EntryView, record: RawRecord | undefined): void {
  const time = entry.at === null ? '     ' : new Date(entry.at).toTimeString().slice(0, 5);
  const say = (who: string, text: string): void => {
    if (text.trim() !== '') terminal.line(`\n${terminal.dim(`${time} e${entry.id}`)} ${terminal.bold(who)}\n${plain(text)}`);
  };
  const small = (text: string): void => terminal.line(terminal.dim(`${time} e${entry.id} ${oneLine(text, terminal.width - 16)}`));
  switch (entry.kind) {
    case 'user':
      if (entry.origin === 'harness') small(`(${harnessNames[entry.harness]}) ${entry.text}`);
      else say(entry.origin === 'chat' ? `${oneLine(entry.sender ?? 'Somebody', 60)} (from a chat)` : 'You', entry.text);
      break;
    case 'assistant':
      say(harnessNames[entry.harness], entry.text);
      for (const call of entry.calls) terminal.line(`  ▸ ${oneLine(`${call.name} ${call.title}`, terminal.width - 6)}`);
      break;
    case 'tool_result': {
      const words = actionWords(entry.details, entry.isError).join(', ');
      const line = `    ${oneLine(entry.output === '' ? words : `${words}: ${entry.output}`, terminal.width - 8)}`;
      terminal.line(entry.isError ? terminal.red(line) : terminal.dim(line));
      break;
    }
    case 'step': {
      const words = actionWords(entry.details, entry.isError).join(', ');
      const line = `  ▸ ${oneLine(`${entry.title} (${words})`, terminal.width - 6)}`;
      terminal.line(entry.isError ? terminal.red(line) : line);
      break;
    }
    case 'plan':
      for (const item of entry.items)
        terminal.line(
          `  ${item.status === 'completed' ? '☑' : item.status === 'inProgress' ? '◐' : '☐'} ${oneLine(item.text, terminal.width - 6)}`,
        );
      break;
    case 'summary':
      terminal.line(`\n══ compacted ══\n${terminal.dim(oneLine(entry.text, terminal.width * 2))}`);
      break;
    case 'handoff':
      terminal.line(
        `\n══ ${harnessNames[entry.to]} took over from ${harnessNames[entry.from]} · baton ${entry.bytes} bytes · ${entry.masked} secrets masked ══`,
      );
      break;
    case 'reset':
      terminal.line(`\n══ ${oneLine(entry.reason, 100)} ══`);
      break;
    case 'notice':
      small(
        `${entry.level === 'error' ? '✗ ' : ''}${entry.text}${entry.resetsAt === undefined ? '' : ` (until ${dayAndTime(entry.resetsAt)})`}`,
      );
      break;
    case 'turn':
      if (entry.phase !== 'started') small(`── turn ${entry.phase}${entry.error === null ? '' : `: ${entry.error}`}`);
      break;
    case 'setting':
      small(`${entry.name}: ${entry.value}`);
      break;
    case 'opaque':
      small(`${entry.damaged ? 'damaged record' : 'record not understood'}: ${entry.nativeType} ${entry.note}`);
      break;
    case 'system':
    case 'snapshot':
      break;
  }
  if (record?.ok === true)
    terminal.line(terminal.dim(`${record.from === 'archive' ? '(from the archive) ' : ''}${plain(record.text)}`));
  else if (record !== undefined) terminal.line(terminal.dim(`(${plain(record.reason)})`));
}
