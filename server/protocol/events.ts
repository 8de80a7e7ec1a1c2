/**
 * Events of a subscription and the one reducer that folds them (engine specification 9.4): the server keeps its copy of a
 * view with it, and so do the client and the webview, so that none can drift. Events of one commit travel as one message.
 * Events are proportional to their change; a subscriber that fell behind gets `snapshot` and starts anew.
 */
import type { ConversationView, EntryView, FaultView, HarnessStatus, ImportProgress, ThreadView, View } from './views.ts';

export type ViewEvent =
  | { readonly type: 'snapshot'; readonly view: View }
  | { readonly type: 'thread'; readonly thread: ThreadView }
  | { readonly type: 'threadGone'; readonly id: string }
  | { readonly type: 'importing'; readonly progress: ImportProgress | null }
  | { readonly type: 'harnesses'; readonly harnesses: readonly HarnessStatus[] }
  | { readonly type: 'faults'; readonly faults: readonly FaultView[] }
  | { readonly type: 'entry'; readonly entry: EntryView }
  /** Older entries that this subscriber asked for, oldest first, directly before the first one held. */
  | { readonly type: 'older'; readonly entries: readonly EntryView[]; readonly older: number }
  | { readonly type: 'conversations'; readonly conversations: readonly ConversationView[] }
  | { readonly type: 'readAt'; readonly readAt: number };

/** Returns a new view; never changes the old one; an event that is not of this view's kind leaves it as it is. */
export function applyEvent(view: View, event: ViewEvent): View {
  switch (event.type) {
    case 'snapshot':
      return event.view;
    case 'readAt':
      return { ...view, readAt: event.readAt };
    case 'thread':
      if (view.kind === 'timeline') return view.thread.id === event.thread.id ? { ...view, thread: event.thread } : view;
      return { ...view, threads: upsert(view.threads, event.thread) };
    case 'threadGone':
      return view.kind === 'threads' ? { ...view, threads: view.threads.filter((t) => t.id !== event.id) } : view;
    case 'importing':
      return view.kind === 'threads' ? { ...view, importing: event.progress } : view;
    case 'harnesses':
      return view.kind === 'threads' ? { ...view, harnesses: event.harnesses } : view;
    case 'faults':
      return view.kind === 'threads' ? { ...view, faults: event.faults } : view;
    case 'entry': {
      if (view.kind !== 'timeline') return view;
      const last = view.entries.at(-1);
      if (last !== undefined && event.entry.id <= last.id) return view;
      return { ...view, entries: [...view.entries, event.entry] };
    }
    case 'older': {
      if (view.kind !== 'timeline') return view;
      const first = view.entries[0];
      const fresh = first === undefined ? event.entries : event.entries.filter((e) => e.id < first.id);
      return { ...view, entries: [...fresh, ...view.entries], older: event.older };
    }
    case 'conversations':
      return view.kind === 'timeline' ? { ...view, conversations: event.conversations } : view;
  }
}

/** Newest first by `updatedAt`; equal times keep the order of ids, so that two folds of the same events agree. */
function upsert(threads: readonly ThreadView[], thread: ThreadView): readonly ThreadView[] {
  const rest = threads.filter((t) => t.id !== thread.id);
  const at = rest.findIndex((t) => t.updatedAt < thread.updatedAt || (t.updatedAt === thread.updatedAt && t.id > thread.id));
  return at < 0 ? [...rest, thread] : [...rest.slice(0, at), thread, ...rest.slice(at)];
}
