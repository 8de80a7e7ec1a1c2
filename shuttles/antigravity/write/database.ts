/** A conversation's database: whose it is, when it began, and its steps. */
import type { NewDatabase } from '../../contract/container.ts';
import { encode, wireMessage, wireText } from '../store/wire.ts';
import { conversationSchema } from './schema.ts';
import { timeFields } from './steps.ts';
import type { NewStep } from './steps.ts';

/** The project of conversations that were begun in no project of their own. */
export const projectId = 'default-cli-project';
/** A conversation of the terminal program that no other one began. */
export const [trajectoryType, trajectorySource] = [4, 17];

/** `from`: milliseconds since 1970. */
export function conversationDatabase(id: string, trajectory: string, from: number, steps: readonly NewStep[]): NewDatabase {
  const about = encode([wireMessage(2, timeFields(from)), wireText(6, id), wireText(18, projectId)]);
  return {
    schema: conversationSchema,
    rows: [
      {
        table: 'trajectory_meta',
        values: { trajectory_id: trajectory, cascade_id: id, trajectory_type: trajectoryType, source: trajectorySource },
      },
      { table: 'trajectory_metadata_blob', values: { id: 'main', data: about } },
      ...steps.map(({ type, status, metadata, payload }, idx) => ({
        table: 'steps',
        values: { idx, step_type: type, status, has_subtrajectory: 0, metadata, step_payload: payload, step_format: 0 },
      })),
    ],
  };
}
