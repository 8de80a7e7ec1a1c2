/**
 * Who holds a conversation: the terminal program leaves `presence/<id>.lock`, also behind a crash, so that the file alone proves nothing;
 * only a lock that is held on it does. The other surfaces leave no sign.
 */
import type { Environment, Holder, Machine, Presence } from '../contract/shuttle.ts';
import { isConversationId, nativeIdOf, rootOf, surfaces } from './places.ts';

const suffix = '.lock';

export const antigravityPresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    const separator = environment.platform === 'win32' ? '\\' : '/';
    return surfaces.flatMap((surface) => {
      const folder = [rootOf(environment, surface), 'presence'].join(separator);
      return machine.list(folder).flatMap((name): readonly Holder[] => {
        const id = name.slice(0, -suffix.length);
        if (!name.endsWith(suffix) || !isConversationId(id)) return [];
        const lock = machine.isLocked([folder, name].join(separator));
        if (lock?.held !== true) return [];
        return [{ nativeId: nativeIdOf(surface, id), pid: lock.pid, activity: 'unknown', evidence: 'presence lock held' }];
      });
    });
  },
};
