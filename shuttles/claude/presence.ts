/**
 * Who holds a session now, by the registry `sessions/<pid>.json` that every running Claude Code writes (2.1.100 and later;
 * `status` since about 2.1.300). Entries outlive a killed process and the file is written in place, so one counts only when
 * the process lives, was started when the entry says, and on this machine's process domain; a torn read is tried once more.
 */
import type { Activity, Environment, Holder, Machine, Presence } from '../contract/shuttle.ts';
import type { JsonObject } from '../contract/json.ts';
import { count, filled, oneLine, parseObject, str } from '../kit/fields.ts';
import { below, registryFolder } from './folders.ts';
import { isUuid } from './names.ts';

export const claudePresence: Presence = {
  holders(environment: Environment, machine: Machine): readonly Holder[] {
    const folder = registryFolder(environment);
    return machine.list(folder).flatMap((name) => {
      const pid = /^(\d{1,10})\.json$/.exec(name)?.[1];
      return pid === undefined ? [] : (holder(Number(pid), below(environment, folder, name), machine) ?? []);
    });
  },
};

function holder(pid: number, path: string, machine: Machine): Holder | undefined {
  const entry = parseObject(machine.text(path) ?? '') ?? parseObject(machine.text(path) ?? '');
  if (entry === undefined || (count(entry, 'pid') ?? pid) !== pid) return undefined;
  const nativeId = str(entry, 'sessionId');
  if (nativeId === undefined || !isUuid(nativeId) || !sameDomain(entry, machine)) return undefined;
  const started = machine.processStart(pid);
  if (started === undefined) return undefined;
  const claimed = str(entry, 'procStart');
  if (claimed !== undefined && normal(claimed) !== normal(started)) return undefined;
  const since = count(entry, 'startedAt');
  const surface = filled(entry, 'entrypoint');
  const doing = activity(entry);
  const waitingFor = doing === 'waiting' ? oneLine(filled(entry, 'waitingFor') ?? '', 80) : '';
  return {
    nativeId,
    pid,
    activity: doing,
    ...(surface === undefined ? {} : { surface }),
    ...(waitingFor === '' ? {} : { waitingFor }),
    ...(since === undefined ? {} : { since }),
    // Entries of 2.1.100 have no start time: another program may have got the number since.
    evidence:
      claimed === undefined
        ? 'registry entry whose process number is in use; its start time is not recorded'
        : 'registry entry of a running process, its start time matches',
  };
}

/** `shell`: the turn is over, but a background command runs and will begin a turn by itself when it ends. */
function activity(entry: JsonObject): Activity {
  switch (str(entry, 'status') ?? '') {
    case 'busy':
    case 'shell':
      return 'working';
    case 'waiting':
      return 'waiting';
    case 'idle':
      return 'idle';
    default:
      return 'unknown';
  }
}

/**
 * `linux:<machine id>:pid:[<namespace>]`: a home that is shared between machines or containers has entries of them all, and
 * their process numbers mean nothing here.
 */
function sameDomain(entry: JsonObject, machine: Machine): boolean {
  const [system, id, kind] = (str(entry, 'pidDomain') ?? '').split(':');
  if (system !== 'linux' || id === undefined || kind !== 'pid') return true;
  const own = machine.text('/etc/machine-id')?.trim();
  return own === undefined || own === '' || /^0*$/.test(id) || own === id;
}

/** `ps` pads its dates with spaces. */
function normal(start: string): string {
  return start.trim().replaceAll(/\s+/g, ' ');
}
