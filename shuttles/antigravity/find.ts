/** Where Antigravity's conversations lie: stores, transcripts and artifacts below each surface's root. */
import type { Environment, Find, SessionRoot } from '../contract/shuttle.ts';
import { isConversationId, kindOf, rootOf, surfaces } from './places.ts';

export const antigravityFind: Find = {
  roots(environment: Environment): readonly SessionRoot[] {
    return surfaces.map((surface) => ({
      path: rootOf(environment, surface),
      depth: 4,
      matches: (relative) => kindOf(relative) !== undefined,
      enters(relative) {
        const [first, id, generated = '.system_generated', logs = 'logs'] = relative.split('/');
        if (first === 'conversations') return id === undefined;
        if (first !== 'brain') return false;
        return id === undefined || (isConversationId(id) && generated === '.system_generated' && logs === 'logs');
      },
    }));
  },
  sidecarPaths(): readonly string[] {
    return [];
  },
};
