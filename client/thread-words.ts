/** What a thread is called, who held it, and what state it is in, in words and signs: the same in list, picker and timeline. */
import type { HarnessId } from '../shuttles/contract/harness.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { label } from './plain-text.ts';

export function titleOf(thread: ThreadView): string {
  const title = label(thread.title, 120);
  return title === '' ? 'Untitled thread' : title;
}

/** In the order in which the thread moved, the current one last. */
export function harnessesOf(thread: ThreadView): readonly HarnessId[] {
  const earlier = new Set(thread.native.map((native) => native.harness));
  earlier.delete(thread.harness);
  return [...earlier, thread.harness];
}

/** In front of a live thread's title: a full dot works, a half one waits for the person, a ring is idle. */
export function stateSign(thread: ThreadView): '' | '●' | '◐' | '○' {
  if (!thread.live) return '';
  switch (thread.state) {
    case 'working':
      return '●';
    case 'waiting':
      return '◐';
    case 'idle':
    case 'ended':
    case 'unknown':
      return '○';
  }
}

/** The state of a live thread in words; '' when nothing true can be said. */
export function stateWords(thread: ThreadView): string {
  if (!thread.live) return '';
  switch (thread.state) {
    case 'working':
      return 'working';
    case 'waiting':
      return 'waiting for you';
    case 'idle':
      return 'idle';
    case 'ended':
    case 'unknown':
      return 'open';
  }
}

/** What the thread lacks because its files do not tell all of it; '' when they do. `short` fits into a list's row. */
export function fidelityWords(thread: ThreadView): { readonly short: string; readonly whole: string } {
  const { fidelity } = thread;
  if (fidelity === undefined) return { short: '', whole: '' };
  switch (fidelity) {
    case 'transcript':
      return { short: '', whole: 'Read from a transcript: tokens and some details are missing' };
    case 'truncated':
      return { short: 'truncated', whole: 'Read from a shortened transcript: long texts are cut' };
    case 'artifacts':
      return { short: 'artifacts only', whole: 'The conversation cannot be read: only its plans and notes are shown' };
    case 'listed':
      return { short: 'not readable', whole: 'The conversation cannot be read: it is only listed' };
  }
}
