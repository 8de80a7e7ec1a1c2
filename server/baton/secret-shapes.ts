/**
 * Secrets that are known by their shape, as data: a literal beginning, the characters that follow and how many there are
 * at least. Sources are the issuers' own documents of their token formats, and the rules that public scanners agree on. A shape
 * must be specific enough that ordinary words, paths, commit hashes and base64 do not meet it; `digit` asks for a digit among the
 * first characters where the beginning alone is a plausible word. What has its mark in the middle or at the end is in secret-forms.ts.
 */

/** Which characters continue a token: letters and digits; those with `_` and `-`; those with `.`; or base64's. */
export type Alphabet = 'alnum' | 'word' | 'dotted' | 'base64';

export interface Shape {
  readonly kind: string;
  readonly prefix: string;
  readonly alphabet: Alphabet;
  /** Characters behind the prefix: at least so many, */
  readonly min: number;
  /** and at most so many where the issuer fixes the length. */
  readonly max?: number;
  /** A digit must be among the first 64 characters behind the prefix. */
  readonly digit?: true;
}

type Rest = Pick<Shape, 'max' | 'digit'>;
/** One issuer's tokens of one form: `prefixes` with blanks between them. */
const of = (kind: string, alphabet: Alphabet, min: number, prefixes: string, rest: Rest = {}): readonly Shape[] =>
  prefixes.split(' ').map((prefix) => ({ kind, prefix, alphabet, min, ...rest }));
const digit = { digit: true } as const;

