/** Random histories of one inbox against the table of the engine specification 8.1, said plainly: nothing is lost, doubled or out of order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from './built-in/messages.ts';
import { startGeneration } from './built-in-tasks.ts';
import type { ConversationHandle } from './conversation.ts';
import { inbox, inboxLanding } from './inbox.ts';
import type { InboxLanding, InboxMode } from './inbox.ts';
import { landQueued } from './landing.ts';
import { AgentSession, echo } from './testing/agent-session.ts';
import { backends } from './testing/backends.ts';
import { textOf } from './testing/agent-kinds.ts';

type Step =
  | { readonly type: 'input'; readonly by: 'accept' | InboxMode }
  | { readonly type: 'land'; readonly at: 'post_tools' | 'final' }
  | { readonly type: 'cancel'; readonly index: number }
  | { readonly type: 'landing'; readonly landing: InboxLanding }
  | { readonly type: 'abort' | 'fail' | 'reopen' };

interface Queued {
  readonly mode: InboxMode;
  readonly text: string;
}

class Plain {
  said: string[] = [];
  queue: Queued[] = [];
  landing: InboxLanding = {};
  isBusy = false;

  input(by: 'accept' | InboxMode, text: string): void {
    const mode = by === 'accept' ? 'followUp' : by;
    if (this.isBusy || mode === 'nextRun') {
      this.queue.push({ mode, text });
      return;
    }
    if (mode !== 'write') this.take(['nextRun']);
    this.said.push(text);
    if (mode !== 'write') this.isBusy = true;
  }

  land(at: 'post_tools' | 'final'): void {
    if (!this.isBusy) return;
    const taken = this.take(at === 'final' ? ['write', 'steer', 'followUp'] : ['write', 'steer']);
    this.isBusy = at === 'post_tools' || taken.some(({ mode }) => mode !== 'write');
  }

  take(modes: readonly InboxMode[]): readonly Queued[] {
    const taken: Queued[] = [];
    for (const item of this.queue)
      if (modes.includes(item.mode) && !(this.landing[item.mode] === 'oldest' && taken.some(({ mode }) => mode === item.mode)))
        taken.push(item);
    this.queue = this.queue.filter((item) => !taken.includes(item));
    this.said.push(...taken.map(({ text }) => text));
    return taken;
  }

  abort(): void {
    this.isBusy = false;
    this.queue = this.queue.filter(({ mode }) => mode === 'write' || mode === 'nextRun');
  }
}

const modes = ['write', 'steer', 'followUp', 'nextRun'] as const;
const steps = fc.array(
  fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('input'), by: fc.constantFrom('accept', ...modes) }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('land'), at: fc.constantFrom('post_tools', 'final') }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('cancel'), index: fc.nat(4) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant('landing'),
        landing: fc.dictionary(fc.constantFrom(...modes), fc.constantFrom('all', 'oldest')),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constantFrom('abort', 'fail', 'reopen') }) },
  ),
  { maxLength: 25 },
);

test.each(backends)('an inbox on $name does what its table says [8.1-5] [8.1-10] [6.3-3]', async (backend) => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const disposals: (() => void | Promise<void>)[] = [];
      const session = new AgentSession((dispose) => disposals.push(dispose), { model: echo }, backend);
      let root = await (await session.open()).root();
      const plain = new Plain();
      for (const [i, step] of history.entries()) {
        if (step.type === 'reopen') root = await (await session.reopen()).root();
        else await apply(step, root, plain, `t${i}`);
        const items = root
          .list(inbox)
          .read()
          .items.map(({ value }) => value);
        expect(items).toEqual(plain.queue.map(({ mode, text }) => ({ mode, message: { content: [{ type: 'text', text }] } })));
        expect(root.entries({ limit: 100 }).items.map((entry) => textOf(entry))).toEqual(plain.said);
        expect(root.isBusy).toBe(plain.isBusy);
      }
      for (const dispose of disposals.toReversed()) await dispose();
    }),
    { seed: 81, numRuns: backend.name === 'memory' ? 100 : 10 },
  );
});

async function apply(
  step: Exclude<Step, { readonly type: 'reopen' }> | { readonly type: 'abort' | 'fail' | 'reopen' },
  root: ConversationHandle<Message>,
  plain: Plain,
  text: string,
): Promise<void> {
  switch (step.type) {
    case 'input':
      await root[step.by](text);
      return plain.input(step.by, text);
    case 'land':
      await settle(root, step.at);
      return plain.land(step.at);
    case 'cancel': {
      const item = root.list(inbox).read().items[step.index];
      expect(await root.cancelQueued(item?.id ?? 9999)).toBe(item === undefined ? 'not_found' : 'cancelled');
      plain.queue.splice(step.index, 1);
      return;
    }
    case 'landing':
      await root.value(inboxLanding).set(step.landing);
      plain.landing = step.landing;
      return;
    case 'abort':
      await root.abort();
      await settle(root, undefined);
      return plain.abort();
    case 'fail':
      await settle(root, undefined);
      plain.isBusy = false;
      return;
    case 'reopen':
      return;
  }
}

/** Ends the run as a kind does; `at` undefined: without landing anything. */
async function settle(root: ConversationHandle<Message>, at: 'post_tools' | 'final' | undefined): Promise<void> {
  await root.commit((tx) => {
    const [live] = tx.whole.soFar.live(root.id);
    if (live === undefined) return;
    tx.settle(live.id, 'failed');
    if (at === undefined) return;
    const { requestedBy } = landQueued(tx, at);
    if (requestedBy !== undefined || at === 'post_tools') startGeneration(tx, requestedBy ?? 0);
  });
}
