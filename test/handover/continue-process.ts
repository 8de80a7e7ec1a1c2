/**
 * Carries a session as the owner of the ledger does, and kills itself at a step: `node continue-process.ts HOME LEDGER SESSION TO STEP`.
 * The steps are those of the hand-over, and three within the writing of its file: before it has its name, when it has it, and half
 * of it copied, where files cannot be linked.
 */
import fs from 'node:fs';
import { recoverHandovers } from '../../server/drive/recover.ts';
import type { World } from '../../server/drive/world.ts';
import { writeNew } from '../../server/main/files.ts';
import { world } from '../../server/main/world.ts';
import type { HarnessId } from '../../shuttles/contract/harness.ts';
import { HomeLedger } from '../home-ledger.ts';
import { handOver } from './hand-over.ts';

const [home = '', folder = '', thread = '', to = '', last = ''] = process.argv.slice(2);

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
};

const ledger = new HomeLedger(home, {}, 'linux', { folder, world: breaking, onStep: reached });
await recoverHandovers(ledger.ledger, breaking);
await ledger.catchUp();
await handOver(ledger, { thread, harness: to as HarnessId });
await ledger[Symbol.asyncDispose]();
