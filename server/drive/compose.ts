/**
 * Makes what a thread is carried as, in memory: every check, the baton, what is put on the disk, read back. Nothing is written anywhere.
 */
import type { ContextMessage } from '../ledger/context.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ThreadRow } from '../ledger/threads-table.ts';
import { contextOf } from '../ledger/transcript.ts';
import { Fault } from '../protocol/faults.ts';
import type { ContinueParams, ContinueResult } from '../protocol/requests.ts';
import type { HarnessStatus } from '../protocol/views.ts';
import type { Databases } from '../../shuttles/contract/container.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment, Holder, Shuttle } from '../../shuttles/contract/shuttle.ts';
import { cleanText, oneLine, withoutControls } from '../baton/clean-text.ts';
import { withoutCutWord } from '../baton/cut-title.ts';
import { withoutMarks } from '../baton/harness-marks.ts';
import { mask } from '../baton/mask.ts';
import { maskedAndClean } from '../baton/masked-clean.ts';
import { maskMessages } from '../baton/masked-messages.ts';
import { compileThread } from './compile.ts';
import type { CompiledThread, CompileOptions } from './compile.ts';
import { agreementOf, consentShown } from './consent.ts';
import type { Agreement } from './consent.ts';
import { deltaOf } from './delta.ts';
import { isAbsolute } from './folder.ts';
import { heldSessions, livenessOf } from './liveness.ts';
import type { Made, Parts } from './made.ts';
import { makeNative } from './make-native.ts';
import { makePrompt } from './make-prompt.ts';
import { makeReturn } from './make-return.ts';
import { newestMessages, portableMessages } from './portable.ts';
import { tipOf } from './position.ts';
import { checkProgram } from './program-check.ts';
import type { World } from './world.ts';
import { nativeWay, notBack, wayOf } from './way.ts';
import type { Way } from './way.ts';

export interface ComposeDependencies {
  readonly ledger: Ledger;
  readonly shuttles: readonly Shuttle[];
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly databases: Databases;
  readonly world: Pick<World, 'realFolder'>;
  readonly holders: (harness: HarnessId, nativeId: string) => readonly Holder[];
  readonly harnesses: readonly HarnessStatus[];
  /** Is a person logged in to the harness's program? null: it cannot be told. Absent: nobody asks. */
  readonly isLoggedIn?: (harness: HarnessId) => Promise<boolean | null>;
  readonly now: () => number;
  readonly randomBytes: (length: number) => Uint8Array;
  /** Secret of this ledger for the fingerprints of masked values. */
  readonly salt: string;
  /** The worktree as git tells it. */
  readonly facts: CompileOptions['facts'];
  /** What still runs of what the thread has started. Absent: nobody looks. */
  readonly processes?: CompileOptions['processes'];
}

export interface Composed {
  /** Without a lease. */
  readonly result: ContinueResult;
  readonly shuttle: Shuttle;
  readonly made: Made;
  readonly context: readonly ContextMessage[];
  /** The entry that the thread goes on from. */
  readonly tip: number;
  /** The person changed the baton before it went. */
  readonly edited: boolean;
  readonly agreement: Agreement;
  /** Real path of the thread's folder, where there is one: what an agreement is for. */
  readonly folder: string;
}

/** Characters of JSON: several times what any writer keeps, so that masking costs what is sent and not what there is. */
const mostCarried = 8_000_000;

