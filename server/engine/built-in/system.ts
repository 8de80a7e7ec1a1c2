/**
 * What a model has been told besides the conversation: keyed sections of instructions and whole tool definitions (engine
 * specification 2.1, 8.2). `system` entries record it: a baseline that opens an epoch, then one delta a change. Everything here is pure,
 * and what an entry projects to depends on nothing but what is stored on it.
 */
import { sameJson } from '../json-equal.ts';
import { textBlock } from './messages.ts';
import type { Message, SystemMessage, TextBlock, Tool } from './messages.ts';

export interface Section {
  readonly key: string;
  readonly text: string;
}
export interface SystemContent {
  /** Opens an epoch: everything told before is subsumed. */
  readonly baseline?: true;
  /** In render order. Of a baseline all of them; of a delta those that changed, an empty text for one that no longer applies. */
  readonly sections?: readonly Section[];
  /** All keys in render order, where a delta changes it otherwise than by removing a section or adding one at the end. */
  readonly order?: readonly string[];
  /** Whole definitions as sent. One that changed is both removed, as it was, and added, as it is. */
  readonly toolsAdded?: readonly Tool[];
  readonly toolsRemoved?: readonly Tool[];
}
/** Sections in render order; no two with one key, none without text. */
export interface Instructions {
  readonly sections: readonly Section[];
  readonly tools: readonly Tool[];
}

/** What was told, from the contents of a context's `system` entries, oldest first. Undefined: there is no baseline. */
export function toldBy(contents: readonly SystemContent[]): Instructions | undefined {
  const from = contents.findLastIndex(({ baseline }) => baseline === true);
  const epoch = from === -1 ? [] : contents.slice(from);
  const sections = new Map<string, string>();
  const tools = new Map<string, Tool>();
  for (const content of epoch) {
    for (const { key, text } of content.sections ?? []) {
      if (text === '') sections.delete(key);
      else sections.set(key, text);
    }
    if (content.order !== undefined) reorder(sections, content.order);
    for (const { name } of content.toolsRemoved ?? []) tools.delete(name);
    for (const tool of content.toolsAdded ?? []) tools.set(tool.name, tool);
  }
  return epoch.length === 0 ? undefined : instructionsOf(sections, tools);
}

/**
 * The entry to write before a request, so that what was told becomes what is wanted: a baseline when nothing was told, else the
 * difference. Undefined: there is none. The order of tools is no difference.
 */
export function systemChange(told: Instructions | undefined, wanted: Instructions): SystemContent | undefined {
  const { sections, tools } = normalized(wanted);
  if (told === undefined) return { baseline: true, sections, toolsAdded: tools };
  const before = new Map(told.sections.map(({ key, text }) => [key, text]));
  const wantedKeys = new Set(sections.map(({ key }) => key));
  const changed = [
    ...sections.filter(({ key, text }) => before.get(key) !== text),
    ...told.sections.filter(({ key }) => !wantedKeys.has(key)).map(({ key }) => ({ key, text: '' })),
  ];
  const toolsBefore = new Map(told.tools.map((tool) => [tool.name, tool]));
  const toolsWanted = new Map(tools.map((tool) => [tool.name, tool]));
  const toolsAdded = tools.filter((tool) => !sameJson(toolsBefore.get(tool.name), tool));
  const toolsRemoved = told.tools.filter((tool) => !sameJson(toolsWanted.get(tool.name), tool));
  const folded = toldBy([{ baseline: true, sections: told.sections }, { sections: changed }])?.sections ?? [];
  const isInOrder = sections.every(({ key }, i) => folded[i]?.key === key);
  const delta: SystemContent = {
    ...(changed.length === 0 ? {} : { sections: changed }),
    ...(isInOrder ? {} : { order: sections.map(({ key }) => key) }),
    ...(toolsAdded.length === 0 ? {} : { toolsAdded }),
    ...(toolsRemoved.length === 0 ? {} : { toolsRemoved }),
  };
  return Object.keys(delta).length === 0 ? undefined : delta;
}

export function projectSystem(content: SystemContent): readonly Message[] {
  const { baseline, toolsAdded, toolsRemoved } = content;
  const message: SystemMessage = {
    role: 'system',
    instructions: baseline === true ? 'baseline' : 'delta',
    content: baseline === true ? (content.sections ?? []).map(({ text }) => textBlock(text)) : changes(content),
    ...(toolsAdded === undefined || toolsAdded.length === 0 ? {} : { toolsAdded }),
    ...(toolsRemoved === undefined || toolsRemoved.length === 0 ? {} : { toolsRemoved }),
  };
  return [message];
}

export function isInstructions(message: Message): message is SystemMessage & { readonly instructions: 'baseline' | 'delta' } {
  return message.role === 'system' && message.instructions !== undefined;
}

function changes({ sections = [], order, toolsAdded = [], toolsRemoved = [] }: SystemContent): readonly TextBlock[] {
  const removed = toolsRemoved.map(({ name }) => name);
  const added = toolsAdded.map(({ name }) => name);
  return [
    ...sections.map(({ key, text }) =>
      text === ''
        ? `The section ${key} of the instructions no longer applies.`
        : `The section ${key} of the instructions now reads:\n${text}`,
    ),
    ...(order === undefined ? [] : [`The sections of the instructions now stand in this order: ${order.join(', ')}.`]),
    ...named(
      'Tools that you now have',
      added.filter((name) => !removed.includes(name)),
    ),
    ...named(
      'Tools whose definition changed',
      added.filter((name) => removed.includes(name)),
    ),
    ...named(
      'Tools that you no longer have',
      removed.filter((name) => !added.includes(name)),
    ),
  ].map(textBlock);
}

function named(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${what}: ${names.join(', ')}.`];
}

function normalized({ sections, tools }: Instructions): Instructions {
  return instructionsOf(
    new Map(sections.filter(({ text }) => text !== '').map(({ key, text }) => [key, text])),
    new Map(tools.map((tool) => [tool.name, tool])),
  );
}

function instructionsOf(sections: ReadonlyMap<string, string>, tools: ReadonlyMap<string, Tool>): Instructions {
  return { sections: [...sections].map(([key, text]) => ({ key, text })), tools: [...tools.values()] };
}

function reorder(sections: Map<string, string>, order: readonly string[]): void {
  for (const key of [...order, ...[...sections.keys()].filter((one) => !order.includes(one))]) {
    const text = sections.get(key);
    if (text === undefined) continue;
    sections.delete(key);
    sections.set(key, text);
  }
}
