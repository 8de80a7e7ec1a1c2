/**
 * Makes the session that a thread is carried in, in memory: every check, the baton, the target's writer, and the session read back.
 * Nothing is written anywhere.
 */
import type { ContextMessage } from '../ledger/context.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { contextOf } from '../ledger/transcript.ts';
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams, ContinueResult } from '../protocol/requests.ts';
import type { HarnessStatus } from '../protocol/views.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Holder, Shuttle, Write, WrittenSession } from '../../shuttles/contract/shuttle.ts';
import { mask } from '../baton/mask.ts';
import { maskMessages } from '../baton/masked-messages.ts';
import { compileThread } from './compile.ts';
import type { CompileOptions } from './compile.ts';
import { discloseSent } from './disclose-sent.ts';
import { isAbsolute } from './folder.ts';
import { livenessOf } from './liveness.ts';
import { newestMessages, portableMessages } from './portable.ts';
import { tipOf } from './position.ts';
import { readBack } from './read-back.ts';
import type { ReadBack } from './read-back.ts';
import type { World } from './world.ts';

export interface ComposeDependencies {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly world: Pick<World, 'realFolder'>;
  readonly holders: (harness: HarnessId, nativeId: string) => readonly Holder[];
  readonly harnesses: readonly HarnessStatus[];
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Secret of this ledger for the fingerprints of masked values. */
  readonly salt: string;
  /** The worktree as git tells it. */
  readonly facts: CompileOptions['facts'];
}

export interface Composed {
  /** Without a lease. */
  readonly result: ContinueResult;
  readonly shuttle: Shuttle;
  readonly written: WrittenSession;
  readonly back: ReadBack;
  readonly context: readonly ContextMessage[];
  /** The entry that the thread goes on from. */
  readonly tip: number;
  /** The person changed the baton before it went. */
  readonly edited: boolean;
}

/** Characters of JSON: several times what any writer keeps, so that masking costs what is sent and not what there is. */
const mostCarried = 8_000_000;

/** Throws `Fault` C001 to C004. */
export async function compose(thread: ThreadRow, params: ContinueParams, deps: ComposeDependencies): Promise<Composed> {
  const { ledger, environment, now } = deps;
  const { shuttle, write } = target(params, deps);
  const warnings: string[] = [];

  const natives = ledger.natives.byThread(thread.number).filter((native) => native.child_of === null);
  const held = natives.flatMap((native) => deps.holders(native.harness, native.native_id).map((holder) => ({ native, holder })));
  const liveness = livenessOf(thread, held);
  if (liveness.refusal !== null && !params.force) throw new Fault('C002', liveness.refusal);
  if (liveness.refusal !== null) warnings.push(`Forked from its last recorded state while in use: ${liveness.refusal}`);
  warnings.push(...liveness.warnings);

  const tip = tipOf(await ledger.engine(thread.session), thread);
  if (tip === undefined) throw new Fault('C003', `Thread ${thread.id} is empty.`);
  const context = await contextOf(ledger, thread.session, thread.current_conversation, tip);
  const portable = portableMessages(context);
  if (!portable.some((message) => message.role === 'user' || message.role === 'assistant'))
    throw new Fault('C003', `Thread ${thread.id} has no prompt and no answer.`);
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
  const title = mask(thread.title, deps.salt).text;
  const written = write.write(
    { messages: masked.messages, baton, title, cwd, nativeId, now: now(), ...branchOf(thread, deps.salt) },
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
    consent: thread.harness === params.harness ? 'notNeeded' : 'given',
    warnings,
  };
  return { result, shuttle, written, back, context, tip, edited };
}

/** Where the session goes on. A thread whose records name no folder, or one without a place of its own, goes on at home. */
function folderOf(thread: ThreadRow, { world, environment }: ComposeDependencies, warnings: string[]): string {
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

function target(params: ContinueParams, deps: ComposeDependencies): { readonly shuttle: Shuttle; readonly write: Write } {
  const shuttle = deps.shuttles.find((candidate) => candidate.harness === params.harness);
  if (shuttle === undefined) throw new Fault('C004', `There is no shuttle for "${params.harness}".`);
  if (params.mode !== null && params.mode !== 'native')
    throw new Fault('C004', 'A hand-over by prompt alone is not there yet: use the native session.');
  const { write } = shuttle;
  if ('absent' in write) throw new Fault('C004', write.absent);
  return { shuttle, write };
}
