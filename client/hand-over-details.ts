/**
 * All that is known of a hand-over before it is sent, as a plain text: every file that is named, everything that does not arrive as it
 * was, every remark. Names come from transcripts: they are lines of text here and nothing else.
 */
import { harnessNames } from '../shuttles/contract/harness.ts';
import type { ContinueMode, ContinueResult } from '../server/protocol/requests.ts';
import { bytes, counted, grouped } from './amounts.ts';
import { oneLine } from './plain-text.ts';

export function handOverDetails(title: string, result: ContinueResult, losses: readonly string[]): string {
  const { disclosure } = result;
  const from = harnessNames[disclosure.from];
  const to = harnessNames[disclosure.to];
  return [
    `Hand-over of “${oneLine(title, 120)}” from ${from} to ${to}`,
    '',
    `What ${to} gets: ${modeWords(result.mode)}`,
    consentSentence(result.consent),
    `Starts in: ${oneLine(result.command.cwd, 400)}`,
    '',
    'What leaves',
    `  ${bytes(disclosure.bytes)} in ${counted(disclosure.messages, 'message')}`,
    `  Secrets masked: ${grouped(disclosure.masked)}`,
    `  Sources quoted as data (tools, web, chats): ${grouped(disclosure.quoted)}`,
    '',
    ...listed('Files that are named', disclosure.files, 'none'),
    '',
    ...listed('What does not arrive as it was', losses, 'nothing that is known'),
    '',
    ...listed('Remarks', result.warnings, 'none'),
    '',
  ].join('\n');
}

export function modeWords(mode: ContinueMode): string {
  switch (mode) {
    case 'native':
      return 'a new session with the native history, and the baton';
    case 'return':
      return 'only what is new, at the end of its earlier session';
    case 'prompt':
      return 'a brief only: summary and plan, not the native history';
  }
}

export function consentSentence(consent: ContinueResult['consent']): string {
  switch (consent) {
    case 'notNeeded':
      return 'It stays with the same vendor: no agreement is needed.';
    case 'given':
      return 'You agreed before to hand threads of this folder from the one to the other.';
    case 'needed':
      return 'It leaves for another vendor: that needs your agreement.';
  }
}

function listed(head: string, lines: readonly string[], none: string): readonly string[] {
  if (lines.length === 0) return [`${head}: ${none}`];
  return [`${head} (${grouped(lines.length)})`, ...lines.map((line) => `  ${oneLine(line, 1000)}`)];
}
