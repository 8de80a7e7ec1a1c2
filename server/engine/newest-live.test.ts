/** What a drive is told to wait for next is live, foreground work of its scope, and of what was made last where that is known. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewestLive } from './newest-live.ts';

const step = fc.record({
  settle: fc.boolean(),
  conversation: fc.integer({ min: 1, max: 3 }),
  background: fc.boolean(),
  pick: fc.nat(),
});

test('the known task is live, in the foreground and of the scope; the last one made is known until it settles', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const newest = new NewestLive();
      const live = new Map<number, { readonly conversation: number; readonly background: boolean }>();
      const last = new Map<number, number>();
      for (const [i, { settle, conversation, background, pick }] of steps.entries()) {
        const id = 10 + i;
        const settled = [...live.keys()][pick % Math.max(1, live.size)];
        if (settle && settled !== undefined) {
          live.delete(settled);
          newest.settled(settled);
        } else {
          live.set(id, { conversation, background });
          if (!background) last.set(conversation, id);
          newest.created({
            id,
            conversationId: conversation,
            kind: 'work',
            status: 'pending',
            after: [],
            ...(background ? { background } : {}),
          });
        }
        for (const [of, made] of last) {
          const known = newest.in({ conversation: of });
          if (live.has(made)) expect(known).toBe(made);
          else if (known !== undefined) expect(live.get(known)).toEqual({ conversation: of, background: false });
        }
        const any = newest.in({ session: true });
        const foreground = [...last.values()].some((made) => live.has(made));
        if (foreground || any !== undefined) expect(live.get(any ?? 0)?.background).toBe(false);
      }
    }),
    { seed: 61, numRuns: 300 },
  );
});
