/**
 * The reading thread's side: makes batches of the readings that are open, oldest first, at most as many ahead as were asked for. Knows no
 * ledger. Whatever a reading throws ends that reading and is told.
 */
import type { MessagePort } from 'node:worker_threads';
import { setImmediate } from 'node:timers/promises';
import type { Sidecars } from '../../shuttles/contract/read.ts';
import type { Shuttle } from '../../shuttles/contract/shuttle.ts';
import { KeptEncoder } from '../engine/sqlite/kept-encoder.ts';
import type { Compress } from '../engine/sqlite/pack-codec.ts';
import { LongRecord } from './feed.ts';
import { handedOver } from './reading-messages.ts';
import type { FromReader, ToReader } from './reading-messages.ts';
import { SpareMemory } from './spare-memory.ts';
import { Translation } from './translation.ts';

/** Bytes of a record: taken apart, a longer one may need more memory than this thread may have, and would take the whole process with it. */
const longest = 8 * 1024 * 1024;

interface Open {
  readonly translation: Translation;
  /** Batches that may be made. */
  credit: number;
}

export function serveReadings(port: MessagePort, shuttles: readonly Shuttle[], sidecars: Sidecars): void {
  const open = new Map<number, Open>();
  let working = false;
  // Ends with the thread.
  const encoder = new KeptEncoder();
  const memory = new SpareMemory();
  const compress: Compress = (bytes) => encoder.compress(bytes);

  const say = (message: FromReader, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const end = (reading: number): void => {
    open.get(reading)?.translation[Symbol.dispose]();
    open.delete(reading);
  };
  const failed = (reading: number, error: unknown): void => {
    end(reading);
    const message = error instanceof Error ? error.message : String(error);
    say({ type: 'failed', reading, message, here: error instanceof LongRecord });
  };

  const begin = (reading: number, request: Extract<ToReader, { type: 'open' }>['request']): void => {
    const shuttle = shuttles.find(({ harness }) => harness === request.harness);
    if (shuttle === undefined) throw new Error(`there is no shuttle ${request.harness}`);
    const translation = new Translation(request, { shuttle, sidecars, longest, compress, memory });
    open.set(reading, { translation, credit: 2 });
    say({ type: 'opened', reading, opening: translation.opening });
  };

  /** One batch of the oldest reading that may have one. false: none may. */
  const step = (): boolean => {
    for (const [reading, one] of open) {
      if (one.credit === 0) continue;
      one.credit--;
      try {
        const batch = one.translation.next();
        if (batch === undefined) {
          end(reading);
          say({ type: 'end', reading });
        } else {
          const { batch: message, transfer } = handedOver(batch);
          say({ type: 'batch', reading, batch: message }, transfer);
        }
      } catch (error) {
        failed(reading, error);
      }
      return true;
    }
    return false;
  };

  const work = async (): Promise<void> => {
    if (working) return;
    working = true;
    // Between two batches it is heard what was asked for meanwhile.
    while (step()) await setImmediate();
    working = false;
  };

  port.on('message', (message: ToReader) => {
    const { reading } = message;
    if (message.type === 'open') {
      try {
        begin(reading, message.request);
      } catch (error) {
        failed(reading, error);
      }
    } else if (message.type === 'more') {
      const one = open.get(reading);
      if (one !== undefined) one.credit++;
    } else end(reading);
    void work();
  });
}
