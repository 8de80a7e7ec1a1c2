/** Real sessions and what the reader makes of them, side by side: test/golden/claude, rewritten only with UPDATE_GOLDENS=1. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cases, fixtures, readFile } from '../fixture-records.ts';

const golden = new URL('../../../test/golden/claude/', import.meta.url).pathname;

const sessions: Readonly<Record<string, string>> = {
  '03-rewind': `${fixtures}claude/03-tui-rewind-rename/.claude/projects/-home-user-shop/4316b067-da6d-4123-b486-c402f3b430a7.jsonl`,
  '04-compact': `${fixtures}claude/04-tui-compact-clear/.claude/projects/-home-user-shop/aaf843ff-5f5b-42f1-9684-f818f2572fdc.jsonl`,
  '05-subagents': `${fixtures}claude/05-subagents/.claude/projects/-home-user-shop/80b67e22-ecf6-494c-b352-bdd59e5e2c88.jsonl`,
  '05-explorer': `${fixtures}claude/05-subagents/.claude/projects/-home-user-shop/80b67e22-ecf6-494c-b352-bdd59e5e2c88/subagents/agent-a64a237f110c27863.jsonl`,
  '06-tasks': `${fixtures}claude/06-tasks-and-todos/.claude/projects/-home-user-shop/dec18483-f24b-47b5-a7d3-54d0f06419cb.jsonl`,
  '07-interrupts': `${fixtures}claude/07-interrupts/.claude/projects/-home-user-shop/c4b78ed5-9405-45c8-9aa0-d30e7ed4b303.jsonl`,
  '09-branch': `${fixtures}claude/09-forks/.claude/projects/-home-user-shop/e8a960f2-da28-41ad-8fa0-8a2e884244aa.jsonl`,
  '12-hooks': `${fixtures}claude/12-hooks/.claude/projects/-home-user-shop/da800381-d372-4ce8-82f8-0f17a9c4ed0b.jsonl`,
  '13-mcp-image-large': `${fixtures}claude/13-mcp-image-large/.claude/projects/-home-user-shop/353f725c-0bc1-4872-adb9-9f4efc14e0c1.jsonl`,
  '15-version-2.0.77': `${fixtures}claude/15-old-2.0.77/.claude/projects/-home-user-shop/b854b78a-cf06-4029-ba2f-3ad77813ff49.jsonl`,
  '16-version-2.1.100': `${fixtures}claude/16-old-2.1.100/.claude/projects/-home-user-shop/6a7fa8ba-8894-4754-9176-7043c27c518e.jsonl`,
  'case-11-content-variants': `${cases}11-claude-content-variants/home/.claude/projects/-srv-demo-harbor-app/451f10b6-f88d-4635-bce5-321ec2decf27.jsonl`,
  'case-20-queued': `${cases}20-claude-queued-prompts/home/.claude/projects/-srv-demo-harbor-app/b35ebc7b-4a05-497b-ad2f-f71047ed62bb.jsonl`,
};

test.each(Object.entries(sessions))('%s reads as its golden file says', (name, path) => {
  const { identity, outputs } = readFile(path);
  const lines = [identity, ...outputs].map((output) => `${JSON.stringify(output)}\n`).join('');
  const file = `${golden}${name}.jsonl`;
  if (process.env['UPDATE_GOLDENS'] === '1') {
    mkdirSync(golden, { recursive: true });
    writeFileSync(file, lines);
  }
  expect(existsSync(file), `${file} is missing: run with UPDATE_GOLDENS=1`).toBe(true);
  expect(parsed(lines)).toEqual(parsed(readFileSync(file, 'utf8')));
});

function parsed(lines: string): readonly unknown[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
