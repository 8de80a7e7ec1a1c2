/**
 * What the timeline's panel and its webview say to each other. Views and events go in, intents come out; both sides decode
 * what they get and drop what they do not know, since either end may be of another age or hold damaged state.
 */
import type { ViewEvent } from '../../server/protocol/events.ts';
import type { EntryView, TimelineView } from '../../server/protocol/views.ts';
import type { ThreadChanges } from '../../server/protocol/world.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { isHarness } from '../continue-target.ts';

export interface FoundEntry {
  readonly entry: number;
  readonly conversation: number;
}
export type HostMessage =
  /** `following`: the conversation that was asked for; null: whichever is current. `fresh`: begin at the newest entry. */
  | { readonly type: 'view'; readonly view: TimelineView; readonly following: number | null; readonly fresh: boolean }
  | { readonly type: 'events'; readonly events: readonly ViewEvent[] }
  /** Answers `older`, after its events, also when there were none. */
  | { readonly type: 'olderDone' }
  /** Answers `entry`: the same entry with nothing clipped. */
  | { readonly type: 'entry'; readonly entry: EntryView }
  /** Answers `find`. */
  | { readonly type: 'found'; readonly words: string; readonly hits: readonly FoundEntry[]; readonly hint: string | null }
  | { readonly type: 'reveal'; readonly entry: number }
  /** What the thread's turns did to files, as far as it is known now. */
  | { readonly type: 'changes'; readonly changes: ThreadChanges }
  /** '' clears it. */
  | { readonly type: 'trouble'; readonly text: string };

export type Intent =
  /** The webview is there and wants a view; `tail`: how many entries it would like to have at once. */
  | { readonly type: 'ready'; readonly tail: number }
  | { readonly type: 'older'; readonly limit: number }
  | { readonly type: 'entry'; readonly entry: number }
  | { readonly type: 'find'; readonly words: string }
  | { readonly type: 'follow'; readonly conversation: number | null; readonly reveal: number | null }
  | { readonly type: 'openFile'; readonly path: string; readonly line: number | null }
  | { readonly type: 'openLink'; readonly url: string }
  | { readonly type: 'openThread'; readonly thread: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'continueIn' }
  /** Back to an agent that drove the thread before: what is new goes to the end of its own session. */
  | { readonly type: 'returnTo'; readonly harness: HarnessId }
  /** The two ways out of a conflict. */
  | { readonly type: 'keepLease' }
  | { readonly type: 'followConflict' }
  | { readonly type: 'copyBaton' }
  /** Between two snapshots; null: all files. */
  | { readonly type: 'showChanges'; readonly before: number; readonly after: number; readonly path: string | null }
  | { readonly type: 'restoreChanges'; readonly before: number; readonly after: number; readonly path: string | null }
  /** From the thread's first turn to its last. */
  | { readonly type: 'showAllChanges' }
  | { readonly type: 'restoreNative' };

/** What VS Code keeps of a timeline over a reload. */
export interface PanelState {
  readonly thread: string;
  readonly conversation: number | null;
  readonly title: string;
}

export function decodeIntent(value: unknown): Intent | undefined {
  if (!isRecord(value)) return undefined;
  switch (value['type']) {
    case 'ready':
      return isCount(value['tail']) ? { type: 'ready', tail: value['tail'] } : undefined;
    case 'older':
      return isCount(value['limit']) ? { type: 'older', limit: value['limit'] } : undefined;
    case 'entry':
      return isCount(value['entry']) ? { type: 'entry', entry: value['entry'] } : undefined;
    case 'find':
      return isText(value['words'], 1000) ? { type: 'find', words: value['words'] } : undefined;
    case 'follow':
      return isCountOrNull(value['conversation']) && isCountOrNull(value['reveal'])
        ? { type: 'follow', conversation: value['conversation'], reveal: value['reveal'] }
        : undefined;
    case 'openFile':
      return isText(value['path'], 4096) && isCountOrNull(value['line'])
        ? { type: 'openFile', path: value['path'], line: value['line'] }
        : undefined;
    case 'openLink':
      return isText(value['url'], 8192) ? { type: 'openLink', url: value['url'] } : undefined;
    case 'openThread':
      return isText(value['thread'], 200) ? { type: 'openThread', thread: value['thread'] } : undefined;
    case 'copy':
      return isText(value['text'], 20_000_000) ? { type: 'copy', text: value['text'] } : undefined;
    case 'continueIn':
      return { type: 'continueIn' };
    case 'returnTo':
      return isHarness(value['harness']) ? { type: 'returnTo', harness: value['harness'] } : undefined;
    case 'keepLease':
      return { type: 'keepLease' };
    case 'followConflict':
      return { type: 'followConflict' };
    case 'showChanges':
    case 'restoreChanges':
      return isCount(value['before']) && isCount(value['after']) && (value['path'] === null || isText(value['path'], 40_000))
        ? { type: value['type'], before: value['before'], after: value['after'], path: value['path'] }
        : undefined;
    case 'showAllChanges':
      return { type: 'showAllChanges' };
    case 'copyBaton':
      return { type: 'copyBaton' };
    case 'restoreNative':
      return { type: 'restoreNative' };
    default:
      return undefined;
  }
}

