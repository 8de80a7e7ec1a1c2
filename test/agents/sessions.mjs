/**
 * Sessions that the real programs make in a world: a handful of turns with text, thinking, parallel commands, a failing
 * command, a written and an edited file, a plan, and a file with secrets that the model reads. Each program does the
 * turns by the same prompts, so that all checks know what must be found again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { heardByClaude, heardByCodex } from './heard.mjs';
import { runClaude, runCodex } from './run-agent.mjs';
import { secrets } from './secrets.mjs';

export const prompts = [
  'What does this project do?',
  'List the files and show the price',
  'Run the check script',
  'Write the cart module. Never touch price.js.',
  'Use the quantity in the cart',
];
export const secretPrompt = `Show the configuration. My token is ${secrets.token}, do not use it.`;

/** The turns that most checks begin with. */
export const fullTurns = [...prompts, secretPrompt];

export const agentOf = {
  claude: { run: runClaude, heard: heardByClaude, folder: '.claude' },
  codex: { run: runCodex, heard: heardByCodex, folder: '.codex' },
};

export function plantSecrets(world) {
  fs.writeFileSync(
    path.join(world.cwd, '.env'),
    `SHOP_API_KEY=${secrets.key}\nDATABASE_URL=postgres://shop:${secrets.password}@db.example.org/shop\nPORT=8080\n`,
  );
}

/**
 * Turns of a session, one process each.
 * @returns {Promise<{ sessionId: string, heard: object[], requests: object[], answers: string[] }>} `heard`: the last
 *   request's items and the answer to it: the whole conversation
 */
export async function converse(world, harness, texts, { resume, extra } = {}) {
  const agent = agentOf[harness];
  let sessionId = resume;
  const requests = [];
  const answers = [];
  for (const text of texts) {
    const turn = await agent.run(world, text, { resume: sessionId, extra });
    if (turn.status !== 0 || !turn.sessionId)
      throw new Error(
        `${harness} failed at "${text}": exit ${turn.status}\n${turn.stdout.slice(-800)}\n${turn.stderr.slice(-800)}`,
      );
    if (sessionId !== undefined && turn.sessionId !== sessionId)
      throw new Error(`${harness} was to resume ${sessionId}, went on in ${turn.sessionId}`);
    sessionId = turn.sessionId;
    requests.push(...turn.requests);
    answers.push(turn.answer);
  }
  return { sessionId, requests, answers, heard: [...agent.heard(requests.at(-1).body), { assistant: answers.at(-1) }] };
}
