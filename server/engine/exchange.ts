/**
 * The rules of exchanges (engine specification 2.3, 7.3). A result answers the newest earlier call of its id that has none yet and is
 * still waited for; a head cuts no exchange in two and parts no instructions from the exchange that they govern. Only kinds that declare
 * their part are looked at. Every walk goes from the newest entry down and ends where the answer is known.
 */
import { Rejected } from './errors.ts';
import type { Exchange } from './kinds.ts';
import type { Entry, Id } from './records.ts';

/** An entry with a part in exchanges. */
export interface ExchangeEntry {
  readonly id: Id;
  readonly conversationId: Id;
  readonly exchange: Exchange;
}

/** `before`: what the result's transcript has before it, newest first, from where its context begins. Throws Rejected `exchange`. */
export function checkAnswer(result: Pick<Entry, 'id' | 'conversationId'>, call: string, before: Iterable<ExchangeEntry>): void {
  let answered = 0;
  for (const { exchange } of before) {
    const calls = (exchange.calls ?? []).filter((id) => id === call).length;
    if (calls > answered) return;
    answered -= calls;
    if (exchange.starts === true) break;
    if (exchange.answers === call) answered++;
  }
  throw new Rejected(
    'exchange',
    `entry ${result.id} answers call ${JSON.stringify(call)}, which no entry of conversation ${result.conversationId} waits for`,
  );
}

/**
 * `before`: what the head's transcript has before it, newest first, from where the context now begins. A call that was inherited
 * from a fork's source and has no answer is waited for by nobody: the source's work stays there. Throws Rejected `exchange`.
 */
export function checkCut(head: Pick<Entry, 'id' | 'conversationId'>, from: Id, before: Iterable<ExchangeEntry>): void {
  const cut = cutBy(head.conversationId, from, before);
  if (cut !== undefined) throw new Rejected('exchange', `head ${head.id} retains from entry ${from}: ${cut}`);
}

function cutBy(conversation: Id, from: Id, before: Iterable<ExchangeEntry>): string | undefined {
  const retained = new Answers();
  const left = new Answers();
  let [startsAfter, exchangeAfter, exchangeBetween] = [false, false, false];
  for (const { id, conversationId, exchange } of before) {
    const calls = exchange.calls ?? [];
    if (id >= from) {
      for (const call of calls) retained.take(call);
      if (exchange.starts === true) startsAfter = true;
      if (exchange.starts === true || calls.length > 0) exchangeAfter = true;
      if (exchange.answers !== undefined) retained.add(exchange.answers);
      continue;
    }
    if (exchange.governs === true && exchangeAfter && !exchangeBetween)
      return `the instructions of entry ${id} govern what is retained`;
    for (const call of calls) {
      if (left.take(call)) continue;
      if (retained.take(call)) return `the result of call ${JSON.stringify(call)} of entry ${id} is retained`;
      if (!startsAfter && conversationId === conversation)
        return `call ${JSON.stringify(call)} of entry ${id} is not answered yet`;
    }
    if (exchange.starts === true) return undefined;
    if (calls.length > 0) exchangeBetween = true;
    if (exchange.answers !== undefined) left.add(exchange.answers);
  }
  return undefined;
}

/** Results whose call has not been met yet, by call id. */
class Answers {
  readonly #counts = new Map<string, number>();

  add(call: string): void {
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
  }

  /** True: one of them is of this call. */
  take(call: string): boolean {
    const count = this.#counts.get(call) ?? 0;
    if (count === 0) return false;
    this.#counts.set(call, count - 1);
    return true;
  }
}
