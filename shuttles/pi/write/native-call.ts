/**
 * Which calls stay calls in pi: its own tools, when the input has what they take (0.73 and 1.6 take the same), and other harnesses' calls
 * that mean exactly one of them. Of a translated call only words about it are lost (a description, an instruction); a call with a field
 * that pi has no place for is told in words instead. Claude Code's Grep always is: by default it lists files, where pi's lists lines.
 */
import type { JsonObject } from '../../contract/json.ts';
import type { NativeCall } from '../../kit/carried-turns.ts';
import { bool, num, objects, str } from '../../kit/fields.ts';
import { shellCommand } from '../../kit/shell-command.ts';

/** Texts that the input of pi's own tools must have. */
const own: Readonly<Record<string, readonly string[]>> = {
  bash: ['command'],
  powershell: ['command'],
  read: ['path'],
  write: ['path', 'content'],
  edit: ['path'],
  grep: ['pattern'],
  find: ['pattern'],
  ls: [],
};

/** `undefined`: pi has no such tool. */
export function nativeCall(name: string, input: JsonObject, cwd: string): NativeCall | undefined {
  if (Object.hasOwn(own, name)) return ownCall(name, input);
  const ran = shellCommand(name, input, cwd);
  if (ran !== undefined) {
    const timeout = ran.timeout === undefined ? {} : { timeout: ran.timeout / 1000 };
    return { name: 'bash', input: { command: ran.command, ...timeout } };
  }
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
  return form === undefined ? undefined : translated(form, input);
}

function ownCall(name: string, input: JsonObject): NativeCall | undefined {
  const complete = own[name]?.every((field) => str(input, field) !== undefined) === true;
  return complete && (name !== 'edit' || isEdit(input)) && isOptional(input) ? { name, input } : undefined;
}

/** Numbers and paths that a tool reads by itself; the terminal UI takes them for what they should be. */
function isOptional(input: JsonObject): boolean {
  const numbers = ['timeout', 'offset', 'limit', 'context'].every((name) => !has(input, name) || num(input, name) !== undefined);
  return numbers && ['path', 'glob'].every((name) => !has(input, name) || str(input, name) !== undefined);
}

/** Older versions had one replacement beside the path. */
function isEdit(input: JsonObject): boolean {
  const edits = objects(input, 'edits');
  const given = input['edits'];
  if (given === undefined) return isReplacement(input);
  return Array.isArray(given) && given.length > 0 && edits.length === given.length && edits.every(isReplacement);
}

function isReplacement(edit: JsonObject): boolean {
  return str(edit, 'oldText') !== undefined && str(edit, 'newText') !== undefined;
}

function has(input: JsonObject, name: string): boolean {
  return Object.hasOwn(input, name) && input[name] !== undefined;
}

/** How the fields of another harness's tool are called in pi's; a call with any other field has no such form. */
interface Form {
  readonly name: string;
  readonly needs: Readonly<Record<string, string>>;
  readonly may: Readonly<Record<string, string>>;
  readonly takes?: (input: JsonObject) => boolean;
}

const replacing: Pick<Form, 'needs' | 'may' | 'takes'> = {
  needs: { file_path: 'path', old_string: 'oldText', new_string: 'newText' },
  may: { replace_all: '', instruction: '', expected_replacements: '' },
  // pi replaces exactly one place, and makes no file with an edit.
  takes: (input) =>
    bool(input, 'replace_all') !== true && (num(input, 'expected_replacements') ?? 1) === 1 && str(input, 'old_string') !== '',
};

/** Claude Code's tools, then Gemini CLI's. `''`: a field that says nothing more. */
const forms: Readonly<Record<string, Form>> = {
  Read: { name: 'read', needs: { file_path: 'path' }, may: { offset: 'offset', limit: 'limit' } },
  Write: { name: 'write', needs: { file_path: 'path', content: 'content' }, may: {} },
  Edit: { name: 'edit', ...replacing },
  Glob: { name: 'find', needs: { pattern: 'pattern' }, may: { path: 'path' } },
  LS: { name: 'ls', needs: { path: 'path' }, may: {} },
  read_file: {
    name: 'read',
    needs: {},
    may: { file_path: 'path', absolute_path: 'path' },
    takes: (input) => has(input, 'file_path') !== has(input, 'absolute_path'),
  },
  write_file: { name: 'write', needs: { file_path: 'path', content: 'content' }, may: {} },
  replace: { name: 'edit', ...replacing },
  glob: { name: 'find', needs: { pattern: 'pattern' }, may: { path: 'path', dir_path: 'path' } },
  list_directory: { name: 'ls', needs: {}, may: { path: 'path', dir_path: 'path' } },
};

function translated({ name, needs, may, takes }: Form, input: JsonObject): NativeCall | undefined {
  const given = Object.keys(input).filter((field) => input[field] !== undefined);
  const known = given.every((field) => Object.hasOwn(needs, field) || Object.hasOwn(may, field));
  if (!known || !Object.keys(needs).every((field) => str(input, field) !== undefined)) return undefined;
  if (takes !== undefined && !takes(input)) return undefined;
  const fields: Record<string, JsonObject[string]> = {};
  for (const [field, called] of [...Object.entries(needs), ...Object.entries(may)])
    if (called !== '' && has(input, field)) fields[called] = input[field];
  const { oldText, newText, ...rest } = fields;
  const made: JsonObject = name === 'edit' ? { ...rest, edits: [{ oldText, newText }] } : fields;
  return isOptional(made) ? { name, input: made } : undefined;
}
