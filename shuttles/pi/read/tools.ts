/** What tools do, by their names: pi's own, omp's (18.2), and those of older versions of both. */
import type { ActionDetails } from '../../contract/entry.ts';
import type { JsonObject } from '../../contract/json.ts';
import { filled, str } from '../../kit/fields.ts';

export type Action = ActionDetails['action'] & string;

const actions: Readonly<Record<string, Action>> = {
  bash: 'command',
  read: 'read',
  edit: 'edit',
  write: 'edit',
  grep: 'search',
  find: 'search',
  ls: 'search',
  ssh: 'command',
  python: 'command',
  eval: 'command',
  codemode: 'command',
  notebook: 'edit',
  ast_edit: 'edit',
  ast_grep: 'search',
  glob: 'search',
  search: 'search',
  fetch: 'fetch',
  web_fetch: 'fetch',
  web_search: 'webSearch',
  browser: 'fetch',
  puppeteer: 'fetch',
  ask: 'question',
  task: 'agent',
  hub: 'agent',
  todo: 'plan',
  todo_write: 'plan',
  generate_image: 'image',
  inspect_image: 'image',
};

export interface Tool {
  readonly action: Action;
  /** The MCP server whose tool it is. */
  readonly server?: string;
}

/** `facts`: the details of its result. omp joins server and tool with one underscore, so that only the details tell them apart. */
export function toolOf(toolName: string, facts: JsonObject | undefined): Tool {
  const server = filled(facts, 'serverName') ?? /^mcp__(.+?)__/.exec(toolName)?.[1];
  if (server !== undefined || toolName.startsWith('mcp__')) return { action: 'mcp', ...(server === undefined ? {} : { server }) };
  // omp reads addresses with the tool that reads files.
  if (toolName === 'read' && str(facts, 'kind') === 'url') return { action: 'fetch' };
  // Tools that were carried in from elsewhere keep the names that they had there.
  const name = toolName.toLowerCase();
  return { action: (Object.hasOwn(actions, name) ? actions[name] : undefined) ?? 'other' };
}
