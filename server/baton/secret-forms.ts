/**
 * Secrets that are known by their form, and not by how they begin: a mark in their middle or at their end, a pair in base64, a hash
 * of a password, a signature in a URL. Each pattern is anchored and every repetition in it is bounded, so that the scan stays linear.
 */
import type { Finding } from './secrets.ts';
import { startsToken } from './characters.ts';

interface Form {
  readonly kind: string;
  /** Global. Its first group, where it has one, is the secret; else all of it, and it begins where a token may. */
  readonly pattern: RegExp;
  /** Without these characters in the text the pattern is not tried: it begins with what begins every word. */
  readonly mark?: string;
  /** What no pattern says well. */
  readonly holds?: (value: string) => boolean;
}

const mixed = (value: string): boolean => /\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);

const forms: readonly Form[] = [
  { kind: 'terraform', mark: '.atlasv1.', pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/g },
  { kind: 'azure', mark: 'Q~', pattern: /[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~-])/g },
  { kind: 'azure', mark: 'JQQJ9', pattern: /[A-Za-z0-9]{52}JQQJ9(?:9|D|H)[A-Za-z0-9]{20,30}(?![\w+/])/g },
  {
    kind: 'onepassword',
    mark: 'A3-',
    pattern: /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}(?![\w-])/g,
  },
  { kind: 'maxmind', mark: '_mmk', pattern: /[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/g },
  { kind: 'harness', mark: 'at.', pattern: /[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?!\w)/g },
  { kind: 'airtable', mark: 'pat', pattern: /pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/g },
  { kind: 'discord', pattern: /[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g, holds: mixed },
  { kind: 'firebase', mark: 'AAAA', pattern: /AAAA[\w-]{7}:[\w-]{100,200}/g },
  { kind: 'cloudflare', mark: 'v1.0-', pattern: /v1\.0-[0-9a-f]{24}-[0-9a-f]{146}(?!\w)/g },
  { kind: 'mailchimp', mark: '-us', pattern: /[0-9a-f]{32}-us\d{1,2}(?!\w)/g },
  { kind: 'twilio', mark: 'SK', pattern: /SK[0-9a-f]{32}(?!\w)/g },
  { kind: 'newrelic', mark: 'NRAL', pattern: /[0-9a-f]{36}NRAL(?!\w)/g },
  { kind: 'resend', mark: 're_', pattern: /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?!\w)/g },
  { kind: 'octopus', mark: 'API-', pattern: /API-[A-Z0-9]{25,32}(?![\w-])/g, holds: (value) => /\d/.test(value) },
  { kind: 'infracost', mark: 'ico-', pattern: /ico-[A-Za-z0-9]{32}(?![\w-])/g, holds: mixed },
  { kind: 'yandex', mark: 't1.', pattern: /t1\.[\w-]{8,120}={0,2}\.[\w-]{86}={0,2}/g },
  { kind: 'okta', mark: 'SSWS', pattern: /\bSSWS +(00[\w-]{40})(?![\w-])/g },
  {
    kind: 'vault',
    mark: 's.',
    pattern: /(?<![.$])s\.[A-Za-z0-9]{24}(?![\w.(=[])/g,
    holds: (value) => mixed(value) && /\d\D+\d/.test(value),
  },
  {
    kind: 'authress',
    mark: '.acc',
    pattern: /(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[A-Za-z0-9+/_=-]{30,120}/g,
  },
  {
    kind: 'teams',
    mark: '/IncomingWebhook/',
    pattern: /webhook\.office\.com\/webhookb2\/[\w@-]{36,80}\/IncomingWebhook\/[\w/-]{32,120}/g,
  },
  // Signatures of URLs that open without a name: Azure, AWS, Google; the key of a function.
  { kind: 'signature', mark: 'sig=', pattern: /[?&;]sig=([\w%+/=-]{20,200})/g },
  { kind: 'signature', mark: '-Signature=', pattern: /[?&;]X-(?:Amz|Goog)-Signature=([0-9a-f]{32,1024})/gi },
  { kind: 'signature', mark: 'code=', pattern: /[?&;]code=([\w%+/-]{40,120}(?:==|%3[Dd]%3[Dd]))/g },
  {
    kind: 'cookie',
    mark: '=',
    pattern:
      /(?:_gitlab_session|PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|laravel_session|_session_id|sessionid)=([\w%.:+-]{16,512})/g,
  },
  // What a password was made into: it can be tried against.
  { kind: 'password-hash', mark: '$2', pattern: /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/g },
  {
    kind: 'password-hash',
    mark: '$',
    pattern: /\$(?:[156y]|apr1|gy|7)\$(?:rounds=\d{1,9}\$|[./A-Za-z0-9]{1,8}\$)?[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{22,86}/g,
  },
  { kind: 'password-hash', mark: '$', pattern: /\$(?:argon2(?:id|i|d)|scrypt|pbkdf2-\w{1,12})\$[\w=,$./+-]{20,300}/g },
  { kind: 'private-key', mark: 'Private-Lines', pattern: /\bPrivate-Lines: \d{1,3}((?:\r?\n[A-Za-z0-9+/=]{20,80}){1,80})/g },
  { kind: 'password', mark: ' pass:', pattern: /(?:^|[\s'"])-(?:pass(?:in|out)?|k) pass:([^\s'"]{3,200})/g },
  {
    kind: 'password',
    mark: '| sudo',
    pattern: /\becho (?:-n )?["']?([^\s"'|$]{3,200})["']? {0,4}\| {0,4}sudo (?:-\w{1,8} ){0,4}-S/g,
  },
  {
    kind: 'password',
    mark: 'chpasswd',
    pattern: /\becho (?:-n )?["']?[\w.-]{1,64}:([^\s"'|$]{3,200})["']? {0,4}\| {0,4}(?:sudo )?chpasswd\b/g,
  },
  { kind: 'password', mark: 'htpasswd', pattern: /\bhtpasswd (?:-\w{0,6}b\w{0,6} )\S{1,200} \S{1,64} ["']?([^\s"'|;]{3,200})/g },
];

/** Every form has one of these in it. */
const telling = /\d|pass|sudo/;

/** A run of base64 that stands alone; longer ones are pictures and keys. */
const run = /\b[A-Za-z0-9+/]{16,340}={0,2}(?![\w+/=-])/g;

export function findForms(text: string): readonly Finding[] {
  const out: Finding[] = [];
  if (text.length < 8 || !telling.test(text)) return out;
  for (const { kind, pattern, mark, holds } of forms) {
    if (mark !== undefined && !text.includes(mark)) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const value = match[1] ?? match[0];
      const start = match.index + match[0].lastIndexOf(value);
      if ((holds !== undefined && !holds(value)) || (match[1] === undefined && !startsToken(text, start))) {
        pattern.lastIndex = match.index + 1;
        continue;
      }
      out.push({ start, end: start + value.length, kind });
    }
  }
  run.lastIndex = 0;
  for (let match = run.exec(text); match !== null; match = run.exec(text)) {
    // Behind a written line end the letter of that is no part of it.
    const start = match.index + (text[match.index - 1] === '\\' && /^[nrt]/.test(match[0]) ? 1 : 0);
    if (isPair(text.slice(start, run.lastIndex)) && standsAlone(text, start))
      out.push({ start, end: run.lastIndex, kind: 'basic' });
  }
  return out;
}

/** A sign before it is a diff's where it begins the line, and else part of a longer run. */
const standsAlone = (text: string, start: number): boolean =>
  !/[\w+/=-]/.test(text[start - 1] ?? '') ||
  /[\n][+-]$/.test(text.slice(Math.max(0, start - 2), start)) ||
  text[start - 2] === '\\';

/** Base64 of `user:password`, as registries and proxies keep it. */
function isPair(value: string): boolean {
  if (value.length % 4 !== 0 || !/[a-z]/.test(value) || !/[A-Z]/.test(value) || !(value.endsWith('=') || /\d/.test(value)))
    return false;
  return /^[\w.@+-]{2,64}:(?!\/\/)[\x21-\x7e]{4,200}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
