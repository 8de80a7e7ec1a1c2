/** A command as a person can paste it into their shell: for display only, Loom itself never goes through a shell. */
import type { Environment } from '../../shuttles/contract/shuttle.ts';

export function quoteCommand(argv: readonly string[], cwd: string, platform: Environment['platform']): string {
  const quote = platform === 'win32' ? quotePowerShell : quotePosix;
  // PowerShell runs a quoted program only behind its call operator.
  const call = platform === 'win32' && argv[0] !== undefined && quote(argv[0]) !== argv[0] ? '& ' : '';
  return platform === 'win32'
    ? `Set-Location -LiteralPath ${quotePowerShell(cwd, true)}; ${call}${argv.map((word) => quote(word)).join(' ')}`
    : `cd ${quotePosix(cwd)} && ${argv.map((word) => quote(word)).join(' ')}`;
}

function quotePosix(word: string): string {
  if (hostile.test(word)) return `$'${word.replaceAll(/['\\]/gu, '\\$&').replaceAll(hostileSigns, escaped)}'`;
  return /^[A-Za-z0-9_/.:=@%+,-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Signs that a terminal would obey or hide: a folder's name comes from a record. */
const hostile = /[\p{Cc}\p{Cf}\u2028\u2029]/u;
const hostileSigns = new RegExp(hostile.source, 'gu');

/** As bytes, which every shell with `$'…'` takes. */
function escaped(sign: string): string {
  return [...Buffer.from(sign)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function quotePowerShell(word: string, always = false): string {
  if (hostile.test(word))
    return `"${word.replaceAll(/[`"$]/gu, '`$&').replaceAll(hostileSigns, (sign) => `$([char]${sign.codePointAt(0)})`)}"`;
  return !always && /^[A-Za-z0-9_/.:\\-]+$/u.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
}
