/**
 * What leaves with a hand-over, counted on the session that was written: a writer shortens outputs and leaves old turns out, and
 * the person is told what goes, not what there was. Files are those that calls named and that the session still names.
 */
import type { Disclosure } from '../protocol/requests.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import type { Draft } from '../../shuttles/contract/read.ts';
import { disclose } from '../baton/disclosure.ts';
import { namedFiles } from '../baton/named-files.ts';

/** `given`: what the writer was asked to write, masked already like the baton. `text`: what it wrote; `drafts`: the same, read back. */
export function discloseSent(
  text: string,
  drafts: readonly Draft[],
  given: readonly Message[],
  baton: string,
  { from, to }: { readonly from: HarnessId; readonly to: HarnessId },
): Disclosure {
  const sent = sentMessages(drafts, baton);
  const named = namedFiles(given).filter((file) => text.includes(file) || text.includes(JSON.stringify(file).slice(1, -1)));
  return { ...disclose(sent, baton, from, to), files: named };
}

/** The session's messages without the baton, which is counted by itself. */
function sentMessages(drafts: readonly Draft[], baton: string): readonly Message[] {
  const messages = drafts.flatMap((draft): readonly Message[] => {
    if (draft.kind === 'user') return [{ role: 'user', content: draft.content.content }];
    if (draft.kind === 'assistant') return [{ role: 'assistant', content: draft.content.content }];
    if (draft.kind !== 'tool_result') return [];
    const { toolCallId, toolName, content, isError } = draft.content;
    return [{ role: 'toolResult', toolCallId, toolName: toolName ?? '', content, isError }];
  });
  const first = messages.findIndex(
    ({ role, content }) => role === 'user' && content.some((block) => block.type === 'text' && block.text === baton),
  );
  return first < 0 ? messages : messages.toSpliced(first, 1);
}
