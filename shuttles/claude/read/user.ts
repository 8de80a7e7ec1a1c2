/**
 * Records of type `user`: prompts, tool results (one record a result, rarely several, sometimes text beside them), the
 * program's own texts, the summary behind a compaction, a person's `!command`, interruptions.
 */
import type { UserBlock } from '../../contract/message.ts';
import type { JsonObject, JsonValue } from '../../contract/json.ts';
import { asArray, asObject, asStr, bool, field, obj, oneLine, str } from '../../kit/fields.ts';
import { backgroundStep } from './background.ts';
import { textOf, userBlocks } from './content.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import { authorOf, element, isInterruption, isReminder, withoutReminders } from './prompt.ts';
import { noteCommand, notePrompt } from './session-facts.ts';
import { cut } from './state.ts';
import type { Row } from './row.ts';
import { resultPieces } from './tool-result.ts';

export function readUser(page: Page, row: Row): void {
  const content = field(obj(row.value, 'message'), 'content');
  if (bool(row.value, 'isCompactSummary') === true) return write(page, row, [summary(page, content)]);
  const blocks = asArray(content);
  const results = (blocks ?? []).filter(isResult);
  const rest = blocks === undefined ? content : blocks.filter((block) => !isResult(block));
  write(page, row, [...resultPieces(page, row, results), ...textPieces(page, row, userBlocks(rest))]);
}

function isResult(block: JsonValue): block is JsonObject {
  return str(asObject(block), 'type') === 'tool_result';
}

function summary(page: Page, content: JsonValue | undefined): Piece {
  const { compaction } = page.state;
  page.state.compaction = null;
  return piece(
    'summary',
    {
      text: textOf(userBlocks(content)),
      ...(compaction?.trigger === undefined ? {} : { trigger: compaction.trigger }),
      ...(compaction?.tokensBefore === undefined ? {} : { tokensBefore: compaction.tokensBefore }),
    },
    'model',
    compaction?.retain === undefined ? {} : { retainFromKey: compaction.retain },
  );
}

function textPieces(page: Page, row: Row, blocks: readonly UserBlock[]): readonly Piece[] {
  if (blocks.length === 0) return [];
  const { reminders, words } = apart(blocks);
  const pieces: Piece[] = [];
  if (reminders.length > 0)
    pieces.push(piece('user', { content: reminders, origin: 'harness' }, 'harness', { name: 'reminder' }));
  if (words.length === 0) return pieces;
  const author = authorOf(row.value, words, page.state.child || row.sidechain);
  const text = textOf(words);
  const setting = author.origin === 'typed' ? permission(page, row) : undefined;
  if (setting !== undefined) pieces.unshift(setting);
  if (isInterruption(text)) pieces.push(piece('turn', { phase: 'interrupted' }, 'harness', { name: 'turn' }));
  const step = author.origin === 'harness' ? (shellStep(page, text) ?? backgroundStep(page.state, text)) : undefined;
  if (step !== undefined) pieces.push(step);
  pieces.push(piece('user', { content: words, origin: author.origin }, author.trust));
  if (author.origin === 'typed' || author.origin === 'chat') notePrompt(page, text);
  else if (page.state.child && author.trust === 'model') notePrompt(page, text);
  else noteCommand(page, row, text);
  return pieces;
}

/** Reminders that were put beside a prompt are entries of their own: the prompt stays what the person wrote. */
function apart(blocks: readonly UserBlock[]): { readonly reminders: readonly UserBlock[]; readonly words: readonly UserBlock[] } {
  const reminders: UserBlock[] = [];
  const words: UserBlock[] = [];
  for (const block of blocks) {
    if (block.type !== 'text') words.push(block);
    else if (isReminder(block.text)) reminders.push(block);
    else {
      const { front, words: own } = withoutReminders(block.text);
      if (front !== '') reminders.push({ type: 'text', text: front });
      words.push(front === '' ? block : { type: 'text', text: own.trimStart() });
    }
  }
  return { reminders, words };
}

/** The permission mode that a prompt was given in, when it is another one than before. */
function permission(page: Page, row: Row): Piece | undefined {
  const mode = asStr(row.value['permissionMode']);
  if (mode === undefined || mode === page.state.permission) return undefined;
  const first = page.state.permission === null;
  page.state.permission = cut(mode, 60);
  return first ? undefined : piece('setting', { name: 'permission', value: cut(mode, 60) }, 'harness', { name: 'permission' });
}

/** `!command` is two records: what was typed, then what it printed. The second makes the step. */
function shellStep(page: Page, text: string): Piece | undefined {
  const typed = element(text, 'bash-input');
  if (typed !== undefined && text.trimStart().startsWith('<bash-input>')) page.state.bash = cut(typed, 2000);
  const start = text.trimStart();
  if (!start.startsWith('<bash-stdout>') && !start.startsWith('<bash-stderr>')) return undefined;
  const command = page.state.bash ?? '';
  page.state.bash = null;
  const output = [element(text, 'bash-stdout'), element(text, 'bash-stderr')]
    .filter((part) => part !== undefined && part !== '')
    .join('\n');
  return piece(
    'step',
    {
      title: oneLine(command, 200),
      output,
      isError: false,
      details: { action: 'command', status: 'completed', ...(command === '' ? {} : { command }) },
    },
    'tool',
    { name: 'step' },
  );
}
