/**
 * Moves a thread to another harness: checks, baton, native session, read-back, registration. Nothing is written before every
 * check has passed. Order of durability: a `pending` hand-over is on record before the file exists; the file is written whole
 * under its final name and never over another; then one transaction makes the target's session the thread's current one and
 * the hand-over `done`. A crash before that leaves a file that the next start removes (recover.ts), a crash after it nothing.
 */
import { createHash } from 'node:crypto';
import type { Ledger } from '../ledger/ledger.ts';
import { findThread } from '../ledger/lookup.ts';
import { contextOf, newestEntries } from '../ledger/transcript.ts';
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams, ContinueResult } from '../protocol/requests.ts';
import type { HarnessStatus } from '../protocol/views.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Holder, Shuttle, Write } from '../../shuttles/contract/shuttle.ts';
import { isBelow } from '../../shuttles/kit/opening.ts';
import { mask } from '../baton/mask.ts';
import { maskMessages } from '../baton/masked-messages.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { compileThread } from './compile.ts';
import type { CompileOptions } from './compile.ts';
import { discloseSent } from './disclose-sent.ts';
import { isAbsolute } from './folder.ts';
import { livenessOf } from './liveness.ts';
import { newestMessages, portableMessages } from './portable.ts';
import { readBack } from './read-back.ts';
import { registerHandoff } from './register.ts';

/** What the world does for a hand-over; given by the composition root. */
export interface World {
  /** A new file below `root`, whole or not at all, never over another. Returns why not, or undefined. */
  readonly writeNew: (root: string, path: string, bytes: Uint8Array, mode: number) => string | undefined;
  readonly remove: (path: string) => void;
  /** The folder behind links; undefined: there is none. */
  readonly realFolder: (path: string) => string | undefined;
}
export interface ContinueDependencies {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly world: World;
  readonly holders: (harness: HarnessId, nativeId: string) => readonly Holder[];
  readonly harnesses: readonly HarnessStatus[];
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Secret of this ledger for the fingerprints of masked values. */
  readonly salt: string;
  /** The worktree as git tells it. */
  readonly facts: CompileOptions['facts'];
}

/** Characters of JSON: several times what any writer keeps, so that masking costs what is sent and not what there is. */
const mostCarried = 8_000_000;

