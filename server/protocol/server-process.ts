/** How the server process is started, for whoever starts it. */

/**
 * Flags of its Node. A small young generation: an import makes short-lived objects without end, and V8 would keep 200 MB for them where
 * 60 MB do. Half of it costs a twentieth more processor time, and twice as much is slower (Node 24, imports of 97 and 487 MB).
 */
export const serverFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * What its environment has besides. glibc keeps what was freed in arenas of every thread: 90 MB after an import, where one arena whose top is
 * given back keeps 40. In between small pieces stay that hold the rest back: what has 32 KB or more (buffers, mostly) lies outside of it, and goes
 * back at once; that is 12 MB less after an import of 244 MB, at no cost that can be measured. Other systems' allocators do not know these
 * names.
 */
export function serverVariables(platform: string): Readonly<Record<string, string>> {
  return platform === 'linux' ? { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '262144' } : {};
}
