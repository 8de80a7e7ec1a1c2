/** The disclosure of a hand-over as one line: what leaves this machine's one vendor for another. */
import type { Disclosure } from '../server/protocol/requests.ts';
import { bytes, counted } from './amounts.ts';
import { label, shortPath } from './plain-text.ts';

export function disclosureLine(disclosure: Disclosure): string {
  return [
    bytes(disclosure.bytes),
    counted(disclosure.messages, 'message'),
    disclosure.masked === 0 ? 'no secrets found' : `${counted(disclosure.masked, 'secret')} masked`,
    disclosure.quoted === 0 ? 'nothing quoted' : counted(disclosure.quoted, 'quoted source'),
    // Last: it is long, and a narrow editor cuts the line off.
    disclosure.files.length === 0
      ? 'names no files'
      : `names ${counted(disclosure.files.length, 'file')} (${filesWords(disclosure.files)})`,
  ].join(' · ');
}

function filesWords(files: readonly string[]): string {
  const shown = files.slice(0, 3).map((file) => label(shortPath(file), 60));
  return files.length > 3 ? `${shown.join(', ')} and ${files.length - 3} more` : shown.join(', ');
}
