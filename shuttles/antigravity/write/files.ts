/** The files of one conversation of the terminal program, and those that tell of all. */
import { posix, win32 } from 'node:path';
import type { Environment } from '../../contract/shuttle.ts';
import { rootOf, surfaceOf } from '../places.ts';

export interface ConversationFiles {
  readonly root: string;
  readonly conversations: string;
  readonly conversation: string;
  readonly index: string;
  /** Without it the program hangs when it is to go on (https://github.com/skillsynchq/txcript). */
  readonly brain: string;
  readonly presence: string;
  readonly lock: string;
}

export function filesOf(environment: Environment, id: string): ConversationFiles {
  const paths = environment.platform === 'win32' ? win32 : posix;
  const root = rootOf(environment, surfaceOf('cli'));
  const conversations = paths.join(root, 'conversations');
  const presence = paths.join(root, 'presence');
  return {
    root,
    conversations,
    conversation: paths.join(conversations, `${id}.db`),
    index: paths.join(root, 'conversation_summaries.db'),
    brain: paths.join(root, 'brain', id),
    presence,
    lock: paths.join(presence, `${id}.lock`),
  };
}
