/** Messages, reasoning and mail between agents, in both of their forms. */
import type { JsonObject } from '../../contract/json.ts';
import type { AssistantBlock, UserBlock } from '../../contract/message.ts';
import { asObject, field, objects, str, strings } from '../../kit/fields.ts';
import { promptFact } from '../../kit/title.ts';
import { contentBlocks, imageBlock, textOf } from './content.ts';
import { expectEcho, isEcho, type Said } from './echo.ts';
import type { Reading } from './pen.ts';
import { asked, isInjected, promptRuns, type PromptRun } from './prompt.ts';
import type { Line } from './record.ts';
import { remember } from './state.ts';
import { batonTurn } from './written-turn.ts';

export function readMessage(reading: Reading, line: Line): void {
  const role = str(line.payload, 'role');
  if (role === 'user') return userMessage(reading, line.payload);
  if (role === 'assistant') return assistantMessage(reading, line);
  // Developer messages (system ones in versions before them) are instructions; they are nobody's prompt.
  const text = textOf(contentBlocks(line.payload));
  if (text !== '') reading.pen.entry('system', { text }, 'harness', { nativeId: str(line.payload, 'id') });
}

/** UI form of a prompt: `item_completed` UserMessage, or a legacy `user_message` event. */
export function readUserItem(reading: Reading, item: JsonObject): void {
  const legacy = str(item, 'message');
  const images = [...strings(item, 'images'), ...strings(item, 'local_images')].flatMap((url) => imageBlock(url) ?? []);
  const blocks: readonly UserBlock[] =
    legacy === undefined ? contentBlocks(item) : [...images, ...(legacy === '' ? [] : [{ type: 'text', text: legacy } as const])];
  const text = textOf(blocks);
  // Old versions echo the injected texts as well; their first form is written as the harness's.
  if (isInjected(text)) return;
  prompt(reading, { origin: 'typed', blocks }, { role: 'user', form: 'ui', id: str(item, 'id'), text });
}

/** UI form of an answer: `item_completed` AgentMessage, or a legacy `agent_message` event. */
export function readAgentItem(reading: Reading, item: JsonObject): void {
  const text = str(item, 'message') ?? textOf(contentBlocks(item));
  if (text === '') return;
  if (text === '<EXTERNAL SESSION IMPORTED>') {
    reading.pen.entry('notice', { level: 'info', code: 'imported', text }, 'harness');
    return;
  }
  answer(reading, [{ type: 'text', text }], { role: 'assistant', form: 'ui', id: str(item, 'id'), text }, str(item, 'phase'));
}

/** UI form of reasoning: `item_completed` Reasoning, or a legacy `agent_reasoning` event. */
export function readReasoningItem(reading: Reading, item: JsonObject): void {
  const text = str(item, 'text') ?? strings(item, 'summary_text').join('\n\n');
  if (text !== '') thinking(reading, text, { role: 'reasoning', form: 'ui', id: str(item, 'id'), text });
}

/** What the provider encrypted stays in the rollout: an empty, redacted block says that there was reasoning. */
export function readReasoning(reading: Reading, item: JsonObject): void {
  const parts = [...objects(item, 'summary'), ...objects(item, 'content')];
  const text = parts.flatMap((part) => str(part, 'text') ?? []).join('\n\n');
  thinking(reading, text, { role: 'reasoning', form: 'model', id: str(item, 'id'), text });
}

/** Mail between agents, which the model is given as input. Its sealed part is not text of ours. */
export function readAgentMail(reading: Reading, item: JsonObject): void {
  const blocks = contentBlocks(item);
  const between = [str(item, 'author'), str(item, 'recipient')].filter((name) => name !== undefined).join(' → ');
  const content: readonly UserBlock[] = blocks.length > 0 ? blocks : [{ type: 'text', text: between }];
  endMessage(reading);
  reading.pen.entry('user', { content, origin: 'harness' }, 'model', { nativeId: str(item, 'id') });
}

