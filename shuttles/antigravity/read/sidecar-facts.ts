/** Small files beside the conversations: the terminal remembers each one's folder, the desktop app when it was looked at last. */
import type { SessionFacts, Sidecars, SourceIdentity } from '../../contract/read.ts';
import { asStr, filled, parseObject } from '../../kit/fields.ts';
import { placeOf } from '../places.ts';

export function sidecarFacts({ part }: SourceIdentity, path: string, sidecars: Sidecars): SessionFacts {
  const place = placeOf(path);
  // The store and the index say it themselves.
  if (place === undefined || part === 'native' || part === 'summary') return {};
  const at = (...parts: readonly string[]): string => [place.root, ...parts].join(place.separator);
  const last = parseObject(sidecars.text(at('cache', 'last_conversations.json')) ?? '') ?? {};
  const cwd =
    Object.entries(last).find(([, id]) => asStr(id)?.toLowerCase() === place.id)?.[0] ??
    promptedIn(sidecars.text(at('history.jsonl')), place.id);
  const viewed = viewedAt(sidecars.text(at('annotations', `${place.id}.pbtxt`)));
  return {
    ...(cwd === undefined ? {} : { startCwd: cwd, cwd }),
    ...(viewed === undefined ? {} : { updatedAt: viewed }),
  };
}

function promptedIn(history: string | undefined, id: string): string | undefined {
  if (history === undefined || !history.includes(id)) return undefined;
  for (const line of history.split('\n')) {
    const prompt = line.includes(id) ? parseObject(line) : undefined;
    const cwd = filled(prompt, 'workspace');
    if (cwd !== undefined && filled(prompt, 'conversationId')?.toLowerCase() === id) return cwd;
  }
  return undefined;
}

function viewedAt(text: string | undefined): number | undefined {
  const seconds = /last_user_view_time:\s*\{\s*seconds:\s*(\d{9,11})\b/.exec(text?.slice(0, 4000) ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
