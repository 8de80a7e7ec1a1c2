/** What a workload is given and what it tells. It runs in a process of its own, on one backend. */
import type { ConversationHandle } from '../../../server/engine/conversation.ts';
import type { Engine } from '../../../server/engine/engine.ts';
import type { AgentKinds, Message, Provider } from './agent-kinds.ts';
import type { Store } from './backends.ts';
import type { Meter } from './meter.ts';

export interface Bench {
  readonly meter: Meter;
  /** Resident memory, in MB, of a process that opens the session and runs some turns; null where sessions end with their process. */
  resident(session: string): number | null;
  /** A count at this run's scale. */
  size(full: number): number;
  /** For sessions beside the one that `open` opens; the workload closes it. */
  openStore(): Store;
  /**
   * Opens a session on a connection of its own; the model is the provider's. Whoever had that session open is closed. All are closed when the
   * workload is over.
   */
  open(provider: Provider, name?: string): Promise<Opened>;
  close(name: string): Promise<void>;
}
export interface Opened {
  readonly engine: Engine<Message>;
  readonly root: ConversationHandle<Message>;
  readonly kinds: AgentKinds;
  /** What the opening took: connection, tables, kinds, root. */
  readonly ms: number;
}
export interface Outcome {
  /** How often the measured thing was done, and what it is. */
  readonly units: number;
  readonly unit: string;
  /** Other figures, in the unit that their names end with. */
  readonly figures?: Readonly<Record<string, number>>;
}
export interface Workload {
  readonly name: string;
  readonly run: (bench: Bench) => Promise<Outcome>;
}
