/**
 * Who wrote a text that stands in the user role: the person, a queue, a chat channel, or the program itself (reminders,
 * command expansions, output of slash commands, news of background tasks). A prompt that merely begins like one of the
 * program's texts stays a prompt: only whole markup elements that Claude Code writes count.
 */
import type { Trust, UserContent } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { bool, obj, str } from '../../kit/fields.ts';
import { textOf } from './content.ts';

export interface Author {
  readonly origin: UserContent['origin'];
  readonly trust: Trust;
}

const typed: Author = { origin: 'typed', trust: 'user' };
const harness: Author = { origin: 'harness', trust: 'harness' };
const chat: Author = { origin: 'chat', trust: 'chat' };
const loom: Author = { origin: 'loom', trust: 'loom' };

/** Elements at the start of texts that the program puts into the user role (seen in 2.0.77 to 2.1.332). */
const markup =
  /^\s*<(?:command-name|command-message|command-args|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|user-memory-input|session-start-hook|user-prompt-submit-hook)>/;
const reminder = /^\s*<(system-reminder|ide_[a-z_]{1,40})>[\s\S]*<\/\1>\s*$/;
/** Elements that stand before the person's words: reminders, and what the editor's extension tells of open files, selections and problems. */
const before = /^\s*<(system-reminder|ide_[a-z_]{1,40})>/;
const interruption = /^\s*\[Request interrupted by user(?: for tool use)?\]\s*$/;
const channel = /^\s*<(?:channel|teammate-message|cross-session-message)[\s>]/;

export function isMarkup(text: string): boolean {
  return markup.test(text);
}

/** Is the text nothing but elements of the program's (`<system-reminder>`, `<ide_opened_file>`)? Quick to say no to long texts. */
export function isReminder(text: string): boolean {
  return before.test(text.slice(0, 1000)) && (reminder.test(text) || withoutReminders(text).words.trim() === '');
}

/** What the program put before the person's words in one and the same text. Only whole elements count. */
export function withoutReminders(text: string): { readonly front: string; readonly words: string } {
  let from = 0;
  for (;;) {
    const name = before.exec(text.slice(from, from + 1000))?.[1];
    const end = name === undefined ? -1 : text.indexOf(`</${name}>`, from);
    if (name === undefined || end < 0) return { front: text.slice(0, from), words: text.slice(from) };
    from = end + name.length + 3;
  }
}

export function isInterruption(text: string): boolean {
  return text.length < 100 && interruption.test(text);
}

/** `row`: the record; `blocks`: the part of it that is no tool result. `child`: a subagent's prompt is its parent's model's. */
export function authorOf(row: JsonObject, blocks: readonly UserBlock[], child: boolean): Author {
  const text = textOf(blocks);
  // The baton that the writer put at the beginning of a session that Loom carried over.
  if (str(obj(row, 'loom'), 'kind') === 'baton') return loom;
  if (bool(row, 'isMeta') === true || isReminder(text) || isInterruption(text)) return harness;
  if (isMarkup(text)) return programText(text);
  if (child) return { origin: 'harness', trust: 'model' };
  const kind = str(obj(row, 'origin'), 'kind');
  if (kind === 'channel' || kind === 'peer' || kind === 'teammate' || channel.test(text)) return chat;
  if (kind !== undefined && kind !== 'human') return harness;
  if (str(row, 'promptSource') === 'system' || str(row, 'turnOrigin') === 'task_notification') return harness;
  return typed;
}

/** A queued prompt as an attachment delivers it; `mode` is its `commandMode`. */
export function queuedAuthor(attachment: JsonObject, blocks: readonly UserBlock[], child: boolean): Author {
  const mode = str(attachment, 'commandMode');
  const kind = str(obj(attachment, 'origin'), 'kind');
  const text = textOf(blocks);
  if (isMarkup(text)) return programText(text);
  if (isReminder(text) || bool(attachment, 'isMeta') === true) return harness;
  if (kind === 'channel' || kind === 'peer' || kind === 'teammate' || channel.test(text)) return chat;
  if ((mode !== undefined && mode !== 'prompt' && mode !== 'bash') || (kind !== undefined && kind !== 'human')) return harness;
  return child ? { origin: 'harness', trust: 'model' } : { origin: 'queued', trust: 'user' };
}

/** The program's markup; what stands in it may be output of a command or of a subagent. */
function programText(text: string): Author {
  return /^\s*<(?:bash-std|local-command-std|task-notification)/.test(text) ? { origin: 'harness', trust: 'tool' } : harness;
}

/** The content of one element of the program's markup; undefined when it is not there. */
export function element(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>`);
  if (open < 0) return undefined;
  const from = open + name.length + 2;
  const end = text.indexOf(`</${name}>`, from);
  return end < 0 ? text.slice(from) : text.slice(from, end);
}
