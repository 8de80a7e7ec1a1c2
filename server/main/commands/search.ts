/** `loom search`: full-text search over all threads. */
import path from 'node:path';
import { harnessNames } from '../../../shuttles/contract/harness.ts';
import { entryKinds } from '../../ledger/kinds.ts';
import { search } from '../../ledger/search.ts';
import { markClose, markOpen } from '../../ledger/snippet.ts';
import { ProjectFolders } from '../project-folder.ts';
import { ago, oneLine, plain } from '../terminal.ts';
import { timeOption } from '../time-option.ts';
import { done, flag, harnessOption, isUsage, numberOption, option } from './command.ts';
import type { Command } from './command.ts';

export const searchCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, ledger, environment, service, now }) {
    const harness = harnessOption(parsed, 'harness');
    if (isUsage(harness)) return harness;
    const limit = numberOption(parsed, 'limit', 1);
    if (isUsage(limit)) return limit;
    const cwd = option(parsed, 'cwd');
    const kind = option(parsed, 'kind');
    if (kind !== undefined && !Object.hasOwn(entryKinds, kind))
      return { usage: `--kind takes one of ${Object.keys(entryKinds).join(', ')}, not "${kind}".` };
    const since = timeOption(parsed, 'since', now(), false);
    if (isUsage(since)) return since;
    const until = timeOption(parsed, 'until', now(), true);
    if (isUsage(until)) return until;
    if (!/[\p{L}\p{N}]/u.test(parsed.positionals.join('')))
      return { usage: 'loom search needs WORDS: at least a letter or a digit.' };
    // After an update the index is made anew; a search from the shell waits for it.
    await service?.reindex((left) => terminal.progress(`making the search index anew: ${left} entries to go`));
    terminal.progress(null);
    const params = {
      words: parsed.positionals.join(' '),
      limit: limit ?? 20,
      ...(harness === undefined ? {} : { harness }),
      ...(cwd === undefined ? {} : { cwd: path.resolve(cwd) }),
      ...(kind === undefined ? {} : { kind }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
    const { hits, hint } = search(ledger, params, { folders: new ProjectFolders(environment.platform) });
    const rows = hits.map((hit) => ({ ...hit, snippet: hit.snippet.replaceAll(markOpen, '').replaceAll(markClose, '') }));
    if (hint !== null) terminal.note(hint);
    if (flag(parsed, 'json')) terminal.json(rows);
    else if (hits.length === 0 && hint === null) terminal.line('Nothing found.');
    else
      for (const hit of hits) {
        terminal.line(
          `${hit.thread} e${hit.entry} ${terminal.dim(`${ago(hit.at ?? 0, now())} ${harnessNames[hit.harness]}`)} ${oneLine(hit.title, 80)}`,
        );
        terminal.line(`    ${plain(hit.snippet.replaceAll(markOpen, '«').replaceAll(markClose, '»'))}`);
      }
    return done;
  },
};
