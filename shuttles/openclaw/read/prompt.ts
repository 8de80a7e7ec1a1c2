/**
 * Who wrote a text that stands in the user role. Decided for each message, since one session mixes the operator with people of any chat:
 * only a message that OpenClaw marks as its owner's, and that came from the owner directly or through another program, is a person's
 * word. Everything else is a chat's, also where there is no mark at all (files, and rows that were taken over from them).
 */
import type { Trust, UserContent } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { filled, obj, oneLine, str } from '../../kit/fields.ts';
import { promptOf as promptOfPi } from '../../pi/read/prompt.ts';
import { splitWrapped } from './wrapped.ts';

export interface Prompt {
  /** What OpenClaw put in front of the words. */
  readonly injected: readonly UserBlock[];
  readonly injectedTrust: Trust;
  readonly words: readonly UserBlock[];
  readonly origin: UserContent['origin'];
  readonly trust: Trust;
  /** How the chat names who wrote it. */
  readonly sender: string | undefined;
  /** What may name the session. */
  readonly title: string;
}

const external = '<<<EXTERNAL_UNTRUSTED_CONTENT';

export function promptOf(message: JsonObject, blocks: readonly UserBlock[], automation: boolean): Prompt {
  const mark = obj(message, '__openclaw');
  const provenance = str(obj(message, 'provenance'), 'kind');
  const isOwner = mark?.['senderIsOwner'] === true && (provenance === undefined || provenance === 'external_user');
  const { front, rest, text, sender } = splitWrapped(blocks);
  const injected = front === '' ? [] : [{ type: 'text', text: front } as const];
  if (isOwner) {
    const own = promptOfPi(rest, undefined);
    const { words, origin, trust, typed } = own;
    return {
      injected: [...injected, ...own.injected],
      injectedTrust: own.injected.length === 0 ? 'harness' : own.injectedTrust,
      words,
      origin,
      trust,
      sender: undefined,
      title: typed,
    };
  }
  const base = { injected, injectedTrust: 'chat', words: rest, sender: undefined, title: '' } as const;
  if (provenance === 'internal_system') return { ...base, injectedTrust: 'harness', origin: 'harness', trust: 'harness' };
  // Another session or agent: nobody's prompt, and data for whoever reads it.
  if (provenance === 'inter_session') return { ...base, origin: 'harness', trust: 'chat' };
  if (text.slice(0, 10_000).includes(external)) return { ...base, origin: 'hook', trust: 'web', title: text };
  if (automation && mark === undefined) return { ...base, origin: 'hook', trust: 'chat', title: text };
  const name = filled(mark, 'senderName') ?? filled(mark, 'senderUsername') ?? filled(mark, 'senderId') ?? sender;
  return {
    ...base,
    origin: 'chat',
    trust: 'chat',
    sender: name === undefined ? undefined : oneLine(name, 120),
    title: text,
  };
}
