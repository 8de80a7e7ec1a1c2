/** What leaves with a hand-over, counted on what is really sent: call it with messages and a packet that are masked already. */
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import type { Disclosure } from '../protocol/requests.ts';
import { countMarks } from './mask.ts';
import { namedFiles } from './named-files.ts';
import { countQuoted } from './render.ts';

/** `bytes`: UTF-8 of the packet and of the messages as JSON; a writer's own frame comes on top. */
export function disclose(messages: readonly Message[], batonMarkdown: string, from: HarnessId, to: HarnessId): Disclosure {
  const encoder = new TextEncoder();
  let bytes = encoder.encode(batonMarkdown).length;
  let masked = countMarks(batonMarkdown);
  for (const message of messages) {
    const json = JSON.stringify(message);
    bytes += encoder.encode(json).length;
    masked += countMarks(json);
  }
  return { from, to, bytes, messages: messages.length, files: namedFiles(messages), masked, quoted: countQuoted(batonMarkdown) };
}
