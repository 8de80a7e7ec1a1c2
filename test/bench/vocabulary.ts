/**
 * The words of made-up sessions: some hundred of English and of programming, then 30,000 made of syllables, with the frequencies that
 * words have (Zipf): the first hundred are half of all text, and most words are seldom. Deterministic.
 */

const common =
  'the to a of and is in it that for this on with be not as are if we so I from by or at an will can have but you no which all when there was one new then only more use out what up now into do just has also would its these after because before where how same other should any than first two each back need here does still over between without while every they make see two line next last right wrong'.split(
    ' ',
  );

/** Nouns and verbs of the trade: prose and identifiers share them. */
export const identifierWords =
  'file test value error name data list user type result order check price index token cart build line code path number state option query config event message item session request server client customer count module class response handler entry store cache default update thread key table record commit branch import export render column schema source reader field parser queue buffer folder function stream writer payload format worker retry timeout version row view model service address account page block command node status filter limit batch cursor window driver header merge ledger fixture migration checkout webhook refund coupon invoice shipping catalog inventory currency quantity discount subtotal amount balance region locale device webhook signature digest offset segment snapshot revision anchor marker element layout colour theme toolbar dialog panel button scroll focus hover border margin padding align wrapper portal canvas shader texture vertex matrix kernel socket channel broker topic replica shard quorum leader lease epoch term gossip ring bucket hash salt cipher vault secret policy scope claim grant role tenant audit trace span metric gauge histogram sampler probe sensor sweep backoff jitter throttle debounce semaphore mutex latch barrier fence atomic volatile'.split(
    ' ',
  );

const onsets = 'b c d f g h k l m n p qu r s t v w z br cl cr dr fl gr pl pr sc sh sl sp st str th tr'.split(' ');
const nuclei = 'a e i o u ai ea ee io ou'.split(' ');
const codas = ' n r s t l m ck nd nt st rm x p'.split(' ');
const made = 30_000;

/** Most frequent first. */
export const vocabulary: readonly string[] = everyWord();
const slots = slotsOf(vocabulary.length);

/** `random` gives numbers in [0, 1). */
export function drawWord(random: () => number): string {
  return vocabulary[slots[Math.floor(random() * slots.length)] ?? 0] ?? 'word';
}

function everyWord(): readonly string[] {
  const words = new Set<string>();
  for (const [index, word] of common.entries()) {
    words.add(word);
    // Words of the trade are among the frequent ones from the tenth on.
    if (index >= 10) words.add(identifierWords[index - 10] ?? word);
  }
  for (const word of identifierWords) words.add(word);
  for (let n = 0; words.size < made; n++) {
    // Numbers that are spread over the syllables, without a generator of random ones.
    let rest = Math.imul(n, 2_654_435_761) >>> 0;
    let word = '';
    for (let syllables = 2 + (n % 3); syllables > 0; syllables--) {
      word += (onsets[rest % onsets.length] ?? '') + (nuclei[(rest >>> 5) % nuclei.length] ?? '');
      if (syllables === 1) word += codas[(rest >>> 9) % codas.length] ?? '';
      rest = Math.imul(rest ^ (rest >>> 7), 2_246_822_519) >>> 0;
    }
    words.add(word);
  }
  return [...words];
}

/** A word's share of the slots is its frequency. */
function slotsOf(words: number): Uint16Array {
  const table = new Uint16Array(2 ** 19);
  const weights = Array.from({ length: words }, (_, rank) => (rank + 2.7) ** -1.08);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let at = 0;
  let passed = 0;
  for (const [rank, weight] of weights.entries()) {
    passed += weight;
    const end = Math.round((passed / sum) * table.length);
    table.fill(rank, at, end);
    at = end;
  }
  return table;
}
