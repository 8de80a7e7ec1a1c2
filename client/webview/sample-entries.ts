/** Entries for tests, one short maker a kind. */
import type { ActionDetails } from '../../shuttles/contract/entry.ts';
import type { CallView, EntryView } from '../../server/protocol/views.ts';
import type { EntryOf } from './rows.ts';

function common(id: number): Pick<EntryView, 'id' | 'conversation' | 'at' | 'harness' | 'provenance'> {
  return {
    id,
    conversation: 1,
    at: 1_788_000_000_000 + id * 1000,
    harness: 'claude',
    provenance: { harness: 'claude', source: 1, offset: 0, length: 1, translator: 1, trust: 'model' },
  };
}
export function prompt(id: number, text: string, origin: EntryOf<'user'>['origin'] = 'typed'): EntryOf<'user'> {
  return { ...common(id), kind: 'user', origin, text, images: [], clipped: false };
}
export function assistant(id: number, over: Partial<EntryOf<'assistant'>>): EntryOf<'assistant'> {
  return {
    ...common(id),
    kind: 'assistant',
    messageId: null,
    text: '',
    thinking: '',
    model: null,
    commentary: false,
    failed: false,
    calls: [],
    images: [],
    clipped: false,
    ...over,
  };
}
export function call(id: string, name = 'Bash', title = 'npm test'): CallView {
  return { id, name, title, input: '{}' };
}
export function result(id: number, callId: string, over: Partial<EntryOf<'tool_result'>> = {}): EntryOf<'tool_result'> {
  return {
    ...common(id),
    kind: 'tool_result',
    callId,
    name: 'Bash',
    output: 'ok',
    isError: false,
    details: {},
    images: [],
    clipped: false,
    ...over,
  };
}
export function step(id: number, title: string, details: ActionDetails): EntryOf<'step'> {
  return { ...common(id), kind: 'step', title, output: '', isError: false, details, clipped: false };
}
export function turn(id: number, phase: EntryOf<'turn'>['phase'], durationMs: number | null = null): EntryOf<'turn'> {
  return { ...common(id), kind: 'turn', phase, durationMs, error: null };
}
export function setting(id: number, name: string, value: string): EntryOf<'setting'> {
  return { ...common(id), kind: 'setting', name, value };
}
export function opaque(id: number, nativeType: string): EntryOf<'opaque'> {
  return { ...common(id), kind: 'opaque', nativeType, damaged: false, note: '' };
}
export function notice(id: number, level: EntryOf<'notice'>['level'], text: string): EntryOf<'notice'> {
  return { ...common(id), kind: 'notice', level, code: 'info', text };
}
export function handoff(id: number): EntryOf<'handoff'> {
  return {
    ...common(id),
    kind: 'handoff',
    from: 'claude',
    to: 'codex',
    mode: 'native',
    bytes: 5140,
    masked: 3,
    quoted: 1,
    text: '# Baton',
    clipped: false,
  };
}
