/**
 * The entry kinds of a thread as engine kinds: how each projects to what a model is given, which are context heads.
 * `step`, `notice`, `plan`, `turn`, `setting`, `snapshot`, `opaque` and `reset` reach no model; a `notice` may edit what others give it.
 */
import { entryKind } from '../engine/kinds.ts';
import type { EntryKind, TaskKindRoles } from '../engine/kinds.ts';
import type { ContentByKind, EntryKindName, Stored } from '../../shuttles/contract/entry.ts';
import type { Message } from '../../shuttles/contract/message.ts';

type LoomKind<K extends EntryKindName> = EntryKind<Stored<K>, Message>;

function kind<K extends EntryKindName>(name: K, behaviour: Omit<LoomKind<K>, 'kind' | 'is'> = {}): LoomKind<K> {
  return entryKind<Stored<K>, Message>(name, behaviour);
}

export const entryKinds = {
  user: kind('user', { project: (e) => [{ role: 'user', content: e.content.content }] }),
  assistant: kind('assistant', {
    project: (e) => [
      {
        role: 'assistant',
        content: e.content.content,
        ...(e.content.model === undefined ? {} : { model: e.content.model }),
        ...(e.content.provider === undefined ? {} : { provider: e.content.provider }),
        ...(e.content.stopReason === undefined ? {} : { stopReason: e.content.stopReason }),
      },
    ],
  }),
  tool_result: kind('tool_result', {
    project: (e) => [
      {
        role: 'toolResult',
        toolCallId: e.content.toolCallId,
        toolName: e.content.toolName ?? '',
        content: e.content.content,
        isError: e.content.isError,
        ...(e.content.details?.exitCode === undefined ? {} : { details: { exitCode: e.content.details.exitCode } }),
      },
    ],
  }),
  system: kind('system', {
    project: (e) => (e.content.text === '' ? [] : [{ role: 'system', content: [{ type: 'text', text: e.content.text }] }]),
  }),
  summary: kind('summary', {
    head: (e) => e.content.retainFrom ?? e.id,
    project: (e) => e.content.messages ?? [{ role: 'user', content: [{ type: 'text', text: e.content.text }] }],
  }),
  handoff: kind('handoff', {
    head: (e) => e.content.retainFrom ?? e.id,
    project: (e) => [{ role: 'user', content: [{ type: 'text', text: e.content.text }] }, ...(e.content.carried ?? [])],
  }),
  reset: kind('reset', { head: (e) => e.id }),
  step: kind('step'),
  notice: kind('notice', {
    edit: (e) =>
      (e.content.edits ?? []).map(({ target, messages }) =>
        messages.length === 0 ? { target, action: 'omit' } : { target, action: 'replace', messages },
      ),
  }),
  plan: kind('plan'),
  turn: kind('turn'),
  setting: kind('setting'),
  snapshot: kind('snapshot'),
  opaque: kind('opaque'),
} satisfies { readonly [K in keyof ContentByKind]: LoomKind<K> };

/** For the engine's registry, and for writing content whose kind is only known by name: kinds are stored under their names. */
export const registeredKinds = Object.values(entryKinds) as unknown as readonly EntryKind<never, Message>[];
export function kindNamed(name: EntryKindName): EntryKind<object, Message> {
  return entryKinds[name];
}

export function isHead(name: EntryKindName): boolean {
  return entryKinds[name].head !== undefined;
}

/** Kinds whose presence behind a record means that the conversation went on from it. */
export const contentKinds: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'summary', 'handoff', 'reset']);

/** The work of a native subagent, done elsewhere: a task that was never live here, so that its conversation has an owner. */
export const subagentTask: TaskKindRoles<{ readonly nativeId: string; readonly callId: string | null }> = {
  kind: 'native_subagent',
  initialStatus: 'ingested',
  roles: { ingested: 'terminal' },
};
