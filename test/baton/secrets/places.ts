/** Places in which a value that has no shape of its own is a secret: behind names, in commands, files, markup, URLs and broken lines. */
import { alnum, base64, hex, of, password, small, uuid } from './values.ts';

export interface Place {
  readonly name: string;
  /** The text, and all that must not leave of it. */
  readonly text: string;
  readonly secrets: readonly string[];
}

const place = (name: string, make: (secret: string) => string, secret: string = password()): Place => ({
  name,
  text: make(secret),
  secrets: [secret],
});

const pem = (): readonly string[] => [alnum(64), alnum(64), alnum(40)];
const armour = (what: string, kind = 'RSA PRIVATE'): string => `-----${what} ${kind} KEY-----`;
const key = pem();
const escapedKey = pem();
const diffKey = pem();
const cutKey = pem();
const parts = [of('gh', 'p_', alnum(18)), alnum(18)] as const;
const wrapped = [of('sk-', 'ant-', 'api03-', alnum(60)), alnum(38)] as const;
const continued = [of('gl', 'pat-', alnum(24)), alnum(20)] as const;

export const places: readonly Place[] = [
  place('.env line', (s) => `PORT=8080\nDB_PASSWORD=${s}\nDEBUG=1`),
  place('.env line of a poor password', (s) => `POSTGRES_PASSWORD=${s}`, 'letmein'),
  place('.env line with numbers, as a tool shows a file', (s) => `     1\tPORT=8080\n     2\tDB_PASSWORD=${s}\n`, 'abc'),
  place('.env line with an arrow behind its number', (s) => `    12→SMTP_PASS=${s}`, 'qwe'),
  place('.env line that grep found', (s) => `.env:3:REDIS_PASSWORD=${s}`, 'sesame'),
  place('added line of a diff', (s) => `@@ -1 +1 @@\n-PORT=1\n+DB_PASSWORD=${s}\n`, 'abc'),
  place('removed line of a diff', (s) => `@@ -1 +1 @@\n-DB_PASSWORD=${s}\n+PORT=1\n`, 'abc'),
  place('export in a shell', (s) => `export API_TOKEN='${s}'`),
  place('variable before a program', (s) => `PGPASSWORD=${s} psql -h db.invalid -U app shop`),
  place('variable for a container', (s) => `docker run --rm -e MYSQL_ROOT_PASSWORD=${s} mysql:8`, 'tiger'),
  place('variable of fish', (s) => `set -gx DEPLOY_TOKEN ${s}`, alnum(24)),
  place('setx', (s) => `setx API_KEY "${s}"`, alnum(24)),
  place('declared in a dump', (s) => `declare -x CI_JOB_TOKEN="${s}"\ndeclare -x HOME="/home/user"`),
  place('dump of Node', (s) => `{\n  HOME: '/home/user',\n  SESSION_SECRET: '${s}',\n}`),
  place('dump of Python', (s) => `environ({'HOME': '/root', 'DJANGO_SECRET_KEY': '${s}'})`),
  place('shell history', (s) => `  501  cd shop\n  502  mysql -u root -p${s} shop\n  503  ls`),
  place('history with a time', (s) => `: 1700000000:0;curl -u deploy:${s} https://ci.invalid/job`),
  place('docker login', (s) => `docker login registry.invalid -u bob -p ${s}`),
  place('redis-cli', (s) => `redis-cli -h cache.invalid -a ${s} ping`),
  place('ldapsearch', (s) => `ldapsearch -x -D cn=admin -w ${s} -b dc=x`),
  place('sshpass', (s) => `sshpass -p ${s} ssh bob@host.invalid`),
  place('openssl', (s) => `openssl pkcs12 -in a.p12 -passin pass:${s} -nodes`),
  place('sudo', (s) => `echo ${s} | sudo -S systemctl restart shop`),
  place('chpasswd', (s) => `echo "bob:${s}" | sudo chpasswd`),
  place('htpasswd', (s) => `htpasswd -cb /etc/nginx/.htpasswd bob ${s}`),
  place('aws configure', (s) => `aws configure set aws_secret_access_key ${s}`, alnum(40)),
  place('long flag', (s) => `deploy --password ${s} --now`),
  place('flag of a literal', (s) => `kubectl create secret generic db --from-literal=password=${s}`),
  place('URL of a database', (s) => `postgres://app:${s}@db.invalid:5432/shop`, small(14)),
  place('URL whose password has a slash', (s) => `DATABASE_URL=mysql://app:${s}@db.invalid/shop`, 'pa/ss7Word'),
  place('URL of a cache without a user', (s) => `redis://:${s}@cache.invalid:6379/0`, small(16)),
  place('remote of git', (s) => `origin\thttps://bob:${s}@git.invalid/shop.git (fetch)`, small(16)),
  place('token as the user of a URL', (s) => `https://${s}:x-oauth-basic@git.invalid/shop.git`, small(40)),
  place('token as all of a login', (s) => `git clone https://${s}@git.invalid/shop.git`, alnum(36)),
  place('query', (s) => `GET /cb?access_token=${s}&state=1 HTTP/1.1`, alnum(32)),
  place('query within a query', (s) => `next=%2Fcb%3Faccess_token%3D${s}%26x%3D1`, alnum(32)),
  place('shared access signature', (s) => `https://shop.blob.invalid/c?sv=2024-01-01&se=2027&sig=${s}`, `${alnum(40)}%3D`),
  place('presigned URL', (s) => `https://b.s3.invalid/x?X-Amz-Expires=60&X-Amz-Signature=${s}`, hex(64)),
  place('bearer', (s) => `curl -H 'Authorization: Bearer ${s}' https://x.invalid`, alnum(30)),
  place('basic', (s) => `> Authorization: Basic ${s}`, base64(`deploy:${alnum(12)}`)),
  place('header of a key', (s) => `X-Api-Key: ${s}`, alnum(24)),
  place('header of a service', (s) => `Authorization: SSWS ${s}`, of('00', alnum(40))),
  place('cookie', (s) => `Cookie: session=${s}; theme=dark`, alnum(32)),
  place('cookie that is set', (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly`, alnum(32)),
  place('cookie in a log', (s) => `jar: PHPSESSID=${s}`, small(26)),
  place('JSON', (s) => `{"user":"app","password":"${s}"}`),
  place('JSON in JSON', (s) => `{"body":"{\\"user\\":\\"app\\",\\"password\\":\\"${s}\\"}"}`),
  place('JSON in JSON in JSON', (s) => `"{\\\\\\"clientSecret\\\\\\":\\\\\\"${s}\\\\\\"}"`),
  place('name beside a value, JSON', (s) => `{"name":"DB_PASSWORD","value":"${s}"}`, small(9)),
  place('name beside a value, YAML', (s) => `env:\n  - name: DB_PASSWORD\n    value: ${s}\n`, small(9)),
  place('YAML', (s) => `db:\n  user: app\n  password: ${s}\n`),
  place('TOML', (s) => `[db]\npassword = "${s}"\n`),
  place('INI', (s) => `[client]\nuser=root\npassword=${s}\n`),
  place('properties of Java', (s) => `spring.datasource.password=${s}\n`),
  place('element of XML', (s) => `<server><id>a</id><password>${s}</password></server>`),
  place('attribute of XML', (s) => `<add key="ClearTextPassword" value="${s}" />`),
  place('connection string', (s) => `Server=db;Database=shop;User Id=sa;Password=${s};Encrypt=True`, small(12)),
  place('account key', (s) => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${s};`, `${alnum(86)}==`),
  place(
    'secret of a cluster',
    (s) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  host: ${s}\n`,
    base64(`db-${small(9)}`),
  ),
  place('secret of a cluster, JSON', (s) => `{"kind": "Secret", "data": {"tls.crt": "${s}"}}`, alnum(40)),
  place('registry of packages', (s) => `//registry.invalid/:_authToken=${s}`, uuid()),
  place('login of a registry in base64', (s) => `{"auths":{"registry.invalid":{"auth":"${s}"}}}`, base64(`bob:${small(10)}`)),
  place('netrc', (s) => `machine api.invalid login bob password ${s}`),
  place('netrc over lines', (s) => `machine api.invalid\n  login bob\n  password ${s}\n`),
  place('pgpass', (s) => `db.invalid:5432:shop:app:${s}`),
  place('table of a vault', (s) => `Key         Value\n---         -----\npassword    ${s}\nuser        app`, small(12)),
  place('constant of code', (s) => `const apiKey = "${s}";`, small(20)),
  place('default of code', (s) => `password = os.environ.get("X") or "nothing"\nclient_secret: str = "${s}"`),
  place('key of a service by its name', (s) => `DATADOG_KEY=${s}`, hex(32)),
  place('key of a service that is a UUID', (s) => `heroku_key: "${s}"`, uuid()),
  place('sentence', (s) => `The password is ${s}, do not tell anybody.`, 'Hunter2x7'),
  place('sentence in Chinese', (s) => `数据库密码：${s}`, 'Hunter2x7'),
  place('colours between name and value', (s) => `\u001b[1mpassword\u001b[0m: \u001b[33m${s}\u001b[0m`),
  place('invisible characters within', (s) => `key ${s.slice(0, 9)}\u200b${s.slice(9)}`, of('sk-', 'ant-', 'api03-', alnum(40))),
  place('behind a colour code', (s) => `token\u001b[32m${s}\u001b[0m`, of('gh', 'p_', alnum(36))),
  place('name of a file', (s) => `/home/user/shop/dumps/${s}.json`, of('gh', 'p_', alnum(36))),
  { name: 'string put together', text: `const t = "${parts[0]}" + "${parts[1]}";`, secrets: parts },
  { name: 'wrapped by a terminal', text: `key: ${wrapped[0]}\n${wrapped[1]}\n$ `, secrets: wrapped },
  { name: 'continued by a backslash', text: `curl -H "PRIVATE-TOKEN: ${continued[0]}\\\n${continued[1]}" x`, secrets: continued },
  { name: 'private key', text: `${armour('BEGIN')}\n${key.join('\n')}\n${armour('END')}`, secrets: key },
  {
    name: 'private key in JSON',
    text: JSON.stringify({
      private_key: `${armour('BEGIN', 'PRIVATE')}\n${escapedKey.join('\n')}\n${armour('END', 'PRIVATE')}\n`,
    }),
    secrets: escapedKey,
  },
  {
    name: 'private key in a diff',
    text: `@@ -0,0 +1,5 @@\n+${armour('BEGIN')}\n${diffKey.map((line) => `+${line}`).join('\n')}\n+${armour('END')}`,
    secrets: diffKey,
  },
  {
    name: 'private key cut off',
    text: `${armour('BEGIN', 'OPENSSH PRIVATE')}\n${cutKey.slice(0, 2).join('\n')}`,
    secrets: cutKey.slice(0, 2),
  },
];
