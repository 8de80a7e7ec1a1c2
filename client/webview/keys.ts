/** Which key means what in a timeline. Keys with modifiers, and keys typed into a field or on a button, are left alone. */

export type KeyAction = 'down' | 'up' | 'start' | 'end' | 'nextPrompt' | 'previousPrompt' | 'fold' | 'find' | 'closeFind';

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly target: unknown;
}

export function keyAction(event: Key): KeyAction | null {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'f') return 'find';
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const tag = tagOf(event.target);
  if (tag === 'INPUT' || tag === 'SELECT' || tag === 'TEXTAREA') return null;
  if (event.key === 'Enter' && (tag === 'BUTTON' || tag === 'A')) return null;
  return actions.get(event.key) ?? null;
}

function tagOf(target: unknown): string {
  return typeof target === 'object' && target !== null && 'tagName' in target ? String(target.tagName).toUpperCase() : '';
}

const actions: ReadonlyMap<string, KeyAction> = new Map([
  ['ArrowDown', 'down'],
  ['j', 'down'],
  ['ArrowUp', 'up'],
  ['k', 'up'],
  ['g', 'start'],
  ['Home', 'start'],
  ['G', 'end'],
  ['End', 'end'],
  ['n', 'nextPrompt'],
  ['p', 'previousPrompt'],
  ['Enter', 'fold'],
  ['/', 'find'],
  ['Escape', 'closeFind'],
]);
