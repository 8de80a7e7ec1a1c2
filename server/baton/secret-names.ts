/**
 * What a name says about its value: `strong` names hold a secret whatever the value looks like, `weak` ones only when the
 * value looks like one, and `header` / `cookie` names have values of their own grammar. Names are judged by their words
 * ("clientSecret", "TIDE_API_KEY" and "x-api-key" alike), so that `max_tokens`, `keyboard` or `PASSWORD_FILE` are none.
 */
import { remembering } from './remembering.ts';

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
  'pw',
  'creds',
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
/** `pass` is a password behind one of these, and else a count of tests or a step of a pipeline. */
const passBefore = new Set(
  'db database sql mysql mariadb postgres postgresql pg redis mongo mongodb rabbitmq amqp smtp imap mail email ftp sftp user root admin ssh sudo proxy http basic auth wifi vpn ldap keystore truststore store cert pfx login my the registry'.split(
    ' ',
  ),
);
/** Names of services: with one in it, a name that ends in `key` or `token` holds one. */
const services = new Set(
  'adafruit adobe airtable algolia alibaba alibabacloud anthropic apify artifactory asana atlassian aws azure beamer bitbucket bittrex braintree brevo buildkite circleci clearbit cloudflare cloudinary codecov cohere coinbase confluence confluent contentful databricks datadog deepgram deepl deepseek digitalocean discord docker dockerhub doppler droneci dropbox dynatrace elastic elevenlabs etsy expo facebook fastly fcm figma finicity finnhub firebase firecrawl fireworks flickr freshbooks gcp gemini github gitlab gitter gocardless google grafana groq harness heroku hetzner honeycomb hubspot huggingface infura intercom jenkins jfrog jira klaviyo kraken kucoin langfuse langsmith launchdarkly linear linkedin linode lob mailchimp mailgun mailjet mandrill mapbox mattermost meraki messagebird mistral mixpanel netlify newrelic ngrok notion npm nuget nytimes okta openai openrouter opsgenie pagerduty paypal perplexity pinecone plaid planetscale postman postmark privateai pulumi pypi quay rapidapi razorpay readme recaptcha replicate resend rollbar rubygems scaleway segment sendbird sendgrid sendinblue sentry serper shippo shodan shopify slack snyk sonar sonarqube sonatype sourcegraph spotify square squarespace stability stripe sumologic supabase tailscale tavily telegram telnyx terraform together travis twilio twitch twitter typeform unsplash upstash vault vercel virustotal voyage vultr wandb wise xai yandex zendesk'.split(
    ' ',
  ),
);
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

/** undefined: the name says nothing. Pure and bounded by `nameLimit`; names come again and again. */
export const classifyName = remembering(classOf);
function classOf(name: string): NameClass | undefined {
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
  if ((last === 'pass' || last === 'pw') && before !== undefined && passBefore.has(before)) return 'strong';
  if (/^(?:key|token|tokens|pat|auth)$/.test(last) && words.some((word) => services.has(word))) return 'strong';
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
