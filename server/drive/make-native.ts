/** A thread as a new native session: the target's writer, read back through the target's reader. */
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Shuttle, Write } from '../../shuttles/contract/shuttle.ts';
import { discloseSent } from './disclose-sent.ts';
import type { Made, Parts } from './made.ts';
import { readBack } from './read-back.ts';

export function makeNative({ shuttle, write }: { readonly shuttle: Shuttle; readonly write: Write }, parts: Parts): Made {
  const { from, messages, baton, cwd, now, environment, title, branch, programVersion } = parts;
  const { harness, find, launch } = shuttle;
  const nativeId = write.newNativeId(now, parts.randomBytes(16));
  const about = { ...(branch === undefined ? {} : { branch }), ...(programVersion === undefined ? {} : { programVersion }) };
  const written = write.write({ messages, baton, title, cwd, nativeId, now, ...about }, environment, parts.sidecars);
  const back = readBack(shuttle, written, parts.sidecars);
  const root = find.roots(environment).find((candidate) => isBelow(written.path, candidate.path))?.path;
  const problem =
    back.problem !== undefined
      ? ({ id: 'C006', detail: back.problem } as const)
      : root === undefined
        ? ({ id: 'C005', detail: `${written.path} is below none of the harness's folders.` } as const)
        : undefined;
  return {
    carrier: { mode: 'native', nativeId, back },
    change: { kind: 'new', root: root ?? '', path: written.path, bytes: written.bytes, mode: written.mode },
    nativeId,
    command: 'absent' in launch ? { argv: [], cwd, env: {} } : launch.resume(nativeId, cwd, undefined, written.path),
    disclosure: discloseSent(written.bytes, back.drafts, messages, baton, { from, to: harness }),
    warnings: written.warnings,
    ...(problem === undefined ? {} : { problem }),
  };
}
