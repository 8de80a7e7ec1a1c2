/**
 * Carries a session as the owner of the ledger does, and kills itself at a step: `node continue-process.ts HOME LEDGER SESSION TO STEP MODE`.
 * The steps are those of the hand-over, and those within the writing: of a file before it has its name, when it has it, and half of it
 * copied, where files cannot be linked; of what stands beside it, each when it is there or gone; of bytes behind another's when half of them, and when all of them are there.
 */
import fs from 'node:fs';
import { recoverHandovers } from '../../server/drive/recover.ts';
import type { World } from '../../server/drive/world.ts';
import { append } from '../../server/main/append.ts';
import { writeNew } from '../../server/main/files.ts';
import { world } from '../../server/main/world.ts';
import type { ContinueMode } from '../../server/protocol/requests.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { HomeLedger } from '../home-ledger.ts';
import { handOver } from './hand-over.ts';

const [home = '', folder = '', thread = '', to = '', last = '', way = 'native'] = process.argv.slice(2);

function reached(step: string): void {
  if (step === last) process.kill(process.pid, 'SIGKILL');
}

const breaking: World = {
  ...world,
  writeNew: (root, path, bytes, mode) => {
    const written = writeNew(
      { root, path, bytes, mode },
      {
        ...fs,
        linkSync: (from, place) => {
          if (last === 'copying') throw Object.assign(new Error('no links here'), { code: 'EPERM', syscall: 'link' });
          reached('unnamed');
          fs.linkSync(from, place);
          reached('named');
        },
        copyFileSync: (from, place) => {
          const whole = fs.readFileSync(from);
          fs.writeFileSync(place, whole.subarray(0, whole.length / 2), { flag: 'wx' });
          reached('copying');
        },
      },
    );
    return written.ok ? undefined : written.detail;
  },
  makeFolder: (root, made) => {
    const refusal = world.makeFolder(root, made);
    reached('folderMade');
    return refusal;
  },
  putRow: (root, row, values) => {
    const refusal = world.putRow(root, row, values);
    reached('rowPut');
    return refusal;
  },
  removeRow: (row) => {
    world.removeRow(row);
    reached('rowRemoved');
  },
  append: (root, path, before, bytes) =>
    append(root, path, before, bytes, {
      ...fs,
      write: (descriptor, piece, offset, length) => {
        if (last === 'halfAppended') fs.writeSync(descriptor, piece, offset, Math.floor(length / 2));
        reached('halfAppended');
        const written = fs.writeSync(descriptor, piece, offset, length);
        reached('appended');
        return written;
      },
    }),
};

const ledger = new HomeLedger(home, {}, 'linux', { folder, world: breaking, onStep: reached });
await recoverHandovers(ledger.ledger, breaking);
await ledger.catchUp();
await handOver(ledger, { thread, harness: to as HarnessId, mode: way as ContinueMode });
await ledger[Symbol.asyncDispose]();
