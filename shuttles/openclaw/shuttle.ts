/**
 * The shuttle of OpenClaw: sessions of its database (2026.7.2 and later) and of the JSONL files before it. None is written (2026.9.6).
 * Its database is its gateway's alone. Of its own commands, `doctor --session-sqlite import` does take a whole history in, but only from an
 * index named `sessions.json` in the agent's own folder and with the gateway stopped; while that file lies in a home that is in use, the
 * gateway does not start. `migrate` takes no sessions, `chat.inject` only answers, and `agent exec` keeps none.
 */
import type { Shuttle } from '../contract/shuttle.ts';
import { openclawFind } from './find.ts';
import { openclawLaunch } from './launch.ts';
import { openclawPresence } from './presence.ts';
import { openclawReader } from './read/reader.ts';
import { openclawContainer } from './store/container.ts';

export const openclawShuttle: Shuttle = {
  harness: 'openclaw',
  find: openclawFind,
  reader: openclawReader,
  container: openclawContainer,
  write: {
    absent:
      'OpenClaw’s sessions are rows of a database that belongs to its gateway alone; a running gateway takes no history in, and a stopped one only from files that would keep it from starting.',
  },
  launch: openclawLaunch,
  presence: openclawPresence,
};
