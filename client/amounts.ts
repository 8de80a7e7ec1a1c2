/** Amounts in words that fit a line: ages, durations, bytes, counts. Times are milliseconds. */

/** How long ago: "now", "12 s", "3 min", "4 h", "2 d", "5 wk", "3 mo", "2 y". A time in the future counts as now. */
export function age(then: number, now: number): string {
  const seconds = Math.floor((now - then) / 1000);
  if (seconds < 5) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  const days = Math.floor(seconds / 86_400);
  if (days < 14) return `${days} d`;
  if (days < 60) return `${Math.floor(days / 7)} wk`;
  if (days < 730) return `${Math.floor(days / 30.4)} mo`;
  return `${Math.floor(days / 365)} y`;
}

/** "40 ms", "0.1 s", "8.2 s", "2 min 3 s", "1 h 4 min". */
export function duration(ms: number): string {
  if (ms < 100) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "812 bytes", "5.1 KB", "12 MB": thousands, as file managers count. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} ${count === 1 ? 'byte' : 'bytes'}`;
  const units = ['KB', 'MB', 'GB', 'TB'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? 'TB'}`;
}

/** "1 turn", "14 turns", "1,204 turns". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** Tokens: "812", "5.1k", "1.2M". */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${count < 9950 ? (count / 1000).toFixed(1) : Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}
