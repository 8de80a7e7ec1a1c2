/** Runs the built `loom` program (dist/loom.cjs, on the checkout's own Node) in a world, as a person at a shell would. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run, start } from './run-agent.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ownNode = `${root}node_modules/.bin/node`;
export const node = fs.existsSync(ownNode) ? ownNode : process.execPath;
/** LOOM_PROGRAM: another build or the sources (server/main/loom.ts), while working on them. */
export const program = process.env.LOOM_PROGRAM ?? `${root}dist/loom.cjs`;

/** How a program in that world is told to start `loom`. */
export const argvOf = (world, args) => [node, program, ...args, '--home', world.home, '--ledger', world.ledger];

/** @returns status, stdout, stderr and, when stdout is one JSON document, `json` */
export async function loom(world, args, { env = world.env } = {}) {
  const end = await run(argvOf(world, args), { cwd: world.cwd, env, timeoutMs: 60_000 });
  let json;
  try {
    json = JSON.parse(end.stdout);
  } catch {
    json = undefined;
  }
  return { ...end, json };
}

/** Like `loom`, but anything else than success with a JSON document is a failure of the check. */
export async function loomJson(world, ...args) {
  const end = await loom(world, [...args, '--json']);
  if (end.status !== 0 || end.json === undefined) {
    throw new Error(
      `loom ${args.join(' ')} --json: exit ${end.status}\nstdout: ${end.stdout.slice(0, 600)}\nstderr: ${end.stderr.slice(0, 1500)}`,
    );
  }
  return end.json;
}

export function startLoom(world, args) {
  return start(argvOf(world, args), { cwd: world.cwd, env: world.env });
}

/** Reads everything new and returns the thread that holds this native session. */
export async function ingestAndFind(world, nativeId) {
  await loomJson(world, 'ingest');
  const threads = await loomJson(world, 'threads', '--all');
  const found = threads.filter((thread) => thread.native.some((native) => native.id === nativeId));
  if (found.length !== 1)
    throw new Error(
      `${found.length} threads hold ${nativeId}; the list has ${JSON.stringify(threads.map((thread) => [thread.id, thread.native]))}`,
    );
  return found[0];
}