/** Throws `Fault` C001 to C004, C011, C012. */
export async function compose(thread: ThreadRow, params: ContinueParams, deps: ComposeDependencies): Promise<Composed> {
  const { ledger } = deps;
  const shuttle = deps.shuttles.find((candidate) => candidate.harness === params.harness);
  if (shuttle === undefined) throw new Fault('C004', `There is no shuttle for "${params.harness}".`);
  const warnings: string[] = [];
  const tip = tipOf(await ledger.engine(thread.session), thread);
  let way = wayOf(thread, tip ?? 0, shuttle, params.mode, deps, warnings);

  const liveness = livenessOf(thread, await heldSessions(ledger, thread, deps.holders));
  if (liveness.refusal !== null && !params.force) throw new Fault('C002', liveness.refusal);
  if (liveness.refusal !== null) warnings.push(`Forked from its last recorded state while in use: ${liveness.refusal}`);
  warnings.push(...liveness.warnings);

  if (tip === undefined) throw new Fault('C003', `Thread ${thread.id} is empty.`);
  const context = await contextOf(ledger, thread.session, thread.current_conversation, tip);
  if (!portableMessages(context).some((message) => message.role === 'user' || message.role === 'assistant'))
    throw new Fault('C003', `Thread ${thread.id} has no prompt and no answer.`);
  const programVersion = await checkProgram(way, params, deps, warnings);

  const cwd = folderOf(thread, deps, warnings);
  const common = { ...commonParts(thread, cwd, deps), ...(programVersion === null ? {} : { programVersion }) };
  let carried = await carriedOf(way, thread, params, context, deps);
  let made = makeIn(way, { ...common, messages: carried.messages, baton: carried.baton }, thread, ledger);
  const refusal =
    'refusal' in made ? made.refusal : params.mode === null && way.mode === 'return' ? made.problem?.detail : undefined;
  if (refusal !== undefined) {
    if (params.mode === 'return') throw new Fault('C011', refusal);
    warnings.push(notBack(refusal));
    way = nativeWay(shuttle);
    carried = await carriedOf(way, thread, params, context, deps);
    made = makeIn(way, { ...common, messages: carried.messages, baton: carried.baton }, thread, ledger);
  }
  if ('refusal' in made) throw new Fault('C004', made.refusal);
  warnings.push(...carried.warnings, ...made.warnings);

  const { harness, mode } = { harness: params.harness, mode: way.mode };
  const agreement = agreementOf(ledger, { folder: cwd, from: thread.harness, to: harness }, params.confirmed);
  const { nativeId, command, disclosure, change } = made;
  const result: ContinueResult = {
    thread: thread.id,
    harness,
    mode,
    nativeId,
    path: change.path,
    command,
    baton: carried.baton,
    disclosure,
    lease: null,
    consent: consentShown(agreement),
    warnings,
  };
  return { result, shuttle, made, context, tip, edited: carried.edited, agreement, folder: cwd };
}

interface Carried {
  readonly messages: readonly Message[];
  readonly baton: string;
  readonly edited: boolean;
  readonly warnings: readonly string[];
}

/** What goes that way, masked. Throws `Fault` C003. */
async function carriedOf(
  way: Way,
  thread: ThreadRow,
  params: ContinueParams,
  context: readonly ContextMessage[],
  deps: ComposeDependencies,
): Promise<Carried> {
  const { ledger, salt } = deps;
  const since = way.mode === 'return' ? way.since : undefined;
  const compiled = await compiledFor(thread, params.harness, since?.entry, deps);
  if (since === undefined && compiled.baton.substance !== 'enough') throw new Fault('C003', compiled.baton.reason ?? '');
  const given =
    since === undefined
      ? context
      : deltaOf(context, await contextOf(ledger, thread.session, since.conversation, since.entry), since.entry);
  const portable = way.mode === 'prompt' ? [] : portableMessages(given);
  const newest = newestMessages(portable, mostCarried);
  const left = portable.length - newest.length;
  return {
    messages: maskMessages(newest, salt).messages,
    // What the person typed into the baton is masked like everything else that leaves.
    baton:
      params.baton === null
        ? compiled.result.markdown
        : maskedAndClean(params.baton, { mask: (text) => mask(text, salt) }, cleanText).text,
    edited: params.baton !== null && (params.edited ?? params.baton !== compiled.result.markdown),
    warnings:
      left === 0 ? [] : [`The ${left} oldest messages were left out, because the thread is too long; the baton stands for them.`],
  };
}

/** `since`: only what came behind that entry is told. */
function compiledFor(
  thread: ThreadRow,
  to: HarnessId,
  since: number | undefined,
  { ledger, now, salt, facts, processes }: ComposeDependencies,
): Promise<CompiledThread> {
  return compileThread(ledger, thread, {
    to,
    budget: null,
    now: now(),
    salt,
    facts,
    ...(processes === undefined ? {} : { processes }),
    ...(since === undefined ? {} : { since }),
  });
}

function makeIn(way: Way, parts: Parts, thread: ThreadRow, ledger: Ledger): Made | { readonly refusal: string } {
  switch (way.mode) {
    case 'native':
      return makeNative(way, parts);
    case 'return':
      return makeReturn(way, parts, ledger);
    case 'prompt':
      return makePrompt(way, parts, ledger.folder, thread.id);
  }
}

function commonParts(
  thread: ThreadRow,
  cwd: string,
  { now, environment, sidecars, databases, randomBytes, salt }: ComposeDependencies,
): Omit<Parts, 'messages' | 'baton'> {
  const title = maskedAndClean(withoutCutWord(withoutMarks(thread.title)), { mask: (text) => mask(text, salt) }, oneLine).text;
  return {
    from: thread.harness,
    title,
    cwd,
    ...branchOf(thread, salt),
    now: now(),
    environment,
    sidecars,
    databases,
    randomBytes,
  };
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

/** A branch whose name gives away a secret, or is none that git takes, is not named: a changed name would be of one that does not exist. */
function branchOf({ branch }: ThreadRow, salt: string): { readonly branch?: string } {
  return branch === null || mask(withoutControls(branch), salt).text !== branch ? {} : { branch };
}
