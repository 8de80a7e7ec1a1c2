/** What is new in a thread, as bytes for the end of the session that it was in before: read back from where that file's reader stands. */
import type { Ledger } from '../ledger/ledger.ts';
import { appendBack } from './append-back.ts';
import { discloseSent } from './disclose-sent.ts';
import type { Made, Parts } from './made.ts';
import type { ReturnWay } from './return-way.ts';

/** `refusal`: the writer cannot go on with the file as it is; a whole sentence. */
export function makeReturn(way: ReturnWay, parts: Parts, ledger: Ledger): Made | { readonly refusal: string } {
  const { shuttle, existing, native, source, since } = way;
  const { from, messages, baton, cwd, now, environment, title, branch, programVersion } = parts;
  const about = { ...(branch === undefined ? {} : { branch }), ...(programVersion === undefined ? {} : { programVersion }) };
  const appended = way.append.append({ messages, baton, title, cwd, now, existing, ...about }, environment);
  if (!appended.ok) return { refusal: appended.refusal };
  const { bytes, warnings } = appended;
  const back = appendBack(shuttle, source.state, existing.size, bytes, {
    baton,
    key: (key) => ledger.keys.get(key),
    stands: { session: native.session, conversation: since.conversation },
  });
  const { launch } = shuttle;
  return {
    carrier: { mode: 'return', native, source, back },
    change: { kind: 'append', root: way.root, path: existing.path, bytes, before: way.before },
    nativeId: native.native_id,
    command: 'absent' in launch ? { argv: [], cwd, env: {} } : launch.resume(native.native_id, cwd, undefined, existing.path),
    disclosure: discloseSent(Buffer.from(bytes).toString('utf8'), back.drafts, messages, baton, { from, to: shuttle.harness }),
    warnings,
    ...(back.problem === undefined ? {} : { problem: { id: 'C006', detail: back.problem } }),
  };
}
