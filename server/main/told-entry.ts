/**
 * An entry as what a model may be told of it: parts of text, each with who speaks. Texts are as they were recorded: masking and quoting is
 * the next step's (told-markdown.ts). Thinking is not told: it is the model's own. Pure.
 */
import { withoutCutWord } from '../baton/cut-title.ts';
import { sourceName } from '../baton/source-name.ts';
import { harnessNames } from '../../shuttles/contract/harness.ts';
import type { ActionDetails, LedgerEntry, Trust } from '../../shuttles/contract/entry.ts';
import type { JsonValue } from '../../shuttles/contract/json.ts';
import type { AssistantBlock, ToolCallBlock, UserBlock } from '../../shuttles/contract/message.ts';
import { actionWords } from './action-words.ts';

export interface ToldPart {
  /** `person` and `agent`: their own words. `data`: quoted as what it is, whoever wrote it. */
  readonly voice: 'person' | 'agent' | 'data';
  /** Loom's own words for where it comes from. */
  readonly source: string;
  readonly text: string;
}
export interface ToldEntry {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number | null;
  /** Loom's own words for what it is. */
  readonly what: string;
  /** A line from the transcript that goes with it: a tool's name and how it ended, a model, a sender; '' when there is none. */
  readonly about: string;
  readonly parts: readonly ToldPart[];
}

/** undefined: nothing of it is for a model (system prompts, thinking, starts of turns, references). */
export function toldEntry(entry: LedgerEntry): ToldEntry | undefined {
  const told = (what: string, about = '', parts: readonly ToldPart[] = []): ToldEntry => ({
    id: entry.id,
    at: entry.content.at,
    what,
    about,
    parts: parts.flatMap((part) => (part.text.trim() === '' ? [] : [{ ...part, text: part.text.trimEnd() }])),
  });
  const { harness, trust } = entry.content.provenance;
  const name = harnessNames[harness];
  switch (entry.kind) {
    case 'user': {
      const { origin, sender = '', content } = entry.content;
      const { what, voice, source } = speaker(origin, trust, name);
      return told(what, sender, textParts(content, voice, source));
    }
    case 'assistant': {
      const { content, model = '' } = entry.content;
      const calls = content.flatMap((block) => (block.type === 'toolCall' ? [callPart(block)] : []));
      const answer = told(`${name} answered`, model, [...textParts(content, 'agent', 'the agent’s answer'), ...calls]);
      return answer.parts.length === 0 ? undefined : answer;
    }
    case 'tool_result': {
      const { toolName = '', isError, details = {}, content } = entry.content;
      const about = [toolName, ...actionWords(details, isError)].filter((word) => word !== '').join(', ');
      return told('Result of a tool', about, [...textParts(content, 'data', sourceName(trust)), ...diffParts(details)]);
    }
    case 'step': {
      const { title, output = '', isError, details } = entry.content;
      return told('Action', actionWords(details, isError).join(', '), [
        { voice: 'data', source: 'what was done', text: withoutCutWord(title) },
        { voice: 'data', source: sourceName(trust), text: output },
        ...diffParts(details),
      ]);
    }
    case 'summary':
      return told(`${name} compacted its context`, '', [
        { voice: 'data', source: 'the summary that it went on with', text: entry.content.text },
      ]);
    case 'handoff': {
      const { from, to, text } = entry.content;
      return told(`Loom carried the thread from ${harnessNames[from]} to ${harnessNames[to]}`, '', [
        { voice: 'data', source: 'the baton of that hand-over', text },
      ]);
    }
    case 'notice':
      return told(`Notice of ${name}`, '', [{ voice: 'data', source: 'the harness', text: entry.content.text }]);
    case 'plan':
      return told('The plan', '', [
        {
          voice: 'data',
          source: 'the agent’s plan',
          text: entry.content.items.map(({ text, status }) => `${planMarks[status]} ${text}`).join('\n'),
        },
      ]);
    case 'turn':
      return entry.content.phase === 'started' ? undefined : told(`Turn ${entry.content.phase}`, entry.content.error ?? '');
    case 'setting':
      return told(`Setting of ${name}`, `${entry.content.name}: ${entry.content.value}`);
    case 'reset':
      return told('The context was cleared', entry.content.reason);
    case 'opaque':
      return told('A record that is not understood', `${entry.content.nativeType} ${entry.content.note ?? ''}`);
    case 'system':
    case 'snapshot':
      return undefined;
  }
}

const planMarks = { completed: '[x]', inProgress: '[~]', pending: '[ ]' } as const;

/** Only what a person typed is the person's word. */
function speaker(
  origin: (LedgerEntry & { readonly kind: 'user' })['content']['origin'],
  trust: Trust,
  harness: string,
): { readonly what: string } & Pick<ToldPart, 'voice' | 'source'> {
  if (origin === 'harness') return { what: `Put in by ${harness}`, voice: 'data', source: 'the harness' };
  if (origin === 'hook') return { what: 'Put in by a hook', voice: 'data', source: 'a hook' };
  if (origin === 'loom') return { what: 'Put in by Loom', voice: 'data', source: 'Loom' };
  if (trust === 'user' && origin !== 'chat') return { what: 'The person', voice: 'person', source: 'the person' };
  const source = trust === 'user' ? 'a chat message' : sourceName(trust);
  return { what: 'Not the person', voice: 'data', source };
}

function textParts(
  blocks: readonly (UserBlock | AssistantBlock)[],
  voice: ToldPart['voice'],
  source: string,
): readonly ToldPart[] {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
  const pictures = blocks.flatMap((block) => (block.type === 'image' ? [`picture, ${block.mimeType}`] : []));
  return [
    { voice, source, text },
    { voice: 'data', source: 'what is not told', text: pictures.join('\n') },
  ];
}

function callPart({ name, arguments: given }: ToolCallBlock): ToldPart {
  const lines = Object.entries(given).map(([key, value]) => `${key}: ${argumentText(value)}`);
  return { voice: 'data', source: 'a call of the agent’s', text: [name, ...lines].join('\n') };
}

/** A text as it is, with its own lines; a command's words behind each other, as its flags name what follows them; anything else as JSON. */
function argumentText(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value.includes('\n') ? `\n${value}` : value;
  if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string')) return value.join(' ');
  return JSON.stringify(value, null, 2) ?? '';
}

function diffParts({ files = [] }: ActionDetails): readonly ToldPart[] {
  return files.flatMap(({ path, movedTo, diff }) =>
    diff === undefined ? [] : [{ voice: 'data', source: 'a change of a file', text: `${movedTo ?? path}\n${diff}` }],
  );
}
