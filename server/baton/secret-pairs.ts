/**
 * Secrets whose name stands before them without a sign between the two, or in markup: a column of a table, a shell's `set`, an element
 * or attribute of XML, a `name` beside a `value`, a netrc, the data of a Kubernetes secret. Bounded repetitions only: linear.
 */
import type { Finding } from './secrets.ts';
import { classifyName } from './secret-names.ts';
import { isReference } from './secret-value.ts';

/** Groups: the name, and the value. */
interface Pair {
  readonly pattern: RegExp;
  /** Without these characters in the text it is not tried. */
  readonly mark?: string;
  /** The value must look like none of a sentence's words. */
  readonly telling: boolean;
}

const name = String.raw`([A-Za-z_][\w.-]{1,63})`;
const pairs: readonly Pair[] = [
  // fish and Windows; settings that programs keep: `aws configure set aws_secret_access_key x`, `heroku config:set`.
  {
    pattern: new RegExp(
      String.raw`\b(?:setx?|configure set|config set|secrets? set|env set)(?: -{1,2}[A-Za-z-]{1,12}){0,3} ["']?${name}["']? ["']?([^\s"';|&]{4,512})`,
      'g',
    ),
    telling: true,
  },
  // A table of two columns: `vault kv get`, `terraform output`, a list of settings.
  {
    pattern: new RegExp(
      String.raw`(?:^|\\n)[ |│]{0,4}["']?${name}["']?(?: {2,40}|\t{1,4}| {0,20}[|│] {0,20})([^\s|│\\]{6,512})(?=[ |│]{0,40}(?:$|\r|\\n))`,
      'gm',
    ),
    telling: true,
  },
  {
    pattern: new RegExp(String.raw`<(?:\w{1,20}:)?${name}(?: [^<>\n]{0,200})?>\s{0,8}([^<>\s]{3,1024})\s{0,8}</`, 'g'),
    telling: false,
  },
  {
    pattern: new RegExp(
      String.raw`\b(?:key|name|property)=["']${name}["'] {1,4}(?:value|content|default)=["']([^"'\n]{3,1024})["']`,
      'gi',
    ),
    telling: false,
  },
  // `{"name": "DB_PASSWORD", "value": "x"}`, in JSON and in YAML, also with written quotes.
  {
    pattern: new RegExp(
      String.raw`\b(?:name|key)\\{0,3}["']?\s{0,2}[:=]\s{0,2}\\{0,3}["']?${name}\\{0,3}["']?(?:,(?:\s|\\n){0,40}|(?:\s|\\n){1,40})\\{0,3}["']?value\\{0,3}["']?\s{0,2}[:=]\s{0,2}\\{0,3}["']?([^\s"'\\,}]{3,1024})`,
      'gi',
    ),
    telling: false,
  },
  // A form's body and a query within a query: `password%3Dx`, `%22password%22%3A%22x`.
  {
    mark: '%3',
    pattern: new RegExp(
      String.raw`(?:(?<![\w.-])|(?<=%[0-9A-Fa-f]{2}))${name}(?:%22)?%3[DdAa](?:%20)?(?:%22)?([^\s&"'%<>]{3,512})`,
      'g',
    ),
    telling: false,
  },
];

/** Every name that holds a secret has one of these in it, and so have the words that a password stands behind. */
const spokenOf = /pass|secret|token|key|pwd|cred|auth|[_-]p(?:w|at)\b|senha|contrase|kennwort|motdepasse|:(?:543\d|6432|\*):/i;

export function findPairs(text: string): readonly Finding[] {
  if (!spokenOf.test(text)) return [];
  const out: Finding[] = [];
  for (const { pattern, mark, telling } of pairs) {
    if (mark !== undefined && !text.includes(mark)) continue;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const [all, key = '', value = ''] = match;
      if (classifyName(key) !== 'strong' || isReference(value) || (telling && !isTelling(value))) continue;
      const start = match.index + all.lastIndexOf(value);
      out.push({ start, end: start + value.length, kind: /pass|pwd/i.test(key) ? 'password' : 'secret' });
    }
  }
  if (text.includes('login ')) for (const match of text.matchAll(netrc)) out.push(last(match));
  if (/:(?:543\d|6432|\*):/.test(text)) for (const match of text.matchAll(pgpass)) out.push(last(match));
  return text.includes('Secret') ? out.concat(clusterSecrets(text)) : out;
}

const isTelling = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value) && !/^v?\d+(?:\.\d+)+$/.test(value);

const netrc = /\b(?:machine \S{1,253}|default)\s{1,8}login \S{1,253}\s{1,8}password (\S{1,512})/g;
/** Only with a port of PostgreSQL's: else every place in a file looks like one. */
const pgpass = /^[\w.*-]{1,253}:(?:543\d|6432|\*):[\w*-]{1,63}:[\w*-]{1,63}:(\S{1,512})/gm;

function last(match: RegExpExecArray): Finding {
  const end = match.index + match[0].length;
  return { start: end - (match[1] ?? '').length, end, kind: 'password' };
}

const clusterKind = /\bkind\\{0,3}["']?: {0,4}\\{0,3}["']?Secret\b/g;
const clusterData = /\b(?:data|stringData)\\{0,3}["']?:/g;
const clusterEntry = /\\{0,3}["']?[\w.-]{1,253}\\{0,3}["']?: {0,4}\\{0,3}["']?([^\s"'{}\\,]{4,4096})/y;
/** The data of a secret stands at most this far from its kind. */
const near = 2000;

/** Every entry below `data:` of a document of `kind: Secret`, whatever its name is. */
function clusterSecrets(text: string): readonly Finding[] {
  const out: Finding[] = [];
  let done = 0;
  for (const kind of text.matchAll(clusterKind)) {
    const from = Math.max(done, kind.index - near);
    const stop = Math.min(text.length, kind.index + near);
    clusterData.lastIndex = from;
    for (let data = clusterData.exec(text); data !== null && data.index < stop; data = clusterData.exec(text)) {
      let at = clusterData.lastIndex;
      for (let entries = 0; entries < 64; entries++) {
        const blank = /^(?:\s|\\n|[{,"']){1,40}/.exec(text.slice(at, at + 40))?.[0] ?? '';
        clusterEntry.lastIndex = at + blank.replace(/["']$/, '').length;
        const entry = clusterEntry.exec(text);
        // An entry of a block stands further in than the block.
        if (entry === null || (blank.includes('\n') && !/\n[ \t]+["']?$/.test(blank))) break;
        const value = entry[1] ?? '';
        at = clusterEntry.lastIndex;
        if (!isReference(value)) out.push({ start: at - value.length, end: at, kind: 'secret' });
        if (/["'\\]/.test(text[at] ?? '')) at += /^\\{0,3}["']/.exec(text.slice(at, at + 4))?.[0].length ?? 0;
      }
      done = at;
      clusterData.lastIndex = Math.max(at, clusterData.lastIndex);
    }
  }
  return out;
}
