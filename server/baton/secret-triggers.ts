/**
 * What must stand in a text before any rule can find a secret in it, as data: a literal, whatever its case, and a look around it. Wider than
 * the rules, never narrower: a test holds them to each other. Looks are bounded.
 */
import { isAlnum, isDigit, runEnd, startsToken } from './characters.ts';
import { hasValue, isNameSign, isSpoken } from './secret-name-look.ts';
import { shapes } from './secret-shapes.ts';
import { continuedEnd } from './secret-wraps.ts';

export interface Trigger {
  readonly literal: string;
  /** May a secret be found because of the literal between `start` and `end`? */
  readonly holds: (text: string, start: number, end: number) => boolean;
}

const always = (): boolean => true;
/** Written exactly so. */
const exactly =
  (literal: string, then: Trigger['holds'] = always): Trigger['holds'] =>
  (text, start, end) =>
    text.startsWith(literal, start) && then(text, start, end);
const followed =
  (by: RegExp): Trigger['holds'] =>
  (text, _, end) => {
    by.lastIndex = end;
    return by.test(text);
  };
const preceded =
  (by: RegExp, reach = 132): Trigger['holds'] =>
  (text, start) =>
    by.test(text.slice(Math.max(0, start - reach), start));

const tokens: readonly Trigger[] = shapes.map(({ prefix, alphabet, min, max }) => ({
  literal: prefix,
  holds: exactly(prefix, (text, start, from) => {
    if (!startsToken(text, start)) return false;
    const end = runEnd(text, from, alphabet, min);
    return end - from >= min || (max === undefined && continuedEnd(text, end) - from >= min);
  }),
}));

const exact: Readonly<Record<string, Trigger['holds'] | undefined>> = {
  // A look as far as the dot would make a run of these cost its square.
  eyJ: followed(/[\w-]{9}/y),
  'PRIVATE KEY': undefined,
  '.atlasv1.': undefined,
  'Q~': followed(/[\w~.-]{31}/y),
  JQQJ9: undefined,
  'A3-': followed(/[A-Z0-9]{6}-/y),
  _mmk: undefined,
  'at.': followed(/[\w-]{22}\./y),
  pat: followed(/[A-Za-z0-9]{14}\./y),
  AAAA: followed(/[\w-]{7}:/y),
  'v1.0-': undefined,
  '-us': followed(/\d/y),
  SK: followed(/[0-9a-f]{32}/y),
  NRAL: undefined,
  re_: followed(/[A-Za-z0-9]{8}_/y),
  'API-': followed(/[A-Z0-9]{25}/y),
  'ico-': followed(/[A-Za-z0-9]{32}/y),
  't1.': followed(/[\w-]{8}/y),
  SSWS: undefined,
  's.': followed(/[A-Za-z0-9]{24}/y),
  '.acc': followed(/[_-][a-z0-9-]{10}/y),
  '/IncomingWebhook/': undefined,
  'sig=': preceded(/[?&;]$/, 1),
  'code=': preceded(/[?&;]$/, 1),
  _gitlab_session: undefined,
  PHPSESSID: undefined,
  JSESSIONID: undefined,
  'connect.sid': undefined,
  'ASP.NET_SessionId': undefined,
  laravel_session: undefined,
  _session_id: undefined,
  sessionid: followed(/=/y),
  $2: followed(/[abxy]\$/y),
  $: followed(/(?:[156y]|apr1|gy|7|argon2(?:id|i|d)|scrypt|pbkdf2-\w{1,12})\$/y),
  'Private-Lines': undefined,
  ' pass:': undefined,
  '| sudo': undefined,
  chpasswd: undefined,
  htpasswd: undefined,
  'Bearer ': followed(/[\w.~+/=-]{12}/y),
  'Basic ': followed(/[\w.~+/=-]{12}/y),
  Secret: preceded(/kind\\{0,3}["']?: {0,4}\\{0,3}["']?$/, 20),
  ' -u': preceded(/curl|wget|http|xh/),
  ' -p': preceded(/mysql|mariadb|sshpass|login|mongo/),
  ' -a': preceded(/redis-cli/),
  ' -w': preceded(/ldap/),
  '--user': preceded(/curl|wget|http|xh/),
  '--proxy-user': preceded(/curl|wget|http|xh/),
};
const anyCase: Readonly<Record<string, Trigger['holds'] | undefined>> = {
  '-Signature=': undefined,
  '://': withCredential,
  'login ': followed(/\S{1,253}\s{1,8}password \S/y),
  ':543': followed(/\d:/y),
  ':6432:': undefined,
  ':*:': undefined,
};

/** An `@` before the address ends. */
function withCredential(text: string, _: number, end: number): boolean {
  const stop = Math.min(text.length, end + 512);
  for (let at = end; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === 64) return true;
    if (code <= 32 || code === 34 || code === 39 || code === 60 || code === 62 || code === 96) return false;
  }
  return false;
}

/** Words that make a name a secret's wherever they stand in it, or at the end of whatever word. */
const anywhere =
  'password passwd passphrase passwort kennwort pwd secret credential apikey privatekey secretkey accesskey authtoken accesstoken refreshtoken sessiontoken clientsecret senha contrasena motdepasse authorization cookie';
/** Words that do so as the last one of a name only. */
const lastWords = 'auth pass pw creds jwt bearer otp sig signature salt sid dsn pat nonce session';

const names: readonly Trigger[] = [
  ...anywhere.split(' ').map((literal) => ({
    literal,
    holds: (text: string, _: number, end: number) => isSpoken(text, end) || hasValue(text, end),
  })),
  { literal: 'token', holds: (text, start, end) => isSpoken(text, end) || isLast(text, start, end) },
  { literal: 'key', holds: (text, start, end) => (isOfApi(text, start) && isSpoken(text, end)) || isLast(text, start, end) },
  ...lastWords.split(' ').map((literal) => ({ literal, holds: isLast })),
];

export const triggers: readonly Trigger[] = [
  ...tokens,
  ...Object.entries(exact).map(([literal, then]) => ({ literal, holds: exactly(literal, then) })),
  ...Object.entries(anyCase).map(([literal, holds = always]) => ({ literal, holds })),
  ...names,
];

const isOfApi = (text: string, start: number): boolean => /api[ _-]?$/i.test(text.slice(Math.max(0, start - 4), start));

function isLast(text: string, start: number, end: number): boolean {
  // "monkey", "2key"
  const isWithin = text.charCodeAt(start) > 96 && isAlnum(text, start - 1) && !startsToken(text, start);
  if (isWithin) return false;
  // The plural, a number, signs; and then no further word.
  let behind = end;
  if ((text.charCodeAt(behind) | 32) === 115) behind++;
  for (let digits = 0; digits < 2 && isDigit(text, behind); digits++) behind++;
  while (behind < end + 64 && !isAlnum(text, behind) && isNameSign(text, behind)) behind++;
  return !isAlnum(text, behind) && hasValue(text, behind);
}
