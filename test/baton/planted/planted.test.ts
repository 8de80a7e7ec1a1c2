/**
 * The measure of the baton: sessions of every harness in their native files, through the ledger, into a packet of the default budget.
 * Fourteen facts each, three secrets, one order in somebody else's text. The table of results is printed.
 */
import { afterAll, expect, test } from 'vitest';
import { renderBaton } from '../../../server/baton/render.ts';
import { compileThread } from '../../../server/drive/compile.ts';
import { began } from './beat.ts';
import { noise } from './noise.ts';
import { PlantedHome } from './planted-home.ts';
import { factNames } from './session.ts';
import { plantedSessions } from './sessions/all.ts';

const options = {
  to: 'codex' as const,
  budget: null,
  now: began + 48 * 3_600_000,
  salt: 'salt',
  facts: () => Promise.resolve(null),
};
const rows: string[] = [];
afterAll(() => console.log(`\n${['session | entries | tokens | bytes | facts | secrets | order', ...rows].join('\n')}`));

test.each(plantedSessions.map((session) => [`${session.harness}: ${session.name}`, session] as const))(
  'the default packet holds every fact, no secret and no order of others: %s',
  async (name, session) => {
    await using home = await PlantedHome.of(session);
    const { baton, result } = await compileThread(home.ledger.ledger, home.thread, options);
    const { markdown } = result;
    const missing = factNames.filter((fact) => !session.facts[fact].test(markdown));
    const whole = JSON.stringify(baton) + markdown;
    const leaked = session.secrets.filter((secret) => whole.includes(secret));
    const isObeyed = whole.includes(session.injection);
    rows.push(
      `${name} | ${baton.counts.entries} | ${result.tokens} | ${result.bytes} | ${factNames.length - missing.length}/${factNames.length} | ${leaked.length} leaked | ${isObeyed ? 'carried' : 'left out'}${missing.length === 0 ? '' : ` | missing: ${missing.join(', ')}`}`,
    );
    if (process.env['LOOM_SHOW_PACKETS'] === '1' && missing.length + leaked.length > 0) console.log(markdown);
    expect({ missing, leaked, isObeyed }).toEqual({ missing: [], leaked: [], isObeyed: false });
    expect(result.tokens).toBeLessThanOrEqual(2000);
    expect(baton.counts.omitted).toBeGreaterThan(0);
    // Each stands in a section of its own: the newest turns, which pass, are not needed for any.
    const settled = renderBaton({ ...baton, lastTurns: [] }).markdown;
    expect(factNames.filter((fact) => !session.facts[fact].test(settled))).toEqual([]);
    // The secrets were met, so that their absence says something.
    expect(JSON.stringify(session.beats)).toContain(JSON.stringify(session.secrets[0]).slice(1, -1));
  },
);

/** What comes next is told in the newest words, and of many files the newest ones. */
const newest: ReadonlySet<string> = new Set(['nextStep', 'changedFile']);

test.each(plantedSessions.map((session) => [`${session.harness}: ${session.name}`, session] as const))(
  'the facts are still there after the agent has worked on for long: %s',
  async (_, session) => {
    const after = noise(session.name.length, 220).filter((beat) => beat.do !== 'prompt');
    await using home = await PlantedHome.of({ ...session, beats: [...session.beats, ...after] });
    const { result } = await compileThread(home.ledger.ledger, home.thread, options);
    expect(factNames.filter((fact) => !newest.has(fact) && !session.facts[fact].test(result.markdown))).toEqual([]);
    expect(result.tokens).toBeLessThanOrEqual(2000);
  },
);
