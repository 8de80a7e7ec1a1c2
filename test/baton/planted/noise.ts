/** What fills long sessions: reading, searching, small edits, builds that go well, remarks. Made up from a seed, the same each time. */
import type { Beat } from './beat.ts';
import { edit, prompt, read, run, say } from './beat.ts';
import { Words } from '../../bench/words.ts';

const remarks = [
  'Let me look at how this is used elsewhere.',
  'Now I have a clearer picture of the module.',
  'That matches what the types say.',
  'Good, this part is as expected. Moving on to the next file.',
  'I see. The helper is only called from two places.',
  'Checking the neighbouring tests as well.',
  'What does this function return for an empty list? It returns null.',
];
const asks = [
  'ok',
  'continue',
  'go on',
  'looks good so far',
  'thanks, keep going',
  'what is the status?',
  'and the other module?',
];

/** About `count` beats. */
export function noise(seed: number, count: number): readonly Beat[] {
  const words = new Words(seed);
  const out: Beat[] = [];
  while (out.length < count) {
    const file = `src/${words.pick(['cart', 'order', 'mail', 'stock', 'user', 'admin'])}/${words.pick(['index', 'model', 'view', 'store', 'routes'])}-${words.integer(40)}.ts`;
    const kind = words.integer(10);
    if (kind < 3) out.push(read(file, words.prose(words.size(400, 0.8))));
    else if (kind < 5)
      out.push(
        run(
          `rg -n "${words.pick(['total', 'render', 'config'])}" src`,
          words.prose(words.size(200, 0.8)),
          words.integer(3) === 0 ? 1 : 0,
        ),
      );
    else if (kind < 6) out.push(run(`git log --oneline -${1 + words.integer(20)}`, words.prose(120)));
    else if (kind < 7) out.push(edit(file, [`const a = ${words.integer(1e6)};`], [`const b = ${words.integer(1e6)};`]));
    else if (kind < 8) out.push(run('npm run typecheck', 'Found 0 errors.'));
    else if (kind < 9) out.push(say(words.pick(remarks)));
    else out.push(say(words.prose(words.size(160, 0.7))), prompt(words.pick(asks)));
  }
  return out;
}
