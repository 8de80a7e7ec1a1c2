/**
 * What a name says about its value: `strong` names hold a secret whatever the value looks like, `weak` ones only when the
 * value looks like one, and `header` / `cookie` names have values of their own grammar. Names are judged by their words
 * ("clientSecret", "TIDE_API_KEY" and "x-api-key" alike), so that `max_tokens`, `keyboard` or `PASSWORD_FILE` are none.
 */
export type NameClass = 'strong' | 'weak' | 'header' | 'cookie';

/** A name longer than this is judged by its last characters, in which its words of weight stand. */
export const nameLimit = 64;

const always = new Set([
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'passwort',
  'kennwort',
  'pwd',
  'secret',
  'secrets',
  'credential',
  'credentials',
  'apikey',
  'privatekey',
  'secretkey',
  'accesskey',
  'authtoken',
  'accesstoken',
  'refreshtoken',
  'sessiontoken',
  'clientsecret',
  'senha',
  'contrasena',
  'contraseña',
  'motdepasse',
]);
/** `key`, `token` and `string` become strong with one of these before them. */
const strongBefore = new Set([
  'api',
  'secret',
  'private',
  'access',
  'auth',
  'authorization',
  'refresh',
  'bearer',
  'client',
  'signing',
  'encryption',
  'master',
  'account',
  'deploy',
  'license',
  'service',
  'admin',
  'bot',
  'webhook',
  'jwt',
  'oauth',
  'session',
  'app',
  'shared',
  'personal',
  'id',
  'csrf',
  'xsrf',
  'security',
  'subscription',
  'publish',
  'registry',
  'npm',
  'github',
  'gitlab',
  'slack',
  'openai',
  'anthropic',
]);
const weakAlone = new Set([
  'token',
  'key',
  'auth',
  'pass',
  'jwt',
  'bearer',
  'otp',
  'sig',
  'signature',
  'salt',
  'sid',
  'dsn',
  'pat',
  'nonce',
  'session',
]);
/** A name that ends so speaks about a secret and does not hold it. */
const about = new Set([
  'name',
  'file',
  'filename',
  'path',
  'dir',
  'folder',
  'url',
  'uri',
  'type',
  'types',
  'count',
  'length',
  'len',
  'size',
  'limit',
  'expiry',
  'expires',
  'expiration',
  'ttl',
  'age',
  'header',
  'field',
  'label',
  'policy',
  'hint',
  'prompt',
  'placeholder',
  'env',
  'var',
  'variable',
  'ref',
  'arn',
  'version',
  'algorithm',
  'alg',
  'rotation',
  'manager',
  'required',
  'enabled',
  'disabled',
  'valid',
  'invalid',
  'error',
  'errors',
  'message',
  'status',
  'input',
  'regex',
  'pattern',
  'prefix',
  'suffix',
  'min',
  'max',
  'budget',
  'usage',
  'used',
  'total',
  'index',
  'column',
  'table',
  'schema',
  'class',
  'component',
  'provider',
  'store',
  'strategy',
  'source',
  'endpoint',
  'scope',
  'scopes',
  'id',
  'ids',
  'strength',
  'reset',
  'change',
  'changed',
  'updated',
  'at',
]);
const publicWords = new Set([
  'public',
  'pub',
  'primary',
  'foreign',
  'partition',
  'sort',
  'cache',
  'idempotency',
  'max',
  'min',
  'input',
  'output',
  'total',
  'num',
  'prompt',
  'completion',
  'cached',
  'reasoning',
  'publishable',
  'routing',
  'i18n',
  'translation',
  'query',
  'map',
  'hot',
  'shortcut',
  'sshpublic',
]);
const headers = new Set(['authorization', 'proxyauthorization']);
const cookies = new Set(['cookie', 'setcookie']);
const ends = [
  'password',
  'passwd',
  'passphrase',
  'secret',
  'apikey',
  'accesskey',
  'secretkey',
  'privatekey',
  'accesstoken',
  'authtoken',
  '密码',
  '密碼',
  '口令',
  '密钥',
  'パスワード',
  '비밀번호',
];

/** undefined: the name says nothing. Pure and bounded by `nameLimit`. */
export function classifyName(name: string): NameClass | undefined {
  const words = wordsOf(name.length > nameLimit ? name.slice(-nameLimit) : name);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const joined = words.join('');
  if (headers.has(joined)) return 'header';
  if (cookies.has(joined)) return 'cookie';
  if (about.has(last) || words.some((word) => publicWords.has(word))) return undefined;
  if (words.some((word) => always.has(word))) return 'strong';
  const before = words.at(-2);
  if ((last === 'key' || last === 'token' || last === 'keys') && before !== undefined && strongBefore.has(before))
    return 'strong';
  if (ends.some((end) => last.endsWith(end))) return 'strong';
  return weakAlone.has(last) ? 'weak' : undefined;
}

/** "dbPassword", "DB_PASSWORD", "db-password", "db.password" to ["db", "password"]. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .map((word) => (/^\D+\d{1,2}$/.test(word) ? word.replace(/\d+$/, '') : word))
    .filter((word) => word !== '');
}
