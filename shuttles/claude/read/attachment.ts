/**
 * Records of type `attachment`: what the program gives a model beside the prompts. Only what says something about the talk
 * becomes an entry: prompts that were queued, files that were attached, words of hooks, modes. The rest (environment, tool and
 * skill lists, prompt snapshots) is the program's own furniture, which every harness brings itself: a mark.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { arr, asStr, field, filled, obj, objects, str } from '../../kit/fields.ts';
import { backgroundStep } from './background.ts';
import { textOf, userBlocks } from './content.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import { queuedAuthor } from './prompt.ts';
import { delivered } from './queue.ts';
import type { Row } from './row.ts';
import { notePrompt } from './session-facts.ts';

/** Kinds that carry what the person pointed at, or what changed under the model's feet. */
const references: ReadonlySet<string> = new Set([
  'file',
  'directory',
  'edited_text_file',
  'selected_lines_in_ide',
  'pdf_reference',
  'mcp_resource',
  'plan_file_reference',
  'teammate_mailbox',
]);

export function readAttachment(page: Page, row: Row): void {
  const attachment = obj(row.value, 'attachment');
  write(page, row, attachment === undefined ? [] : pieces(page, row, attachment));
}

function pieces(page: Page, row: Row, attachment: JsonObject): readonly Piece[] {
  const kind = str(attachment, 'type') ?? '';
  if (kind === 'queued_command') return queued(page, attachment);
  if (references.has(kind)) return reference(row, attachment);
  if (kind.startsWith('hook_')) return hook(kind, attachment);
  switch (kind) {
    case 'plan_mode':
    case 'plan_mode_reentry':
      return mode(page, 'plan');
    case 'auto_mode':
      return mode(page, 'auto');
    case 'plan_mode_exit':
    case 'auto_mode_exit':
      return mode(page, 'default');
    default:
      return [];
  }
}

/** The program reminds its model of the mode again and again: only a change is told. */
function mode(page: Page, value: string): readonly Piece[] {
  if (page.state.mode === value) return [];
  page.state.mode = value;
  return [piece('setting', { name: 'mode', value }, 'harness')];
}

/** The queue's own records repeat the text: here it is delivered, so here it is told, once. */
function queued(page: Page, attachment: JsonObject): readonly Piece[] {
  const content = userBlocks(field(attachment, 'prompt'));
  if (content.length === 0) return [];
  const author = queuedAuthor(attachment, content, page.state.child);
  const text = textOf(content);
  delivered(page.state, text);
  if (author.origin === 'queued') notePrompt(page, text);
  const step = author.origin === 'harness' ? backgroundStep(page.state, text) : undefined;
  return [piece('user', { content, origin: author.origin }, author.trust), ...(step === undefined ? [] : [step])];
}

function reference(row: Row, attachment: JsonObject): readonly Piece[] {
  const rendered = objects(row.value, 'rendered').flatMap((part) => userBlocks(field(part, 'content')));
  const content: readonly UserBlock[] = rendered.length > 0 ? rendered : plainReference(attachment);
  return content.length === 0 ? [] : [piece('user', { content, origin: 'harness' }, 'tool')];
}

/** Versions before `rendered` (2.1.100) keep only the parts. */
function plainReference(attachment: JsonObject): readonly UserBlock[] {
  const name = str(attachment, 'filename') ?? str(attachment, 'displayPath') ?? str(attachment, 'path') ?? '';
  const inner = obj(attachment, 'content');
  const text =
    str(obj(inner, 'file'), 'content') ?? str(inner, 'content') ?? str(attachment, 'content') ?? str(attachment, 'snippet') ?? '';
  return name === '' && text === '' ? [] : [{ type: 'text', text: [name, text].filter((part) => part !== '').join('\n') }];
}

function hook(kind: string, attachment: JsonObject): readonly Piece[] {
  const said = words(attachment, kind !== 'hook_success');
  if (said === '') return [];
  const blocking = kind === 'hook_blocking_error' || kind === 'hook_stopped_continuation';
  return [piece('notice', { level: blocking ? 'warning' : 'info', code: 'hook', text: said }, 'tool')];
}

/** A hook that went well says what it put into `content`; one that failed may have said it on its streams only. */
function words(attachment: JsonObject, streams: boolean): string {
  const content = arr(attachment, 'content');
  const parts = content === undefined ? [str(attachment, 'content')] : content.map(asStr);
  const blocking = str(obj(attachment, 'blockingError'), 'blockingError');
  const all = [...parts, blocking, filled(attachment, 'systemMessage'), filled(attachment, 'message')];
  const said = all.filter((part) => part !== undefined && part.trim() !== '').join('\n');
  return said !== '' || !streams ? said : (filled(attachment, 'stdout') ?? filled(attachment, 'stderr') ?? '').trim();
}