/** Throws `Fault` T001, T002, C001 to C006; then nothing was changed. */
export async function continueThread(params: ContinueParams, deps: ContinueDependencies): Promise<ContinueResult> {
  const { ledger, environment, now } = deps;
  const thread = findThread(ledger, params.thread);
  const { shuttle, write } = target(params, deps);
  const warnings: string[] = [];

  const natives = ledger.natives.byThread(thread.number).filter((native) => native.child_of === null);
  const held = natives.flatMap((native) => deps.holders(native.harness, native.native_id).map((holder) => ({ native, holder })));
  const liveness = livenessOf(thread, held);
  if (liveness.refusal !== null && !params.force) throw new Fault('C002', liveness.refusal);
  if (liveness.refusal !== null) warnings.push(`Forked from its last recorded state while in use: ${liveness.refusal}`);
  warnings.push(...liveness.warnings);

  const context = await contextOf(ledger, thread.session, thread.current_conversation, thread.current_entry ?? undefined);
  const portable = portableMessages(context);
  if (!portable.some((message) => message.role === 'user' || message.role === 'assistant')) throw new Fault('C003', thread.id);
  const compiled = await compileThread(ledger, thread, {
    to: params.harness,
    budget: null,
    now: now(),
    salt: deps.salt,
    facts: deps.facts,
  });
  if (compiled.baton.substance !== 'enough') throw new Fault('C003', compiled.baton.reason ?? '');
  const newest = newestMessages(portable, mostCarried);
  if (newest.length < portable.length)
    warnings.push(
      `The ${portable.length - newest.length} oldest messages were left out, because the thread is too long; the baton stands for them.`,
    );
  const masked = maskMessages(newest, deps.salt);
  // What the person typed into the baton is masked like everything else that leaves.
  const baton = params.baton === null ? compiled.result.markdown : mask(params.baton, deps.salt).text;
  const edited = params.baton !== null && params.baton !== compiled.result.markdown;

  const status = deps.harnesses.find((candidate) => candidate.harness === params.harness);
  if (status?.installed === null) {
    if (!status.canReceive && !params.dryRun) throw new Fault('C001', status.reason ?? harnessNames[params.harness]);
    warnings.push(
      `The program of ${harnessNames[params.harness]} is not on PATH: the session is written, but Loom cannot start it.`,
    );
  }
  const cwd = folderOf(thread, deps, warnings);

  const nativeId = write.newNativeId(now(), deps.randomBytes(16));
  const written = write.write(
    {
      messages: masked.messages,
      baton,
      title: mask(thread.title, deps.salt).text,
      cwd,
      nativeId,
      now: now(),
      ...branchOf(thread, deps.salt),
    },
    environment,
  );
  warnings.push(...written.warnings);
  const back = readBack(shuttle, written, deps.sidecars);
  const disclosure = discloseSent(written, back, masked.messages, baton, thread.harness, params.harness);
  const launch = shuttle.launch;
  const command = 'absent' in launch ? { argv: [], cwd, env: {} } : launch.resume(nativeId, cwd);
  const result: ContinueResult = {
    thread: thread.id,
    harness: params.harness,
    mode: 'native',
    nativeId,
    path: written.path,
    command,
    baton,
    disclosure,
    lease: null,
    warnings,
  };
  if (params.dryRun) return result;

  if (back.problem !== undefined) throw new Fault('C006', back.problem);
  const tip =
    thread.current_entry ?? (await newestEntries(ledger, thread.session, thread.current_conversation, 1)).entries[0]?.id;
  if (tip === undefined) throw new Fault('C003', thread.id);
  const root = shuttle.find.roots(environment).find((candidate) => isBelow(written.path, candidate.path))?.path;
  if (root === undefined) throw new Fault('C005', `${written.path} is below none of the harness's folders.`);

  ledger.handoffs.begin({
    harness: params.harness,
    native_id: nativeId,
    path: written.path,
    sha256: sha256(written.bytes),
    at: now(),
  });
  const failure = deps.world.writeNew(root, written.path, written.bytes, written.mode);
  if (failure !== undefined) {
    ledger.handoffs.end(params.harness, nativeId, 'undone');
    throw new Fault('C005', failure);
  }
  try {
    const lease = await registerHandoff(ledger, {
      thread,
      shuttle,
      written,
      back,
      tip,
      context,
      baton,
      edited,
      disclosure,
      at: now(),
    });
    return { ...result, lease };
  } catch (error) {
    deps.world.remove(written.path);
    ledger.handoffs.end(params.harness, nativeId, 'undone');
    throw error;
  }
}

/** Where the session goes on. A thread whose records name no folder, or one without a place of its own, goes on at home. */
function folderOf(thread: ThreadRow, { world, environment }: ContinueDependencies, warnings: string[]): string {
  if (!isAbsolute(thread.cwd)) {
    warnings.push(`The thread's records do not say which folder it was in: it goes on in ${environment.home}.`);
    return environment.home;
  }
  const folder = world.realFolder(thread.cwd);
  if (folder === undefined)
    warnings.push(`The folder ${thread.cwd} does not exist on this machine: recreate it before the session is started there.`);
  return folder ?? thread.cwd;
}

/** A branch whose name gives away a secret is not named: a mask would name one that does not exist. */
function branchOf({ branch }: ThreadRow, salt: string): { readonly branch?: string } {
  return branch === null || mask(branch, salt).text !== branch ? {} : { branch };
}

function target(params: ContinueParams, deps: ContinueDependencies): { readonly shuttle: Shuttle; readonly write: Write } {
  const shuttle = deps.shuttles.find((candidate) => candidate.harness === params.harness);
  if (shuttle === undefined) throw new Fault('C004', `There is no shuttle for "${params.harness}".`);
  if (params.mode !== 'native') throw new Fault('C004', 'A hand-over by prompt alone is not there yet: use the native session.');
  const { write } = shuttle;
  if ('absent' in write) throw new Fault('C004', write.absent);
  return { shuttle, write };
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
