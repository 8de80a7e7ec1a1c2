/** What a shell command is for, told from its text: the same command again, a check of the work, or taking work back. */
import { remembering } from './remembering.ts';

/** The command without what only decorates it, so that two runs of it are known as one: shell wrappers, `cd x &&`, output filters. */
export const plainCommand = remembering(undecorated);
function undecorated(command: string): string {
  let text = command.replace(/\s+/g, ' ').trim();
  const wrapped = /^(?:\/bin\/|\/usr\/bin\/)?(?:ba|z|da)?sh -l?i?c (['"])(.*)\1$/.exec(text);
  if (wrapped !== null) text = wrapped[2]!;
  for (let steps = 0; steps < 4; steps++) {
    const before = text;
    text = text
      .replace(/^(?:cd [^;&|]{1,200}|export \S{1,200}|set -\w+|source \S{1,200})(?: ?&& ?|; ?)/, '')
      .replace(/ ?\d?>&?\d?(?:\/dev\/null)? ?$/, '')
      .replace(/ ?\| ?(?:tail|head|cat|less|grep|tee|sed)\b[^|;&]{0,120}$/, '')
      .replace(/ ?(?:\|\| true|; echo .{0,60})$/, '')
      .trim();
    if (text === before) break;
  }
  return text;
}

const test =
  /\b(?:(?:npm|pnpm|yarn|bun|deno)(?: run)?(?: -\S+)* (?:t|test|tests|check:test|test:\S+|e2e)\b|(?:npx |pnpm |yarn |bunx )?(?:vitest|jest|mocha|ava|tap|playwright test|cypress run)\b|node --test\b|(?:python3? -m )?(?:pytest|unittest|nose2?)\b|tox\b|nox\b|cargo (?:nextest|test)\b|go test\b|(?:\.\/)?(?:mvnw?|gradlew?)\b.{0,60}\b(?:test|verify|check)\b|(?:bundle exec )?(?:rspec|rake test|rails test)\b|phpunit\b|pest\b|dotnet test\b|ctest\b|swift test\b|mix test\b|sbt test\b|zig build test\b|make (?:-\S+ )*(?:test|check)\b|(?:flutter|dart|deno|bun|forge|elm-test|stack|cabal|lein|gleam|crystal|nimble|luarocks|R CMD) ?(?:test|check|spec)\b|bats\b|invoke-pester\b)/i;
const build =
  /\b(?:(?:npx |pnpm |yarn )?(?:tsc|eslint|oxlint|biome|prettier --check|esbuild|vite build|next build|webpack|rollup)\b|(?:npm|pnpm|yarn|bun) run (?:build|lint|typecheck|type-check|check|compile)\b|cargo (?:build|check|clippy)\b|go (?:build|vet)\b|mypy\b|pyright\b|ruff\b|flake8\b|golangci-lint\b|(?:\.\/)?(?:mvnw?|gradlew?) .{0,40}(?:compile|build|package|assemble)\b|dotnet build\b|make\b|cmake --build\b|swift build\b)/;

export const checkKind = remembering(kindOf);
function kindOf(command: string): 'test' | 'build' | undefined {
  const text = command.length > 1000 ? command.slice(0, 1000) : command;
  if (/^(?:echo|cat|grep|rg|ls|git|npm (?:i|install|view)|which|find|sed)\b/.test(text)) return undefined;
  return test.test(text) ? 'test' : build.test(text) ? 'build' : undefined;
}

const takesBack =
  /\bgit (?:-\S+ (?:\S+ )?)?(?:checkout (?:\S+ )?-- ?\S|checkout \.|checkout HEAD\b|checkout \S*[./]\S*|restore\b(?! --staged (?!--worktree))|reset --hard|revert\b|stash(?! (?:list|show|pop|apply))|clean -\w*f|am --abort|merge --abort|rebase --abort|cherry-pick --abort)/;
export const isRevert = remembering(revertsWork);
function revertsWork(command: string): boolean {
  return takesBack.test(command.length > 1000 ? command.slice(0, 1000) : command);
}
