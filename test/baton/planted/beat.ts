/** What happens in a planted session, in no harness's words; the writers beside this file put it down in each harness's own form. */
export type Beat =
  | { readonly do: 'prompt'; readonly text: string }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'run'; readonly command: string; readonly output: string; readonly exit: number }
  | { readonly do: 'background'; readonly command: string; readonly output: string }
  | { readonly do: 'edit'; readonly path: string; readonly old: readonly string[]; readonly fresh: readonly string[] }
  | { readonly do: 'create'; readonly path: string; readonly lines: readonly string[] }
  | { readonly do: 'read'; readonly path: string; readonly output: string }
  | { readonly do: 'fetch'; readonly url: string; readonly output: string }
  | { readonly do: 'todo'; readonly items: readonly (readonly [text: string, status: 'pending' | 'in_progress' | 'completed'])[] }
  | { readonly do: 'compact'; readonly summary: string }
  /** Where a harness has none, a call like any other. */
  | { readonly do: 'subagent'; readonly task: string; readonly says: readonly string[]; readonly report: string };

export const prompt = (text: string): Beat => ({ do: 'prompt', text });
export const say = (text: string): Beat => ({ do: 'say', text });
export const run = (command: string, output = '', exit = 0): Beat => ({ do: 'run', command, output, exit });
export const edit = (path: string, old: readonly string[], fresh: readonly string[]): Beat => ({ do: 'edit', path, old, fresh });
export const read = (path: string, output: string): Beat => ({ do: 'read', path, output });
export const fetched = (url: string, output: string): Beat => ({ do: 'fetch', url, output });
export const todo = (...items: Extract<Beat, { do: 'todo' }>['items']): Beat => ({ do: 'todo', items });

export const cwd = '/home/user/shop';
/** Milliseconds since 1970 of the first beat; each next one is 20 seconds later. */
export const began = Date.UTC(2026, 10, 2, 9, 0, 0);
export const timeOf = (row: number): string => new Date(began + row * 20_000).toISOString();

/** Lines of a diff that replaces the whole of a small file. */
export const diffLines = (old: readonly string[], fresh: readonly string[]): readonly string[] => [
  ...old.map((line) => `-${line}`),
  ...fresh.map((line) => `+${line}`),
];
