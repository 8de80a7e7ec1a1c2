/**
 * Codex writes most messages twice: for the model (`response_item`) and for its UI (`item_completed`, in legacy rollouts
 * `user_message`, `agent_message`, `agent_reasoning`), in either order. The first form becomes the entry; the second is
 * recognised inside the same turn by its id, or as the oldest unmatched one of the other form with the same words, or as the
 * direct neighbour. Never by text alone: two equal prompts stay two.
 */
import { hash } from './keys.ts';
import { remember, type CodexState, type Echo } from './state.ts';

export interface Said {
  readonly role: Echo['role'];
  readonly form: Echo['form'];
  readonly id: string | undefined;
  readonly text: string;
}

/** Is this the second form of a message that is written already? It is then done with. */
export function isEcho(state: CodexState, said: Said): boolean {
  const others = state.echoes.filter((echo) => echo.role === said.role && echo.form !== said.form);
  if (others.length === 0) return false;
  const found =
    others.find((echo) => echo.id !== null && echo.id === said.id) ??
    (said.role === 'search' ? undefined : sameWords(state, others, wordsOf(said)));
  if (found === undefined) return false;
  state.echoes = state.echoes.filter((echo) => echo !== found);
  return true;
}

/** To be called after the entry of a first form has been written. */
export function expectEcho(state: CodexState, said: Said): void {
  const words = wordsOf(said);
  const echo: Echo = {
    role: said.role,
    form: said.form,
    id: said.id ?? null,
    hash: words === '' ? hashOfNothing : hash(words),
    head: words.slice(0, 200),
    entries: state.entries,
  };
  remember(state.echoes, echo, 16);
}

const hashOfNothing = hash('');

function wordsOf(said: Said): string {
  return said.text === '' ? '' : said.text.replaceAll(/\s+/gu, '');
}

function sameWords(state: CodexState, others: readonly Echo[], words: string): Echo | undefined {
  const digest = hash(words);
  return others.find((echo) => echo.hash === digest) ?? neighbour(state, others, words);
}

/** The two forms may differ, by an attachment or a wrapping; then nothing else may stand between them. */
function neighbour(state: CodexState, others: readonly Echo[], words: string): Echo | undefined {
  const last = others.at(-1);
  if (last === undefined || last.entries !== state.entries) return undefined;
  const head = words.slice(0, 200);
  return head.includes(last.head.slice(0, 80)) || last.head.includes(head.slice(0, 80)) ? last : undefined;
}
