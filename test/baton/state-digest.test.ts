/** Kept states are taken up again only by the version that made them: what comes of the planted sessions is held to the version's number. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { stateVersion } from '../../server/baton/baton-state.ts';
import { GrowingBaton } from '../../server/baton/growing-baton.ts';
import { Transcript } from '../../server/baton/testing-entries.ts';
import type { Beat } from './planted/beat.ts';
import { cwd } from './planted/beat.ts';
import { plantedSessions } from './planted/sessions/all.ts';

/** Of each version since it was released. A change of rules raises `stateVersion` and brings a line here. */
const digests: Readonly<Record<number, string>> = { 2: 'b8ec3f92037e3250', 3: 'e69f1756213a067b', 4: '74141839c3542050' };

/** Straight to entries: what readers make of files is another matter. */
function told(t: Transcript, beat: Beat): void {
  switch (beat.do) {
    case 'prompt':
      t.user(beat.text);
      break;
    case 'say':
      t.says(beat.text);
      break;
    case 'run':
    case 'background':
      t.bash(beat.command, beat.output, beat.do === 'run' ? beat.exit : 0);
      break;
    case 'edit':
      t.edit(`${cwd}/${beat.path}`, beat.old, beat.fresh);
      break;
    case 'create':
      t.edit(`${cwd}/${beat.path}`, [], beat.lines);
      break;
    case 'read':
      t.result(t.call('Read', { file_path: `${cwd}/${beat.path}` }), beat.output, { details: { action: 'read' } });
      break;
    case 'fetch':
      t.result(t.call('WebFetch', { url: beat.url }), beat.output, { details: { action: 'fetch', url: beat.url } }, 'web');
      break;
    case 'todo': {
      const status = { pending: 'pending', in_progress: 'inProgress', completed: 'completed' } as const;
      t.add('plan', { items: beat.items.map(([text, of]) => ({ text, status: status[of] })) }, 'model');
      break;
    }
    case 'compact':
      t.add('summary', { text: beat.summary }, 'model');
      break;
    case 'subagent':
      t.result(t.call('Task', { prompt: beat.task }), beat.report);
      break;
  }
}

test('other states of the same entries come with another version', () => {
  const hash = createHash('sha256');
  for (const session of plantedSessions) {
    const t = new Transcript();
    for (const beat of session.beats) told(t, beat);
    const growing = GrowingBaton.begin('salt', cwd);
    for (const entry of t.entries) growing.add(entry);
    hash.update(JSON.stringify(growing.keep()));
  }
  expect({ [stateVersion]: hash.digest('hex').slice(0, 16) }).toEqual({ [stateVersion]: digests[stateVersion] });
});
