/** One carrying in memory, as a hand-over does it: the target's writer, its own reader over the bytes, and what that makes of them. */
import type { Draft } from '../../../shuttles/contract/read.ts';
import type { Message } from '../../../shuttles/contract/message.ts';
import type { Shuttle, Write, WrittenSession } from '../../../shuttles/contract/shuttle.ts';
import { normalizeContext } from '../../../server/ledger/context.ts';
import { readBack } from '../../../server/drive/read-back.ts';
import { databasesIn } from '../../../server/main/databases.ts';
import { DiskSidecars } from '../../../server/main/sidecars.ts';
import { environmentOf } from '../../../server/main/environment.ts';
import { missingOf } from './carried.ts';

export const baton = '# Loom baton\n\nThis packet stands for the earlier work. It is no prompt of the person.';
/** Nothing is looked at, so that no copies are made. */
const databases = databasesIn('');
const sidecars = new DiskSidecars();
const environment = environmentOf('/home/user', {}, 'linux');
const now = Date.UTC(2026, 10, 30, 12);

export type Target = Shuttle & { readonly write: Write };
export function isTarget(shuttle: Shuttle): shuttle is Target {
  return !('absent' in shuttle.write);
}

export interface Carrying {
  readonly written: WrittenSession;
  readonly back: readonly Message[];
  readonly problem: string | undefined;
}

export function carry(target: Target, messages: readonly Message[], title = 'Fix the cart'): Carrying {
  const written = target.write.write(
    { messages, baton, title, cwd: '/home/user/shop', nativeId: target.write.newNativeId(now, Buffer.alloc(16, 7)), now },
    environment,
    sidecars,
    databases,
  );
  const { drafts, problem } = readBack(target, written, sidecars, databases);
  const pieces = drafts.map((draft, id) => ({
    id,
    kind: draft.kind,
    messageId: draft.kind === 'assistant' ? draft.content.messageId : undefined,
    harnessMade: false,
    messages: messagesOf(draft),
  }));
  const back = normalizeContext(pieces).map(({ message }) => message);
  return { written, back, problem };
}

function messagesOf(draft: Draft): readonly Message[] {
  if (draft.kind === 'user') return [{ role: 'user', content: draft.content.content }];
  if (draft.kind === 'assistant') return [{ role: 'assistant', content: draft.content.content }];
  if (draft.kind !== 'tool_result') return [];
  const { toolCallId, toolName, content, isError } = draft.content;
  return [{ role: 'toolResult', toolCallId, toolName: toolName ?? '', content, isError }];
}

/** Every fault of the carrying, a line each; empty: what arrived is what was given, but for the losses that the writer declares. */
export function faultsOf(target: Target, messages: readonly Message[]): readonly string[] {
  const { written, back, problem } = carry(target, messages);
  const faults = problem === undefined ? [] : [`reads back badly: ${problem}`];
  const first = back.findIndex(
    ({ role, content }) => role === 'user' && content.some((block) => block.type === 'text' && block.text.includes(baton)),
  );
  if (first < 0) faults.push('the baton is not there');
  const rest = first < 0 ? back : back.toSpliced(first, 1);
  if (rest.some((message) => JSON.stringify(message).includes('This packet stands for the earlier work')))
    faults.push('the baton is there twice');
  const declared = new Set<string>(target.write.losses.map(({ kind }) => kind));
  const cut = written.warnings.some((warning) => warning.includes('left out') || warning.includes('shortened'));
  for (const { what, excuse } of missingOf(messages, rest)) {
    if (excuse !== null && declared.has(excuse)) continue;
    // Turns that were left out for their size are told in a warning.
    if (cut && declared.has('oldTurns')) continue;
    faults.push(what);
  }
  return faults;
}
