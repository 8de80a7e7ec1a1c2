/**
 * Secrets that are known by their shape, as data: a literal beginning, the characters that follow and how many there are
 * at least. Sources are the issuers' own documents of their token formats. A shape must be specific enough that ordinary
 * words, paths, commit hashes and base64 do not meet it; `digit` asks for a digit among the first characters where the
 * beginning alone is a plausible word.
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

export const shapes: readonly Shape[] = [
  { kind: 'anthropic', prefix: 'sk-ant-', alphabet: 'word', min: 8 },
  { kind: 'openai', prefix: 'sk-proj-', alphabet: 'word', min: 16 },
  { kind: 'openai', prefix: 'sk-svcacct-', alphabet: 'word', min: 16 },
  { kind: 'openrouter', prefix: 'sk-or-', alphabet: 'word', min: 16 },
  { kind: 'key', prefix: 'sk-', alphabet: 'word', min: 20, digit: true },
  { kind: 'openai', prefix: 'sess-', alphabet: 'alnum', min: 32, digit: true },
  { kind: 'github', prefix: 'ghp_', alphabet: 'alnum', min: 16 },
  { kind: 'github', prefix: 'gho_', alphabet: 'alnum', min: 16 },
  { kind: 'github', prefix: 'ghu_', alphabet: 'alnum', min: 16 },
  { kind: 'github', prefix: 'ghs_', alphabet: 'alnum', min: 16 },
  { kind: 'github', prefix: 'ghr_', alphabet: 'alnum', min: 16 },
  { kind: 'github', prefix: 'github_pat_', alphabet: 'word', min: 20 },
  { kind: 'gitlab', prefix: 'glpat-', alphabet: 'word', min: 16 },
  { kind: 'gitlab', prefix: 'gldt-', alphabet: 'word', min: 16 },
  { kind: 'gitlab', prefix: 'glrt-', alphabet: 'word', min: 16 },
  { kind: 'gitlab', prefix: 'glptt-', alphabet: 'word', min: 16 },
  { kind: 'gitlab', prefix: 'glcbt-', alphabet: 'word', min: 16 },
  { kind: 'aws', prefix: 'AKIA', alphabet: 'alnum', min: 16, max: 16 },
  { kind: 'aws', prefix: 'ASIA', alphabet: 'alnum', min: 16, max: 16 },
  { kind: 'google', prefix: 'AIza', alphabet: 'word', min: 30 },
  { kind: 'google', prefix: 'GOCSPX-', alphabet: 'word', min: 8 },
  { kind: 'google', prefix: 'ya29.', alphabet: 'word', min: 20 },
  { kind: 'slack', prefix: 'xoxb-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxp-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxa-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxr-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxs-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxo-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'xoxe.', alphabet: 'dotted', min: 10 },
  { kind: 'slack', prefix: 'xapp-', alphabet: 'word', min: 10 },
  { kind: 'slack', prefix: 'hooks.slack.com/services/', alphabet: 'base64', min: 16 },
  { kind: 'discord', prefix: 'discord.com/api/webhooks/', alphabet: 'base64', min: 24 },
  { kind: 'discord', prefix: 'discordapp.com/api/webhooks/', alphabet: 'base64', min: 24 },
  { kind: 'tavily', prefix: 'tvly-', alphabet: 'word', min: 12 },
  { kind: 'npm', prefix: 'npm_', alphabet: 'alnum', min: 30 },
  { kind: 'pypi', prefix: 'pypi-', alphabet: 'word', min: 40 },
  { kind: 'rubygems', prefix: 'rubygems_', alphabet: 'alnum', min: 32 },
  { kind: 'stripe', prefix: 'sk_live_', alphabet: 'alnum', min: 8 },
  { kind: 'stripe', prefix: 'sk_test_', alphabet: 'alnum', min: 8 },
  { kind: 'stripe', prefix: 'rk_live_', alphabet: 'alnum', min: 8 },
  { kind: 'stripe', prefix: 'rk_test_', alphabet: 'alnum', min: 8 },
  { kind: 'stripe', prefix: 'whsec_', alphabet: 'base64', min: 16 },
  { kind: 'sendgrid', prefix: 'SG.', alphabet: 'dotted', min: 40, digit: true },
  { kind: 'huggingface', prefix: 'hf_', alphabet: 'alnum', min: 30 },
  { kind: 'replicate', prefix: 'r8_', alphabet: 'alnum', min: 30 },
  { kind: 'groq', prefix: 'gsk_', alphabet: 'alnum', min: 30 },
  { kind: 'xai', prefix: 'xai-', alphabet: 'word', min: 40 },
  { kind: 'perplexity', prefix: 'pplx-', alphabet: 'alnum', min: 30 },
  { kind: 'digitalocean', prefix: 'dop_v1_', alphabet: 'alnum', min: 40 },
  { kind: 'vault', prefix: 'hvs.', alphabet: 'word', min: 20, digit: true },
  { kind: 'doppler', prefix: 'dp.pt.', alphabet: 'alnum', min: 30 },
  { kind: 'linear', prefix: 'lin_api_', alphabet: 'alnum', min: 30 },
  { kind: 'notion', prefix: 'ntn_', alphabet: 'alnum', min: 30 },
  { kind: 'figma', prefix: 'figd_', alphabet: 'word', min: 30 },
  { kind: 'shopify', prefix: 'shpat_', alphabet: 'alnum', min: 30 },
  { kind: 'shopify', prefix: 'shpss_', alphabet: 'alnum', min: 30 },
  { kind: 'square', prefix: 'sq0atp-', alphabet: 'word', min: 20 },
  { kind: 'square', prefix: 'sq0csp-', alphabet: 'word', min: 30 },
  { kind: 'databricks', prefix: 'dapi', alphabet: 'alnum', min: 32, max: 34, digit: true },
  { kind: 'atlassian', prefix: 'ATATT3', alphabet: 'base64', min: 40 },
  { kind: 'sentry', prefix: 'sntrys_', alphabet: 'base64', min: 30 },
  { kind: 'grafana', prefix: 'glsa_', alphabet: 'word', min: 30 },
  { kind: 'grafana', prefix: 'glc_', alphabet: 'base64', min: 30 },
  { kind: 'supabase', prefix: 'sbp_', alphabet: 'alnum', min: 30 },
  { kind: 'age', prefix: 'AGE-SECRET-KEY-1', alphabet: 'alnum', min: 40 },
];