/** Blocks of one model response share a message id until its usage, a result or a prompt ends it. */
export function assistantEntry(reading: Reading, content: readonly AssistantBlock[], extra: AssistantExtra = {}): void {
  const { state, pen } = reading;
  state.message ??= extra.nativeId ?? pen.key;
  pen.entry(
    'assistant',
    {
      content,
      messageId: state.message,
      ...(state.settings.model !== undefined && { model: state.settings.model }),
      ...(state.provider !== null && { provider: state.provider }),
      ...(extra.commentary === true && { commentary: true }),
    },
    'model',
    { nativeId: extra.nativeId, ...(extra.aliases && { aliases: extra.aliases }) },
  );
}

export interface AssistantExtra {
  readonly nativeId?: string | undefined;
  readonly aliases?: readonly string[];
  readonly commentary?: boolean;
}

export function endMessage(reading: Reading): void {
  reading.state.message = null;
}

/** The first prompt that says something is the thread's title until it gets a better one. */
export function noteFirstPrompt(reading: Reading, blocks: readonly UserBlock[]): void {
  const { state, pen } = reading;
  if (state.prompted || (pen.inherited && state.child)) return;
  const { line, names } = promptFact(asked(textOf(blocks)));
  if (line === '' || (!names && state.shown['firstPrompt'] !== undefined)) return;
  state.prompted = names;
  pen.facts({ firstPrompt: line });
}

function userMessage(reading: Reading, message: JsonObject): void {
  for (const run of promptRuns(message)) {
    const id = str(message, 'id');
    if (run.origin === 'typed') prompt(reading, run, { role: 'user', form: 'model', id, text: textOf(run.blocks) });
    else {
      endMessage(reading);
      reading.pen.entry('user', { content: run.blocks, origin: 'harness' }, 'harness', { nativeId: id });
    }
  }
}

/**
 * A packet that Loom wrote before a carried history, known by its turn, and by its own first words: a compaction keeps those alone. It
 * is no person's prompt and gives no title.
 */
function isBaton(text: string): boolean {
  return /^# Hand-over from [^\n]{1,80}\n+(?:This packet was|Packet) compiled by Loom\b/u.test(text);
}

function prompt(reading: Reading, run: PromptRun, said: Said): void {
  const { state, pen } = reading;
  if (isEcho(state, said)) return;
  if (!state.promptedTurn) {
    state.promptedTurn = true;
    // Without turn records (before 0.125) the prompt itself begins the turn.
    remember(state.turnBases, state.turn === null ? state.lastKey : state.turnBase, 100);
  }
  endMessage(reading);
  const baton = (state.importing && state.turn?.startsWith(batonTurn) === true) || isBaton(said.text);
  pen.entry('user', { content: run.blocks, origin: baton ? 'loom' : 'typed' }, baton ? 'loom' : 'user', { nativeId: said.id });
  expectEcho(state, said);
  if (!baton) noteFirstPrompt(reading, run.blocks);
  if (state.turn === null) state.promptedTurn = false;
}

function assistantMessage(reading: Reading, line: Line): void {
  // The summary that a compaction made comes again in `compacted`, which is what the model continues from.
  if (field(asObject(line.metadata), 'compaction_output') === true) return;
  const blocks = contentBlocks(line.payload);
  const text = textOf(blocks);
  if (blocks.length === 0) return;
  answer(reading, blocks, { role: 'assistant', form: 'model', id: str(line.payload, 'id'), text }, str(line.payload, 'phase'));
}

function answer(reading: Reading, blocks: readonly AssistantBlock[], said: Said, phase: string | undefined): void {
  if (isEcho(reading.state, said)) return;
  assistantEntry(reading, blocks, { nativeId: said.id, commentary: phase === 'commentary' });
  expectEcho(reading.state, said);
}

function thinking(reading: Reading, text: string, said: Said): void {
  if (isEcho(reading.state, said)) return;
  assistantEntry(reading, [{ type: 'thinking', thinking: text, ...(text === '' && { redacted: true as const }) }], {
    nativeId: said.id,
  });
  expectEcho(reading.state, said);
}
