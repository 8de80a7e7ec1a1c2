/** Made-up values of the alphabets that tokens are made of: equal in every run, opening nothing, and nowhere written out whole. */

const lower = 'abcdefghijkmnopqrstuvwxyz';
const digits = '23456789';
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ';

let state = 7;
function next(below: number): number {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
}
function from(alphabet: string, length: number): string {
  let out = '';
  for (let i = 0; i < length; i++) out += alphabet[next(alphabet.length)] ?? '';
  return out;
}

/** Small and capital letters and digits; one of each at its beginning. */
export const alnum = (length: number): string => `k7Q${from(lower + digits + upper, length - 3)}`;
export const hex = (length: number): string => `7d${from('0123456789abcdef', length - 2)}`;
export const capitals = (length: number): string => `Q7${from(upper + digits, length - 2)}`;
export const small = (length: number): string => `k7${from(lower + digits, length - 2)}`;
export const uuid = (): string => [8, 4, 4, 4, 12].map((length) => hex(length)).join('-');
export const base64 = (text: string): string => Buffer.from(text).toString('base64');
/** A value of letters of a password that a person makes up. */
export const password = (): string => `${from(lower, 5)}-${from(digits, 2)}${from(upper, 3)}!`;
/** Joined when it runs, so that no file has the shape of a key in it. */
export const of = (...parts: readonly string[]): string => parts.join('');
