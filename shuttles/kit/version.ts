/** Versions as programs tell them: dotted numbers, and what stands behind them does not count. */

export function isOlder(version: string, than: string): boolean {
  const [have, want] = [numbers(version), numbers(than)];
  for (let i = 0; i < Math.max(have.length, want.length); i++) {
    const difference = (have[i] ?? 0) - (want[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbers(text: string): readonly number[] {
  return (/\d+(?:\.\d+)*/u.exec(text)?.[0] ?? '').split('.').map(Number);
}
