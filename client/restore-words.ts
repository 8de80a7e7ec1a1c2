/** Where a thread's files may be restored to, and what came of it, in words. Pure. */
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { RestoreResult } from '../server/protocol/requests.ts';
import type { ThreadView } from '../server/protocol/views.ts';
import { bytes, counted } from './amounts.ts';
import { label, visible } from './plain-text.ts';

export interface RestorePlace {
  readonly place: 'back' | 'elsewhere';
  readonly label: string;
  readonly detail: string;
}

/** Back to where they lay comes first where they are gone: that is what lets the agent open the session again. */
export function restorePlaces(thread: Pick<ThreadView, 'sourceGone' | 'harness' | 'native'>): readonly RestorePlace[] {
  const path = thread.native.at(-1)?.path ?? '';
  const back: RestorePlace = {
    place: 'back',
    label: 'Put back where it was',
    detail: `${harnessNames[thread.harness]} finds the session again. ${visible(path)}`.trim(),
  };
  const elsewhere: RestorePlace = {
    place: 'elsewhere',
    label: 'Into a folder…',
    detail: 'A copy, byte for byte. Nothing that is there is replaced.',
  };
  return thread.sourceGone ? [back, elsewhere] : [elsewhere];
}

/** One line; `isWhole`: everything that the thread was read from is there. */
export function restoreWords({ files, missing }: RestoreResult): { readonly text: string; readonly isWhole: boolean } {
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  const done =
    files.length === 0
      ? 'No session file was restored'
      : `${counted(files.length, 'session file')} restored byte for byte, ${bytes(size)}`;
  const [first, ...more] = missing;
  if (first === undefined) return { text: `${done}.`, isWhole: true };
  const rest = more.length === 0 ? '' : ` And ${counted(more.length, 'more', 'more')}.`;
  return { text: `${done}. ${label(`${first.path} ${first.reason}`, 300)}.${rest}`, isWhole: false };
}