export const shapes: readonly Shape[] = [
  // Models and what is built on them.
  ...of('anthropic', 'word', 8, 'sk-ant-'),
  ...of('openai', 'word', 16, 'sk-proj- sk-svcacct- sk-admin-'),
  ...of('openai', 'alnum', 32, 'sess-', digit),
  ...of('openrouter', 'word', 16, 'sk-or-'),
  ...of('key', 'word', 20, 'sk-', digit),
  ...of('elevenlabs', 'alnum', 40, 'sk_', digit),
  ...of('huggingface', 'alnum', 30, 'hf_ api_org_'),
  ...of('replicate', 'alnum', 30, 'r8_'),
  ...of('groq', 'alnum', 30, 'gsk_'),
  ...of('xai', 'word', 40, 'xai-'),
  ...of('perplexity', 'alnum', 30, 'pplx-'),
  ...of('cerebras', 'alnum', 40, 'csk-', digit),
  ...of('nvidia', 'word', 40, 'nvapi-'),
  ...of('fireworks', 'alnum', 22, 'fw_', { ...digit, max: 26 }),
  ...of('tavily', 'word', 12, 'tvly-'),
  ...of('jina', 'alnum', 40, 'jina_'),
  ...of('pinecone', 'word', 40, 'pcsk_'),
  ...of('langsmith', 'word', 30, 'lsv2_pt_ lsv2_sk_'),
  ...of('apify', 'alnum', 30, 'apify_api_'),
  ...of('e2b', 'alnum', 36, 'e2b_', digit),
  ...of('bedrock', 'base64', 100, 'ABSK'),
  ...of('bedrock', 'base64', 50, 'bedrock-api-key-'),
  // Where code and packages live.
  ...of('github', 'alnum', 16, 'ghp_ gho_ ghu_ ghs_ ghr_'),
  ...of('github', 'word', 20, 'github_pat_'),
  ...of('gitlab', 'dotted', 16, 'glpat- glrt-'),
  ...of('gitlab', 'word', 16, 'gldt- glptt- glcbt- glft- glffct- glimt- glagent- gloas- glsoat-'),
  ...of('gitlab', 'word', 20, 'GR1348941'),
  ...of('atlassian', 'base64', 40, 'ATATT3 ATCTT3'),
  ...of('bitbucket', 'alnum', 28, 'ATBB', { ...digit, max: 64 }),
  ...of('bitbucket', 'base64', 30, 'BBDC-'),
  ...of('npm', 'alnum', 30, 'npm_'),
  ...of('pypi', 'word', 40, 'pypi-'),
  ...of('rubygems', 'alnum', 32, 'rubygems_'),
  ...of('nuget', 'alnum', 43, 'oy2', { max: 43 }),
  ...of('crates', 'alnum', 32, 'cio', { ...digit, max: 32 }),
  ...of('clojars', 'alnum', 50, 'CLOJARS_'),
  ...of('packagist', 'word', 40, 'packagist_ort_ packagist_out_ packagist_uut_'),
  ...of('docker', 'word', 20, 'dckr_pat_ dckr_oat_'),
  ...of('artifactory', 'alnum', 60, 'AKCp'),
  ...of('artifactory', 'alnum', 55, 'cmVmd', { max: 64 }),
  ...of('sourcegraph', 'word', 40, 'sgp_ slk_'),
  ...of('sonar', 'alnum', 40, 'sqp_ sqa_ squ_', digit),
  ...of('circleci', 'word', 36, 'CCIPAT_ CCIPRJ_'),
  ...of('buildkite', 'alnum', 36, 'bkua_ bkaj_'),
  ...of('snyk', 'dotted', 30, 'snyk_uat. snyk_sat.'),
  ...of('postman', 'word', 50, 'PMAK- PMAT-'),
  ...of('readme', 'alnum', 60, 'rdme_'),
  // Clouds, hosting and what runs there.
  ...of('aws', 'alnum', 16, 'AKIA ASIA ABIA ACCA', { max: 16 }),
  ...of('google', 'word', 30, 'AIza'),
  ...of('google', 'word', 8, 'GOCSPX-'),
  ...of('google', 'word', 20, 'ya29.'),
  ...of('google', 'word', 40, '1//0'),
  ...of('alibaba', 'alnum', 16, 'LTAI', { ...digit, max: 26 }),
  ...of('tencent', 'alnum', 32, 'AKID', { ...digit, max: 36 }),
  ...of('scaleway', 'alnum', 17, 'SCW', { ...digit, max: 17 }),
  ...of('yandex', 'word', 35, 'AQVN'),
  ...of('digitalocean', 'alnum', 40, 'dop_v1_ doo_v1_ dor_v1_'),
  ...of('heroku', 'word', 36, 'HRKU-'),
  ...of('vercel', 'alnum', 20, 'vcp_ vci_ vca_ vcr_ vck_', digit),
  ...of('netlify', 'alnum', 36, 'nfp_'),
  ...of('render', 'alnum', 24, 'rnd_', digit),
  ...of('fly', 'word', 40, 'fo1_'),
  ...of('fly', 'base64', 80, 'fm2_ fm1r_ fm1a_'),
  ...of('scalingo', 'word', 40, 'tk-us-'),
  ...of('openshift', 'word', 43, 'sha256~'),
  ...of('tailscale', 'word', 20, 'tskey-', digit),
  ...of('defined', 'word', 60, 'dnkey-'),
  ...of('pulumi', 'alnum', 40, 'pul-', digit),
  ...of('vault', 'word', 20, 'hvs. hvb. hvr.', digit),
  ...of('doppler', 'alnum', 30, 'dp.pt. dp.ct. dp.sa. dp.scim. dp.audit.'),
  ...of('doppler', 'dotted', 30, 'dp.st.'),
  ...of('onepassword', 'base64', 60, 'ops_eyJ'),
  ...of('prefect', 'alnum', 36, 'pnu_ pnb_'),
  ...of('age', 'alnum', 40, 'AGE-SECRET-KEY-1 AGE-PLUGIN-'),
  ...of('harness', 'word', 60, 'hcaik_ hcalk_'),
  // Data and watching.
  ...of('databricks', 'alnum', 32, 'dapi', { ...digit, max: 34 }),
  ...of('planetscale', 'dotted', 32, 'pscale_tkn_ pscale_oauth_ pscale_pw_'),
  ...of('supabase', 'alnum', 30, 'sbp_'),
  ...of('supabase', 'word', 20, 'sb_secret_'),
  ...of('neon', 'alnum', 40, 'napi_'),
  ...of('mongodb', 'word', 36, 'mdb_sa_sk_'),
  ...of('clickhouse', 'alnum', 38, '4b1d', { max: 38 }),
  ...of('elastic', 'base64', 40, 'essu_'),
  ...of('sentry', 'base64', 30, 'sntrys_'),
  ...of('sentry', 'alnum', 40, 'sntryu_'),
  ...of('grafana', 'word', 30, 'glsa_'),
  ...of('grafana', 'base64', 30, 'glc_'),
  ...of('grafana', 'base64', 60, 'eyJrIjoi'),
  ...of('newrelic', 'word', 18, 'NRAK- NRII- NRJS-', digit),
  ...of('dynatrace', 'dotted', 60, 'dt0c01. dt0s01. dt0s02. dt0s16.'),
  // Messages and mail.
  ...of('slack', 'word', 10, 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxc- xapp-'),
  ...of('slack', 'base64', 10, 'xoxd-'),
  ...of('slack', 'dotted', 10, 'xoxe.'),
  ...of('slack', 'base64', 16, 'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/'),
  ...of('discord', 'base64', 24, 'discord.com/api/webhooks/ discordapp.com/api/webhooks/'),
  ...of('zapier', 'base64', 8, 'hooks.zapier.com/hooks/catch/'),
  ...of('sendgrid', 'dotted', 40, 'SG.', digit),
  ...of('brevo', 'word', 60, 'xkeysib- xsmtpsib-'),
  // Money.
  ...of('stripe', 'alnum', 8, 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_'),
  ...of('stripe', 'base64', 16, 'whsec_'),
  ...of('square', 'word', 20, 'sq0atp-'),
  ...of('square', 'word', 30, 'sq0csp-'),
  ...of('square', 'word', 40, 'EAAA', { ...digit, max: 64 }),
  ...of('paypal', 'base64', 16, 'access_token$production$ access_token$sandbox$'),
  ...of('razorpay', 'alnum', 14, 'rzp_live_ rzp_test_'),
  ...of('flutterwave', 'word', 12, 'FLWSECK- FLWSECK_TEST-', digit),
  ...of('plaid', 'word', 36, 'access-sandbox- access-development- access-production-'),
  ...of('shopify', 'alnum', 30, 'shpat_ shpss_ shpca_ shppa_'),
  ...of('duffel', 'word', 40, 'duffel_live_ duffel_test_'),
  ...of('easypost', 'alnum', 50, 'EZAK EZTK'),
  ...of('shippo', 'alnum', 32, 'shippo_live_ shippo_test_'),
  // Work and content.
  ...of('notion', 'alnum', 30, 'ntn_'),
  ...of('notion', 'alnum', 40, 'secret_', { ...digit, max: 50 }),
  ...of('linear', 'alnum', 30, 'lin_api_ lin_oauth_'),
  ...of('figma', 'word', 30, 'figd_ figo_ figu_ figor_'),
  ...of('contentful', 'word', 40, 'CFPAT-'),
  ...of('hubspot', 'word', 36, 'pat-na1- pat-na2- pat-eu1- pat-ap1-'),
  ...of('intercom', 'base64', 50, 'dG9rOm'),
  ...of('typeform', 'dotted', 40, 'tfp_'),
  ...of('dropbox', 'dotted', 100, 'sl.', digit),
  ...of('frameio', 'word', 60, 'fio-u-'),
  ...of('mapbox', 'dotted', 60, 'sk.eyJ pk.eyJ'),
  ...of('facebook', 'alnum', 80, 'EAAB EAAC EAAG EAAM'),
  ...of('instagram', 'alnum', 80, 'IGQV'),
  ...of('adobe', 'alnum', 32, 'p8e-', { ...digit, max: 32 }),
  ...of('adafruit', 'alnum', 28, 'aio_', { ...digit, max: 28 }),
  ...of('intra42', 'alnum', 60, 's-s4t2ud- s-s4t2af-'),
  ...of('settlemint', 'alnum', 16, 'sm_aat_ sm_pat_ sm_sat_'),
  // Keys that were wrapped in base64 once more: a web token, and the armour of a private key.
  ...of('jwt', 'base64', 60, 'ZXlKaGJHY2lPaU ZXlKMGVYQWlPaU ZXlKcmFXUWlP'),
  ...of(
    'private-key',
    'base64',
    40,
    'LS0tLS1CRUdJTiBQUklWQVRF LS0tLS1CRUdJTiBSU0EgUFJJVkFURS LS0tLS1CRUdJTiBFQyBQUklWQVRF LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVE LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFURS LS0tLS1CRUdJTiBQR1AgUFJJVkFURS',
  ),
];
