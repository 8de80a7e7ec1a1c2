/** `loom ingest`: reads everything new once; with --watch it goes on until it is stopped. */
import { done } from './command.ts';
import type { Command } from './command.ts';
import { flag } from './command.ts';

export const ingestCommand: Command = {
  fresh: true,
  async run({ parsed, terminal, report, service }) {
    if (report === undefined) return done;
    // What an older Loom read without keeping its bytes.
    await service?.archive();
    if (flag(parsed, 'json')) terminal.json(report);
    else {
      const seconds = (report.ms / 1000).toFixed(1);
      terminal.line(
        `${report.entries} new entries from ${report.records} records (${(report.bytes / 1e6).toFixed(1)} MB) of ${report.sources} files in ${seconds} s; ${report.threads} threads in all.`,
      );
      if (report.opaque > 0) terminal.line(`${report.opaque} records were not understood; they are kept and shown as such.`);
      for (const warning of report.warnings.slice(0, 20))
        terminal.note(`${warning.path}:${warning.offset} ${warning.code}: ${warning.text}`);
      if (report.warnings.length > 20) terminal.note(`… and ${report.warnings.length - 20} more: loom doctor`);
    }
    if (!flag(parsed, 'watch')) return done;
    if (service === undefined) {
      terminal.note('Another process already follows the sources.');
      return done;
    }
    terminal.note('Following the sources; Ctrl-C ends it.');
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
    return done;
  },
};
