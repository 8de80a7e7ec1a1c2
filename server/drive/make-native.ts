/** A thread as a new native session: the target's writer, read back through the target's reader. */
import { isBelow } from '../../shuttles/kit/opening.ts';
import type { Shuttle, Write, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { Fault } from '../protocol/faults.ts';
import { discloseSent } from './disclose-sent.ts';
import type { Made, Parts } from './made.ts';
import { readBack } from './read-back.ts';
import type { ReadBack } from './read-back.ts';

/** Throws `Fault` C004: no session may be written there now. */
export function makeNative({ shuttle, write }: { readonly shuttle: Shuttle; readonly write: Write }, parts: Parts): Made {
  const { from, messages, baton, cwd, now, environment, sidecars, databases, title, branch, programVersion } = parts;
  const { harness, find, launch } = shuttle;
  const nativeId = write.newNativeId(now, parts.randomBytes(16));
  const about = { ...(branch === undefined ? {} : { branch }), ...(programVersion === undefined ? {} : { programVersion }) };
  const refusal = write.refusal?.({ nativeId, ...about }, environment, sidecars, databases);
  if (refusal !== undefined) throw new Fault('C004', refusal);
  const written = write.write({ messages, baton, title, cwd, nativeId, now, ...about }, environment, sidecars, databases);
  const back = readBack(shuttle, written, sidecars, databases);
  const root = find.roots(environment).find((candidate) => isBelow(written.path, candidate.path))?.path;
  const problem =
    back.problem !== undefined
      ? ({ id: 'C006', detail: back.problem } as const)
      : root === undefined
        ? ({ id: 'C005', detail: `${written.path} is below none of the harness's folders.` } as const)
        : undefined;
  const { path, bytes, mode, beside, warnings } = written;
  return {
    carrier: { mode: 'native', nativeId, back },
    change: { kind: 'new', root: root ?? '', path, bytes, mode, ...(beside === undefined ? {} : { beside }) },
    nativeId,
    command: 'absent' in launch ? { argv: [], cwd, env: {} } : launch.resume(nativeId, cwd, undefined, path),
    disclosure: discloseSent(textOf(written, back), back.drafts, messages, baton, { from, to: harness }),
    warnings,
    ...(problem === undefined ? {} : { problem }),
  };
}

/** What it says, as text: a database's pages may cut a word. */
function textOf({ form, bytes }: WrittenSession, { drafts }: ReadBack): string {
  return form === 'database' ? JSON.stringify(drafts.map(({ content }) => content)) : Buffer.from(bytes).toString('utf8');
}
