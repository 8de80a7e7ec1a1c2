/** Records of type `message`, by role: what people, models, tools, extensions and the program itself said. */
import { asStr, bool, field, obj, objects, str, strings } from '../../kit/fields.ts';
import { readAssistant } from './assistant.ts';
import { bashPieces } from './bash.ts';
import { textOf, userBlocks } from './content.ts';
import { branchSummary, compaction } from './entries.ts';
import { piece, write, type Page, type Piece } from './page.ts';
import { promptOf } from './prompt.ts';
import type { Row } from './row.ts';
import { notePrompt, noteToldFolder } from './session-facts.ts';
import { cut } from './state.ts';
import { resultPieces } from './tool-result.ts';

export function readMessage(page: Page, row: Row): void {
  const message = obj(row.value, 'message');
  const role = str(message, 'role') ?? '';
  switch (role) {
    case 'user':
      return write(page, row, userPieces(page, row));
    case 'assistant':
      return readAssistant(page, row);
    case 'toolResult':
      return write(page, row, resultPieces(page, row));
    case 'system':
      return write(page, row, systemPieces(page, row));
    case 'bashExecution':
      return write(page, row, bashPieces(message ?? {}));
    case 'custom':
    case 'hookMessage':
      return write(page, row, extensionPieces(message ?? {}));
    case 'branchSummary':
      return write(page, row, branchSummary(message ?? {}));
    case 'compactionSummary':
      return write(page, row, compaction(page, message ?? {}));
    default:
      return write(page, row, [piece('opaque', { nativeType: cut(`message/${role}`, 100) }, 'harness')]);
  }
}

function userPieces(page: Page, row: Row): readonly Piece[] {
  const message = obj(row.value, 'message');
  const blocks = userBlocks(field(message, 'content'));
  if (blocks.length === 0) return [];
  // What Loom itself put there, whatever it says: no prompt of the person.
  if (str(obj(row.value, 'loom'), 'kind') === 'baton') return [piece('user', { content: blocks, origin: 'loom' }, 'loom')];
  const prompt = promptOf(blocks, str(message, 'attribution'));
  notePrompt(page, prompt.typed);
  return [
    ...(prompt.injected.length === 0
      ? []
      : [piece('user', { content: prompt.injected, origin: 'harness' }, prompt.injectedTrust)]),
    ...(prompt.words.length === 0 ? [] : [piece('user', { content: prompt.words, origin: prompt.origin }, prompt.trust)]),
  ];
}

/**
 * What an extension put before the model as a user message (`custom_message` records too). Nobody knows where it got it from, so that
 * it is quoted as data.
 */
export function extensionPieces(message: Parameters<typeof field>[0]): readonly Piece[] {
  const content = userBlocks(field(message, 'content'));
  if (content.length === 0) return [];
  if (bool(message, 'excludeFromContext') === true)
    return [piece('notice', { level: 'info', code: 'hook', text: cut(textOf(content), 20_000) }, 'tool')];
  return [piece('user', { content, origin: 'hook' }, 'tool')];
}

/** 1.x stores the system prompt in named sections, later only those that changed. */
function systemPieces(page: Page, row: Row): readonly Piece[] {
  const message = obj(row.value, 'message');
  const sections = obj(message, 'sections') ?? {};
  noteToldFolder(page, str(sections, 'cwd'));
  const parts = Object.values(sections).flatMap((part) => asStr(part) ?? []);
  const text = [textOf(userBlocks(field(message, 'content'))), ...parts].filter((part) => part !== '').join('\n\n');
  const tools = [
    ...objects(message, 'toolsAdded').flatMap((tool) => str(tool, 'name') ?? []),
    ...strings(message, 'toolsAdded'),
  ].map((name) => cut(name, 200));
  if (text === '' && tools.length === 0) return [];
  return [piece('system', { text, ...(tools.length === 0 ? {} : { tools }) }, 'harness')];
}
