/**
 * Who holds a thread: Codex (since about 0.147) keeps an exclusive lock on `thread-writer-locks/<thread id>.lock` while it has
 * the thread loaded. The file itself proves nothing, it stays behind after a kill; only the lock counts. Older versions take
 * none, and whether the holder is in a turn is told by the rollout alone, so the activity is unknown here.
 */
import type { Holder, Presence } from '../contract/shuttle.ts';
import { codexHome, joining } from './find.ts';
import { isUuid } from './rollout-name.ts';

const suffix = '.lock';

export const codexPresence: Presence = {
  holders(environment, machine) {
    const join = joining(environment);
    const folder = join(codexHome(environment), 'thread-writer-locks');
    return machine.list(folder).flatMap((name): readonly Holder[] => {
      const nativeId = name.slice(0, -suffix.length);
      if (!name.endsWith(suffix) || !isUuid(nativeId)) return [];
      const lock = machine.isLocked(join(folder, name));
      if (lock?.held !== true) return [];
      return [{ nativeId: nativeId.toLowerCase(), pid: lock.pid, activity: 'unknown', evidence: 'writer lock held' }];
    });
  },
};
