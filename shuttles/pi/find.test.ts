import { expect, test } from 'vitest';
import type { Environment, SessionRoot } from '../contract/shuttle.ts';
import { piFind } from './find.ts';

function rootsOf(environment: Partial<Environment>): readonly SessionRoot[] {
  return piFind.roots({ platform: 'linux', home: '/home/user', variables: {}, ...environment });
}
const paths = (environment: Partial<Environment>): readonly string[] => rootsOf(environment).map((root) => root.path);

test('sessions of pi and omp lie below the home on Linux and macOS', () => {
  expect(paths({})).toEqual(['/home/user/.pi/agent/sessions', '/home/user/.omp/agent/sessions', '/home/user/.omp/profiles']);
  expect(paths({ platform: 'darwin', home: '/Users/user' })[0]).toBe('/Users/user/.pi/agent/sessions');
});

test('on Windows the same folders are below the profile, with its separators', () => {
  expect(paths({ platform: 'win32', home: 'C:\\Users\\user' })).toEqual([
    'C:\\Users\\user\\.pi\\agent\\sessions',
    'C:\\Users\\user\\.omp\\agent\\sessions',
    'C:\\Users\\user\\.omp\\profiles',
  ]);
});

test('PI_CODING_AGENT_DIR moves the sessions folder, PI_CODING_AGENT_SESSION_DIR adds a flat one; relative ones are passed over', () => {
  expect(paths({ variables: { PI_CODING_AGENT_DIR: '/srv/pi', PI_CODING_AGENT_SESSION_DIR: '/srv/flat/' } }).slice(0, 2)).toEqual(
    ['/srv/pi/sessions', '/srv/flat/'],
  );
  expect(paths({ variables: { PI_CODING_AGENT_DIR: 'pi', PI_CODING_AGENT_SESSION_DIR: '' } })).toEqual(paths({}));
  expect(paths({ platform: 'win32', home: 'C:\\Users\\user', variables: { PI_CODING_AGENT_DIR: 'D:\\pi' } })[0]).toBe(
    'D:\\pi\\sessions',
  );
});

test('whatever ends in .jsonl in a folder of a project may be a session; artifacts deeper down are none', () => {
  const [pi, omp, profiles] = rootsOf({});
  expect(pi?.matches('--home-user-shop--/2026-11-02T10-00-00-000Z_x.jsonl')).toBe(true);
  expect(omp?.matches('-shop/renamed.jsonl')).toBe(true);
  expect(omp?.matches('-shop/2026_x/Worker.jsonl')).toBe(false);
  expect(pi?.matches('--x--/notes.txt')).toBe(false);
  expect(pi?.matches('../x.jsonl')).toBe(false);
  expect(profiles?.matches('work/agent/sessions/-shop/a.jsonl')).toBe(true);
  expect(profiles?.matches('work/agent/history.jsonl')).toBe(false);
  expect(profiles?.enters?.('work/agent')).toBe(true);
  expect(profiles?.enters?.('work/agent/blobs')).toBe(false);
  expect(profiles?.enters?.('work/agent/sessions/-shop')).toBe(true);
});
