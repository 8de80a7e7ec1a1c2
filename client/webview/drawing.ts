/** What drawing a row needs to know besides the row, and what it can ask for. */
import type { ConversationView, ThreadView } from '../../server/protocol/views.ts';
import type { Intent } from './messages.ts';
import type { Row } from './rows.ts';
import type { PlacedChanges } from './turn-changes.ts';

export interface Drawing {
  readonly rows: readonly Row[];
  readonly thread: ThreadView;
  readonly conversation: number;
  readonly conversations: readonly ConversationView[];
  /** Other branches that leave at an entry. */
  readonly forks: ReadonlyMap<number, readonly ConversationView[]>;
  /** What turns did to files, by row. */
  readonly changes: PlacedChanges;
  /** `part`: a fold within the row, '' for the row itself. */
  readonly isOpen: (row: Row, part?: string) => boolean;
  readonly toggle: (row: Row, part?: string) => void;
  readonly send: (intent: Intent) => void;
}
