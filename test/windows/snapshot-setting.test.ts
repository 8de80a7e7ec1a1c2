/** What a window's settings say of snapshots reaches the server: real processes, real repositories, over the protocol that windows speak. */
import { fork } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createMessageConnection, IPCMessageReader, IPCMessageWriter } from 'vscode-jsonrpc/node';
import { requests } from '../../server/protocol/requests.ts';
import type { SnapshotView } from '../../server/protocol/world.ts';
import { Worktrees } from '../world/worktrees.ts';

/** Causes of what there is after an agent began a turn and a person asked for a snapshot; asked again until `enough`. */
async function causesWith(
  snapshots: boolean | undefined,
  enough: (causes: readonly string[]) => boolean,
): Promise<readonly string[]> {
  using at = new Worktrees();
  const folder = at.repository();
  const server = fork(path.join(import.meta.dirname, '../../server/main/server.ts'), ['--node-ipc'], {
    env: { PATH: process.env['PATH'], HOME: at.home, USERPROFILE: at.home, LOOM_HOME: path.join(at.folder, 'ledger') },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = new Promise((resolve) => server.once('exit', resolve));
  const connection = createMessageConnection(new IPCMessageReader(server), new IPCMessageWriter(server));
  connection.listen();
  try {
    const initializationOptions = snapshots === undefined ? {} : { snapshots };
    await connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: {},
      initializationOptions,
    });
    await connection.sendNotification('initialized', {});
    await connection.sendRequest(requests.ingest.method, {});
    const sessions = path.join(at.home, '.claude/projects/repo');
    fs.mkdirSync(sessions, { recursive: true });
    const session = '5f0c1a2b-3c4d-4e5f-8a9b-0c1d2e3f4a5b';
    const row = { type: 'user', uuid: 'a1', parentUuid: null, isSidechain: false, userType: 'external', promptSource: 'typed' };
    const place = { sessionId: session, cwd: folder, version: '2.1.332', entrypoint: 'cli' };
    const said = { ...row, ...place, timestamp: new Date().toISOString(), message: { role: 'user', content: 'Fix it' } };
    fs.writeFileSync(path.join(sessions, `${session}.jsonl`), `${JSON.stringify(said)}\n`);
    const end = Date.now() + 20_000;
    for (;;) {
      await connection.sendRequest(requests.ingest.method, {});
      await connection.sendRequest(requests.snapshotTake.method, { folder });
      const list = await connection.sendRequest(requests.snapshotList.method, { thread: null, folder: null, limit: 50 });
      const causes = (list as readonly SnapshotView[]).map(({ cause }) => cause);
      if (enough(causes) || Date.now() > end) return causes;
    }
  } finally {
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    await gone;
    connection.dispose();
  }
}

test('a window takes snapshots around turns by itself unless its setting is off', { timeout: 60_000 }, async () => {
  expect(await causesWith(undefined, (causes) => causes.includes('turnStart'))).toContain('turnStart');
  // Twice: what a first reading began would be there at the second.
  const causes = await causesWith(false, (known) => known.length >= 2);
  expect(causes).toEqual(['asked', 'asked']);
});
