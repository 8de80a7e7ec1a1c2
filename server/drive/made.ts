/** What a way of carrying is given, and what it makes of it: in memory, nothing is written yet. */
import type { NativeRow } from '../ledger/natives-table.ts';
import type { SourceRow } from '../ledger/sources-table.ts';
import type { FaultId } from '../protocol/faults.ts';
import type { ContinueResult, Disclosure } from '../protocol/requests.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import type { Message } from '../../shuttles/contract/message.ts';
import type { Databases } from '../../shuttles/contract/container.ts';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Environment } from '../../shuttles/contract/shuttle.ts';
import type { AppendedBack } from './append-back.ts';
import type { Change } from './change.ts';
import type { ReadBack } from './read-back.ts';

export interface Parts {
  readonly from: HarnessId;
  /** Masked, like everything here. */
  readonly messages: readonly Message[];
  readonly baton: string;
  readonly title: string;
  readonly cwd: string;
  readonly branch?: string;
  readonly programVersion?: string;
  readonly now: number;
  readonly environment: Environment;
  readonly sidecars: Sidecars;
  readonly databases: Databases;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** What registering needs, by the way of carrying. */
export type Carrier =
  | { readonly mode: 'native'; readonly nativeId: string; readonly back: ReadBack }
  | {
      readonly mode: 'return';
      readonly native: NativeRow;
      /** As it was when the bytes were made. */
      readonly source: SourceRow;
      readonly back: AppendedBack;
    }
  | {
      readonly mode: 'prompt';
      readonly token: string;
      /** Real path where there is one; empty: any folder. */ readonly folder: string;
    };

export interface Made {
  readonly carrier: Carrier;
  readonly change: Change;
  readonly nativeId: string;
  readonly command: ContinueResult['command'];
  readonly disclosure: Disclosure;
  readonly warnings: readonly string[];
  /** For which it must not be carried. */
  readonly problem?: { readonly id: FaultId; readonly detail: string };
}

/** By which the task and the ledger know it. */
export function idOf(carrier: Carrier): string {
  switch (carrier.mode) {
    case 'native':
      return carrier.nativeId;
    case 'return':
      return carrier.native.native_id;
    case 'prompt':
      return carrier.token;
  }
}