/** The envelope and what drawing depends on are checked; texts inside are data, whatever they hold. */
export function decodeHostMessage(value: unknown): HostMessage | undefined {
  if (!isRecord(value)) return undefined;
  switch (value['type']) {
    case 'view':
      return isTimeline(value['view']) && isCountOrNull(value['following'])
        ? { type: 'view', view: value['view'], following: value['following'], fresh: value['fresh'] === true }
        : undefined;
    case 'events':
      return Array.isArray(value['events']) ? { type: 'events', events: value['events'].filter(isEvent) } : undefined;
    case 'olderDone':
      return { type: 'olderDone' };
    case 'entry':
      return isEntry(value['entry']) ? { type: 'entry', entry: value['entry'] } : undefined;
    case 'found':
      return isText(value['words'], 1000) && Array.isArray(value['hits'])
        ? {
            type: 'found',
            words: value['words'],
            hits: value['hits'].filter(isFound),
            hint: typeof value['hint'] === 'string' ? value['hint'] : null,
          }
        : undefined;
    case 'reveal':
      return isCount(value['entry']) ? { type: 'reveal', entry: value['entry'] } : undefined;
    case 'changes':
      return isChanges(value['changes']) ? { type: 'changes', changes: value['changes'] } : undefined;
    case 'trouble':
      return typeof value['text'] === 'string' ? { type: 'trouble', text: value['text'] } : undefined;
    default:
      return undefined;
  }
}

export function decodePanelState(value: unknown): PanelState | undefined {
  if (!isRecord(value) || !isText(value['thread'], 200)) return undefined;
  const title = isText(value['title'], 500) ? value['title'] : '';
  return { thread: value['thread'], conversation: isCount(value['conversation']) ? value['conversation'] : null, title };
}

type Bag = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
function isCountOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}
function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= most;
}
function isTimeline(value: unknown): value is TimelineView {
  return (
    isRecord(value) &&
    value['kind'] === 'timeline' &&
    isRecord(value['thread']) &&
    Array.isArray(value['conversations']) &&
    Array.isArray(value['entries']) &&
    value['entries'].every(isEntry) &&
    typeof value['older'] === 'number'
  );
}
function isEntry(value: unknown): value is EntryView {
  return isRecord(value) && isCount(value['id']) && typeof value['kind'] === 'string';
}
function isEvent(value: unknown): value is ViewEvent {
  if (!isRecord(value)) return false;
  switch (value['type']) {
    case 'snapshot':
      return isTimeline(value['view']);
    case 'entry':
      return isEntry(value['entry']);
    case 'older':
      return Array.isArray(value['entries']) && value['entries'].every(isEntry) && typeof value['older'] === 'number';
    case 'thread':
      return isRecord(value['thread']);
    case 'conversations':
      return Array.isArray(value['conversations']);
    case 'readAt':
      return typeof value['readAt'] === 'number';
    default:
      return false;
  }
}
function isChanges(value: unknown): value is ThreadChanges {
  return isRecord(value) && Array.isArray(value['turns']) && value['turns'].every(isTurnChanges);
}
function isTurnChanges(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCountOrNull(value['entry']) &&
    isCountOrNull(value['conversation']) &&
    isCountOrNull(value['last']) &&
    isCount(value['before']) &&
    isCount(value['after']) &&
    isHarness(value['harness']) &&
    isCount(value['filesTotal']) &&
    Array.isArray(value['files']) &&
    value['files'].every((file) => isRecord(file) && typeof file['path'] === 'string') &&
    Array.isArray(value['beside'])
  );
}
function isFound(value: unknown): value is FoundEntry {
  return isRecord(value) && isCount(value['entry']) && isCount(value['conversation']);
}
