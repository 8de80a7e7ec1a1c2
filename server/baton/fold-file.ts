/** Files that an action changed, added up, and edits that took an earlier one back. */
import type { FileChange } from '../../shuttles/contract/entry.ts';
import type { Action } from './action.ts';
import type { BatonState } from './baton-state.ts';
import { evidence, limits } from './baton-state.ts';
import { editPairs } from './edit-pair.ts';
import { withFailure } from './failure.ts';
import type { Masker } from './mask.ts';
import { cleanSpan } from './passage.ts';
import { codeSpan } from './quote.ts';
import { relativePath } from './thread-path.ts';

export function withFiles(state: BatonState, did: Action, masker: Masker): BatonState {
  if (did.isError || did.details.status === 'failed') return state;
  const changes: readonly FileChange[] =
    did.details.files ?? (did.path === '' ? [] : [{ path: did.path, change: 'update', added: 0, removed: 0 }]);
  const isTold = changes.some((change) => change.diff !== undefined && change.diff !== '');
  let next = state;
  for (const change of changes.slice(0, 100)) {
    const path = relativePath(cleanSpan(change.path, 300, masker), state.cwd);
    if (path === '') continue;
    const known = next.files.find((file) => file.path === path);
    const file = {
      path,
      change: known !== undefined && known.change === 'add' && change.change === 'update' ? 'add' : change.change,
      movedTo: change.movedTo === undefined ? '' : relativePath(cleanSpan(change.movedTo, 300, masker), state.cwd),
      added: (known?.added ?? 0) + count(change.added),
      removed: (known?.removed ?? 0) + count(change.removed),
      entries: evidence(known?.entries ?? [], [did.entry]),
    };
    const files = [...next.files.filter((other) => other !== known), file];
    const over = files.length > limits.files ? 1 : 0;
    next = { ...next, files: files.slice(over), filesForgotten: next.filesForgotten + over };
    // The arguments name one file, or a patch of several, whose sides are then taken for each.
    const pairs = isTold
      ? editPairs(path, change, did.entry)
      : did.sides().map((sides) => ({ path, ...sides, entry: did.entry }));
    for (const pair of pairs) {
      const first = pair.to.charCodeAt(0);
      const back = next.edits.find(
        (edit) => edit.from.charCodeAt(0) === first && edit.from === pair.to && edit.to === pair.from && edit.path === path,
      );
      if (back !== undefined) {
        next = withFailure(next, {
          kind: 'reverted',
          text: `An edit of ${codeSpan(path)} was taken back`,
          entries: [back.entry, did.entry],
          trust: 'model',
          command: '',
          score: 3,
        });
        next = { ...next, edits: next.edits.filter((edit) => edit !== back) };
      } else next = { ...next, edits: [...next.edits.slice(next.edits.length >= limits.edits ? 1 : 0), pair] };
    }
  }
  return next;
}
const count = (value: number): number => (Number.isFinite(value) && value > 0 ? Math.floor(value) : 0);
