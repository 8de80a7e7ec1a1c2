/**
 * A command as a line to be pasted into a shell by hand. Every word that is more than plain letters is quoted, so that it stays one word
 * and means nothing to the shell. Loom itself starts programs with arguments and never through such a line.
 */

/** `posix`: sh and its kin. `windows`: PowerShell, which runs a quoted program only behind its call operator. */
export function shellLine(argv: readonly string[], rules: 'posix' | 'windows'): string {
  const line = argv.map((word) => quoted(word, rules)).join(' ');
  return rules === 'windows' && line.startsWith("'") ? `& ${line}` : line;
}

function quoted(word: string, rules: 'posix' | 'windows'): string {
  if (/^[\w@%+=:,./-]+$/u.test(word)) return word;
  return `'${word.replaceAll("'", rules === 'posix' ? `'\\''` : "''")}'`;
}
