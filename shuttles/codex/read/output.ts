/**
 * Tool outputs as Codex gives them to its model, taken apart: shell tools wrap the output in a header (since about 0.80) or in
 * JSON (before); exit code, duration and truncation become details, the rest is the output. A process that is still running
 * keeps its header, because the model needs the id in it.
 */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import type { UserBlock } from '../../contract/message.ts';
import { asArray, asObject, bool, field, num, obj, parseObject, str } from '../../kit/fields.ts';
import { blockOf } from './content.ts';
import type { Plain } from './state.ts';

export interface Output {
  readonly content: readonly UserBlock[];
  readonly details: Plain<ActionDetails>;
}

export function readOutput(payload: JsonObject): Output {
  const raw = field(payload, 'output');
  if (typeof raw === 'string') return fromText(raw);
  const parts = asArray(raw);
  if (parts !== undefined) return fromParts(parts.flatMap((part) => blockOf(asObject(part) ?? {}) ?? []));
  // `{content, success}`: written by other tools; Codex itself does not take it.
  const object = asObject(raw);
  const failed = bool(object, 'success') === false;
  const inner = str(object, 'content') ?? str(object, 'body');
  const text = inner ?? (raw === undefined || raw === null ? '' : JSON.stringify(raw));
  return { content: blocks(text), details: failed ? { status: 'failed' } : {} };
}

function fromText(text: string): Output {
  return shellHeader(text) ?? toolHeader(text) ?? shellJson(text) ?? { content: blocks(text), details: verdict(text) };
}

/** Code mode gives the header as a part of its own. */
function fromParts(content: readonly UserBlock[]): Output {
  const [first, ...rest] = content;
  const header =
    first?.type === 'text'
      ? /^Script (completed|failed|interrupted|terminated)\nWall time ([\d.]+) seconds\nOutput:\n$/.exec(first.text)
      : null;
  if (header === null) return { content, details: first?.type === 'text' && content.length === 1 ? verdict(first.text) : {} };
  return {
    content: rest,
    details: {
      ...seconds(header[2]),
      status: header[1] === 'completed' ? 'completed' : header[1] === 'failed' ? 'failed' : 'interrupted',
    },
  };
}

const shell =
  /^(?:Chunk ID: (?<chunk>\w+)\n)?Wall time: (?<wall>[\d.]+) seconds\nProcess exited with code (?<code>-?\d+)\n(?:Original token count: (?<tokens>\d+)\n)?Output:\n/;

function shellHeader(text: string): Output | undefined {
  const found = shell.exec(text);
  if (found === null) return running(text);
  return finished(text.slice(found[0].length), Number(found.groups?.['code']), found.groups?.['wall']);
}

/** It goes on behind the talk, under a number by which the model asks for more. */
function running(text: string): Output | undefined {
  const session = /^(?:Chunk ID: \w+\n)?Wall time: [\d.]+ seconds\nProcess running with session ID (\d{1,10})\n/.exec(text)?.[1];
  return session === undefined
    ? undefined
    : { content: blocks(text), details: { extra: { backgroundTask: session }, ...truncation(text) } };
}

/** `Exit code: 0 / Wall time: 0 seconds / Output:` of apply_patch and older shells; MCP has the wall time only. */
function toolHeader(text: string): Output | undefined {
  const found = /^(?:Exit code: (-?\d+)\n)?Wall time: ([\d.]+) seconds\n(?:Total output lines: \d+\n)?Output:\n/.exec(text);
  if (found === null) return undefined;
  const rest = text.slice(found[0].length);
  if (found[1] !== undefined) return finished(rest, Number(found[1]), found[2]);
  return { content: blocks(rest), details: { ...seconds(found[2]), ...truncation(rest) } };
}

/** `{"output":…,"metadata":{"exit_code":…,"duration_seconds":…}}` of `shell` up to about 0.80. */
function shellJson(text: string): Output | undefined {
  if (!text.startsWith('{"output":')) return undefined;
  const object = parseObject(text);
  const metadata = obj(object, 'metadata');
  const output = str(object, 'output');
  const code = num(metadata, 'exit_code');
  return output === undefined || code === undefined
    ? undefined
    : finished(output, code, String(num(metadata, 'duration_seconds') ?? ''));
}

function finished(output: string, exitCode: number, wall: string | undefined): Output {
  return {
    content: blocks(output),
    details: { status: exitCode === 0 ? 'completed' : 'failed', exitCode, ...seconds(wall), ...truncation(output) },
  };
}

/** Sentences with which Codex itself answers a call that did not run to its end. */
function verdict(text: string): Plain<ActionDetails> {
  if (/^(?:Wall time: [\d.]+ seconds\n)?aborted(?: by user)?(?: after [\d.]+s)?\s*$/.test(text)) return { status: 'interrupted' };
  if (/^(?:exec command|patch|command|tool call|user) rejected(?: by user)?\b/i.test(text)) {
    return { status: 'denied', decision: { allowed: false, by: 'user' } };
  }
  if (
    /^(?:request_user_input is unavailable in |unsupported (?:custom tool )?call: |apply_patch verification failed: |failed to parse function arguments: |execution error: |exec_command failed)/.test(
      text,
    )
  ) {
    return { status: 'failed' };
  }
  return truncation(text);
}

function truncation(text: string): { readonly truncated?: true } {
  return /…\d+ (?:tokens|chars|lines) truncated…|\[\.{3} omitted \d+ of \d+ lines \.{3}\]/.test(text) ? { truncated: true } : {};
}

function seconds(wall: string | undefined): { readonly durationMs?: number } {
  const value = Number(wall);
  return wall === undefined || wall === '' || !Number.isFinite(value) ? {} : { durationMs: Math.round(value * 1000) };
}

function blocks(text: string): readonly UserBlock[] {
  return [{ type: 'text', text }];
}
