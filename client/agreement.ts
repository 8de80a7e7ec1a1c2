/** What a person can answer to a hand-over, and what of it the server is told. Pure words: the same in notification, editor and picker. */
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ContinueResult } from '../server/protocol/requests.ts';
import { counted } from './amounts.ts';
import { disclosureLine } from './disclosure-line.ts';
import { modeWords } from './hand-over-details.ts';
import type { Agreement } from './hand-over-request.ts';
import { label } from './plain-text.ts';

export const alwaysWords = 'Always for this pair in this workspace';

/** Only where it is needed is there something to agree to for good. */
export function offersAlways(result: ContinueResult): boolean {
  return result.consent === 'needed';
}

export function agreementOf(result: ContinueResult, always: boolean): Agreement {
  if (result.consent !== 'needed') return null;
  return always ? 'always' : 'once';
}

/** What stands above the baton, each a short piece: what leaves, what the target gets, what was agreed, what else there is to know. */
export function reviewPieces(result: ContinueResult): readonly string[] {
  return [
    disclosureLine(result.disclosure),
    result.mode === 'native' ? '' : modeWords(result.mode),
    result.consent === 'given' ? 'agreed before' : '',
    result.warnings.length === 0 ? '' : `${counted(result.warnings.length, 'remark')}: ${label(result.warnings[0] ?? '', 120)}`,
  ].filter((piece) => piece !== '');
}

/** The question of the notification, whole sentences. `title`: of the thread. */
export function reviewQuestion(title: string, result: ContinueResult): string {
  const name = harnessNames[result.harness];
  const gets = result.mode === 'native' ? '' : ` It gets ${modeWords(result.mode)}.`;
  const agreed = result.consent === 'given' ? ' You agreed to this pair before.' : '';
  const remark = result.warnings[0] === undefined ? '' : ` ${label(result.warnings[0], 160)}`;
  return `Continue “${label(title, 60)}” in ${name}? ${disclosureLine(result.disclosure)}.${gets}${agreed}${remark} Edit the baton first if you like.`;
}
