/**
 * Handlers of the hook points that kinds declare (engine specification 8.7). The engine routes, by the name of the kind, so that handlers go
 * on with a kind that replaces theirs; the kind that runs a point says how outputs merge and what a throw means. A run holds
 * the handlers that were there when it began. Handlers run outside the line: what they decide is applied in a commit that looks anew.
 * Registrations are process state and are never stored.
 */
import { HookFailed, Rejected } from './errors.ts';
import type { HookHandler, HookPoint, HookPoints, HookRunner, HookSpec } from './hook-points.ts';
import type { TaskKind } from './kinds.ts';
import type { Id } from './records.ts';
import type { Storage } from './storage.ts';

/** A kind as far as hooks go. */
export type Hooked<Handled extends HookPoints> = Pick<TaskKind<never, Handled, never, never>, 'kind' | 'hooks'>;

export interface HookScope {
  readonly conversation: Id;
  /** Also for the conversations that are owned from it, however deep; never for its forks. */
  readonly subtree: boolean;
}

interface Registration {
  readonly handler: HookHandler<HookPoint>;
  /** Absent: every conversation. */
  readonly scope: HookScope | undefined;
}

export class Hooks {
  readonly #storage: Storage;
  readonly #report: (error: HookFailed, task: Id | undefined) => void;
  /** By kind, then point, in the order of registration. */
  readonly #registrations = new Map<string, Map<string, Set<Registration>>>();

  /** `report` is told of handlers that threw and were passed over, and of the task whose execution ran them. */
  constructor(storage: Storage, report: (error: HookFailed, task: Id | undefined) => void) {
    this.#storage = storage;
    this.#report = report;
  }

  /**
   * Handlers without a scope run first, then those of conversations from the outermost to the innermost, in the order of registration
   * within each. Returns how to take the handler away. Throws Rejected `unknownHook` for a point that the kind does not declare.
   */
  on<Handled extends HookPoints, Point extends keyof Handled & string>(
    kind: Hooked<Handled>,
    point: Point,
    handler: HookHandler<Handled[Point]>,
    scope?: HookScope,
  ): () => void {
    specOf(kind, point);
    const points = this.#registrations.get(kind.kind) ?? new Map<string, Set<Registration>>();
    this.#registrations.set(kind.kind, points);
    const registrations = points.get(point) ?? new Set();
    points.set(point, registrations);
    const registration: Registration = {
      // Kind and point bring it together again with the input and output that it is for.
      handler: (input, before, signal) => handler(input, before, signal),
      scope,
    };
    registrations.add(registration);
    return () => void registrations.delete(registration);
  }

  /** Runs a kind's points for one conversation; the signal's abort ends a run. `task`: whose execution runs them. */
  runner<Handled extends HookPoints>(
    kind: Hooked<Handled>,
    conversation: Id,
    signal: AbortSignal,
    task?: Id,
  ): HookRunner<Handled> {
    return {
      /** Rejects with `unknownHook`, with an AbortError, or with `HookFailed` at a point that fails closed. */
      run: async <Point extends keyof Handled & string>(
        point: Point,
        input: Handled[Point]['input'],
      ): Promise<Handled[Point]['output'] | undefined> => {
        const spec = specOf(kind, point);
        let output: Handled[Point]['output'] | undefined;
        for (const handler of this.#handlers(kind.kind, point, conversation)) {
          if (signal.aborted) break;
          try {
            const next: unknown = await unlessAborted(async () => handler(input, output, signal), signal);
            if (next !== undefined) output = merged(spec, output, next);
          } catch (cause) {
            if (signal.aborted) break;
            const failure = new HookFailed(kind.kind, point, cause);
            if (spec.failClosed === true) throw failure;
            this.#report(failure, task);
          }
        }
        if (signal.aborted) throw abortError(signal);
        return output;
      },
    };
  }

  /** A run keeps them, whoever is registered or removed meanwhile. */
  #handlers(kind: string, point: string, conversation: Id): readonly HookHandler<HookPoint>[] {
    const registrations = [...(this.#registrations.get(kind)?.get(point) ?? [])];
    const innermostFirst = registrations.some(({ scope }) => scope !== undefined) ? this.#ownedFrom(conversation) : [];
    const levels = Array.from({ length: innermostFirst.length + 1 }, (): HookHandler<HookPoint>[] => []);
    for (const { handler, scope } of registrations) {
      const level = scope === undefined ? innermostFirst.length : innermostFirst.indexOf(scope.conversation);
      if (level === 0 || scope?.subtree !== false) levels[level]?.push(handler);
    }
    return levels.toReversed().flat();
  }

  /** The conversation, the one whose task owns it, and so on. */
  #ownedFrom(conversation: Id): readonly Id[] {
    const chain = [conversation];
    for (const id of chain) {
      const owner = this.#storage.getConversations([id]).get(id)?.owner;
      const above = owner === undefined ? undefined : this.#storage.getTaskHeaders([owner]).get(owner)?.conversationId;
      if (above !== undefined) chain.push(above);
    }
    return chain;
  }
}

function specOf<Handled extends HookPoints>({ kind, hooks }: Hooked<Handled>, point: keyof Handled & string): HookSpec<unknown> {
  const specs = (hooks ?? {}) as Readonly<Record<string, HookSpec<unknown>>>;
  const spec = Object.hasOwn(specs, point) ? specs[point] : undefined;
  if (spec === undefined) throw new Rejected('unknownHook', `task kind ${kind} declares no hook point ${JSON.stringify(point)}`);
  return spec;
}

/** What is not an object has no properties to merge: the later one stands. */
function merged(spec: HookSpec<unknown>, before: unknown, next: unknown): unknown {
  if (before === undefined) return next;
  if (spec.merge !== undefined) return spec.merge(before, next);
  return isObject(before) && isObject(next) ? { ...before, ...next } : next;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Settles with the work or, rejecting, with the abort; what the work comes to after that is dropped, an error too. */
async function unlessAborted<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(abortError(signal));
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function abortError({ reason }: AbortSignal): Error {
  return reason instanceof Error && reason.name === 'AbortError'
    ? reason
    : new DOMException('the run of a hook was aborted', { name: 'AbortError', cause: reason });
}
