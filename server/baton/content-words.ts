/** What a text is about, for telling whether one text speaks of the same as another: stems of its longer words, pairs of signs in scripts without blanks. */

const common = new Set(
  'about after again also because been before being both cannot could does done during each either else even ever every from have having here into itself just like make many might more most much must need never only other over please really same shall should since some still such sure than that their them then there these they thing things this those through under until very want well were what when where whether which while will with within without would your yours'.split(
    ' ',
  ),
);
/** Hangul stands in words, but its endings vary: pairs tell more than words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;

export function contentWords(text: string): ReadonlySet<string> {
  const out = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]{4,}/gu)) {
    if (!common.has(word) && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word))
      out.add(word.slice(0, 6));
  }
  for (const [run] of text.matchAll(unspaced)) for (let at = 0; at + 2 <= run.length; at++) out.add(run.slice(at, at + 2));
  return out;
}

/** Do both speak of the same? One longer word is enough, of unspaced scripts two pairs. */
export function sharesWords(a: string, b: string): boolean {
  const known = contentWords(a);
  let pairs = 0;
  for (const word of contentWords(b)) {
    if (!known.has(word)) continue;
    if (word.length > 2) return true;
    if (++pairs >= 2) return true;
  }
  return false;
}
