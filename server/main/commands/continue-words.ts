/** A hand-over in words for a shell: what leaves, or has left. Pure; the lines hold names out of transcripts and are to be made plain. */
import type { ContinueMode, ContinueResult } from '../../protocol/requests.ts';
import { vendorOf } from '../../drive/vendor.ts';
import { harnessNames } from '../../../shuttles/contract/harness.ts';

const mostFiles = 10;

export function carriedLines(result: ContinueResult, dry: boolean): readonly string[] {
  const { from, to } = result.disclosure;
  return [
    `${dry ? 'Would carry' : 'Carried'} ${amountOf(result)} from ${harnessNames[from]} to ${harnessNames[to]}${ways[result.mode]}.`,
    ...filesOf(result),
  ];
}

/** For whoever is asked. */
export function disclosureLines(result: ContinueResult): readonly string[] {
  const { from, to } = result.disclosure;
  return [
    `This leaves ${harnessNames[from]} for ${harnessNames[to]}, and so for ${vendorOf(to)}: ${amountOf(result)}${ways[result.mode]}.`,
    ...filesOf(result),
    ...result.warnings.map((warning) => `! ${warning}`),
  ];
}

const ways: Readonly<Record<ContinueMode, string>> = {
  native: ', as a new session',
  return: ', back into the session that it was in before',
  prompt: ', as a file that the first prompt names',
};

function amountOf({ disclosure, mode }: ContinueResult): string {
  const { bytes, messages, masked, quoted } = disclosure;
  const what = mode === 'prompt' ? 'the baton' : counted(messages, 'message');
  return `${what} (${(bytes / 1000).toFixed(1)} KB, ${counted(masked, 'secret')} masked, ${counted(quoted, 'source')} quoted)`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function filesOf({ disclosure: { files } }: ContinueResult): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : '';
  return [`Files named in it: ${files.slice(0, mostFiles).join(', ')}${more}`];
}
