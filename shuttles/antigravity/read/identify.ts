/**
 * Whose file it is: the path says it, since every file lies under its conversation's id. Better files of the conversation are read
 * before worse ones, the index before all, and the conversation that started another before that one.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeRecord, SourceIdentity } from '../../contract/read.ts';
import { filled, str } from '../../kit/fields.ts';
import { bodyPaths, heldNames, indexPath, isConversationId, nativeIdOf, placeOf, type FilePlace } from '../places.ts';
import { isLine } from './transcript.ts';

/** Parts that tell a conversation, best first. Artifacts and the index stand beside them. */
export const ranked = ['native', 'transcript', 'truncated', 'listed'] as const;

export function identify(path: string, head: readonly NativeRecord[]): SourceIdentity | undefined {
  const place = placeOf(path);
  const values = head.flatMap((record) => (record.ok ? [record.value] : []));
  const part = place === undefined ? undefined : partOf(place, values);
  if (place === undefined || part === undefined) return undefined;
  const { surface, id } = place;
  const parent = [filled(values[0], 'root'), filled(values[0], 'parent')].find(
    (other) => other !== undefined && isConversationId(other) && other.toLowerCase() !== id,
  );
  const childOf = parent === undefined ? undefined : { nativeId: nativeIdOf(surface, parent) };
  const bodies = bodyPaths(place, id);
  const rank = ranked.findIndex((name) => name === part);
  const better = part === 'summary' ? [] : rank < 0 ? bodies : bodies.slice(0, rank);
  const parents = parent === undefined ? [] : [indexPath(place, parent.toLowerCase()), ...bodyPaths(place, parent.toLowerCase())];
  return {
    nativeId: nativeIdOf(surface, id),
    part,
    ...(childOf === undefined ? {} : { childOf }),
    needs: [...(part === 'summary' ? parents : [indexPath(place, id), ...parents]), ...better],
  };
}

function partOf({ kind, held, name }: FilePlace, values: readonly JsonObject[]): string | undefined {
  // A container itself is no session.
  if (held === '' && kind !== 'full' && kind !== 'cut') return undefined;
  switch (kind) {
    case 'store':
      return held === heldNames.steps ? (values.length > 0 ? 'native' : undefined) : 'listed';
    case 'sealed':
      return 'listed';
    case 'full':
      return values.some(isLine) ? 'transcript' : undefined;
    case 'cut':
      return values.some(isLine) ? 'truncated' : undefined;
    case 'artifact':
      return values.some((value) => str(value, 'record') === 'artifact') ? `artifact:${name}` : undefined;
    case 'index':
      return values.length > 0 ? 'summary' : undefined;
  }
}
