/**
 * Words as a reader takes them: letters that only look like Latin ones become those, marks on letters and invisible characters go,
 * words that are spelt with blanks between their letters are joined. For recognising; never for showing.
 */

const alike: Readonly<Record<string, string>> = {
  // Cyrillic
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ѕ: 's',
  ј: 'j',
  һ: 'h',
  ԁ: 'd',
  ԛ: 'q',
  ԝ: 'w',
  ӏ: 'l',
  к: 'k',
  м: 'm',
  т: 't',
  в: 'b',
  н: 'h',
  // Greek
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  η: 'n',
  // Others
  ı: 'i',
  ɡ: 'g',
  ո: 'n',
  օ: 'o',
  ս: 'u',
  ց: 'g',
  ℓ: 'l',
  ꞵ: 'b',
};
const likeLatin = new RegExp(`[${Object.keys(alike).join('')}]`, 'gu');
const unseen =
  // eslint-disable-next-line no-misleading-character-class
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0]|\udb40[\udc00-\uddef]/g;
const ascii = /^[\t\n\x20-\x7e]*$/;

/** In small letters where a letter only looks like a Latin one; every other stays as it is. */
export function plainLetters(text: string): string {
  const seen = ascii.test(text)
    ? text
    : text
        .replace(unseen, '')
        .normalize('NFKD')
        .replace(/\p{M}/gu, '')
        .replace(likeLatin, (letter) => alike[letter] ?? letter)
        .normalize('NFC');
  return spelt.test(seen) ? seen.replace(speltAll, (word) => word.replace(/[ ._*-]/g, '')) : seen;
}
/** Five letters or more, each with one sign behind it. */
const spelt = /(?<![A-Za-z])(?:[A-Za-z][ ._*-]){4}[A-Za-z](?![A-Za-z])/;
const speltAll = /(?<![A-Za-z])(?:[A-Za-z][ ._*-]){2,40}[A-Za-z](?![A-Za-z])/g;
