/** What `loom mcp` adds to the start of an agent's session, and what it holds at rest: from its start to the answer to `initialize`. */
import { spawn } from 'node:child_process';
import type { Line } from './lines.ts';
import { median } from './lines.ts';
import { residentMbOf } from './process-facts.ts';
import { environment, loomProgram, run } from './program.ts';
import { inFolder } from './temp-folder.ts';

export interface McpStart {
  /** From the start of `loom --version` to its end. */
  readonly versionMs: readonly number[];
  readonly initializeMs: readonly number[];
  /** Before any tool was called; null where the platform does not tell. */
  readonly residentMb: number | null;
}

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** One after the other, by turns. */
export function mcpStart(times: number): Promise<McpStart> {
  return inFolder(async (home) => {
    const versionMs: number[] = [];
    const initializeMs: number[] = [];
    let residentMb: number | null = null;
    for (let n = 0; n < times; n++) {
      versionMs.push((await run([loomProgram, '--version'], home)).ms);
      const started = performance.now();
      const child = spawn(process.execPath, [loomProgram, 'mcp'], { env: environment(home), stdio: ['pipe', 'pipe', 'ignore'] });
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.stdin.write(`${JSON.stringify(initialize)}\n`);
      const answer = await new Promise<string>((resolve) =>
        child.stdout.once('data', (data: Buffer) => resolve(data.toString())),
      );
      initializeMs.push(performance.now() - started);
      residentMb = residentMbOf(child.pid);
      child.stdin.end();
      await ended;
      if (!answer.includes('"serverInfo"')) throw new Error(`loom mcp answered ${answer.slice(0, 200)}`);
    }
    return { versionMs, initializeMs, residentMb };
  });
}

export function mcpLines({ versionMs, initializeMs, residentMb }: McpStart): readonly Line[] {
  const ratio = median(initializeMs) / median(versionMs);
  return [
    { name: 'loom mcp from its start to initialize, to loom --version', value: ratio, unit: 'x', goal: { most: 2.5 } },
    { name: 'the same, median', value: median(initializeMs), unit: 'ms' },
    { name: 'loom mcp at rest, resident', value: residentMb, unit: 'MB' },
  ];
}
