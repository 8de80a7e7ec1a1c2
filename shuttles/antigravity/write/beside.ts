/** What stands beside a conversation: its folder for artifacts, and its row in the index, from which the program's picker is filled. */
import type { Environment, NewBeside, WriteRequest } from '../../contract/shuttle.ts';
import type { CarriedTurn } from '../../kit/carried-turns.ts';
import { oneLine } from '../../kit/fields.ts';
import { uriOfPath } from '../uri.ts';
import { projectId } from './database.ts';
import { filesOf } from './files.ts';
import { promptText } from './prompt-text.ts';
import type { NewStep } from './steps.ts';

export function besideOf(
  { nativeId, title, cwd, now }: WriteRequest,
  environment: Environment,
  steps: readonly NewStep[],
  turns: readonly CarriedTurn[],
): NewBeside {
  const { root, conversation, index, brain, lock } = filesOf(environment, nativeId);
  const first = turns.find((turn) => turn.role === 'user');
  const preview = first === undefined ? '' : oneLine(promptText(first.blocks), 400);
  return {
    root,
    folder: brain,
    row: { database: index, table: 'conversation_summaries', column: 'conversation_id', key: nativeId },
    // A first connection makes the log, and the lock is the program's own sign.
    signs: [`${conversation}-wal`, `${conversation}-journal`, lock],
    values: {
      title: oneLine(title, 200),
      preview,
      step_count: steps.length,
      last_modified_time: timeText(now),
      workspace_uris: JSON.stringify([uriOfPath(cwd)]),
      status: '',
      source: 'antigravity-cli',
      project_id: projectId,
      agent_name: '',
      parent_conversation_id: '',
      nesting_depth: 0,
      battle_id: '',
      winning_conversation_id: '',
      not_fully_idle: 0,
      killed: 0,
      last_user_input_time: timeText(now),
      last_user_input_step_index: steps.findLastIndex(({ type }) => type === 14),
      app_data_dir: 'antigravity-cli',
    },
  };
}

/** "2026-11-30 00:53:32+00:00" */
function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00:00`;
}
