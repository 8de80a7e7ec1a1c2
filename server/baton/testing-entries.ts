/** Builds ledger entries for tests: ids rise by one, times by a minute, trust by kind unless told. Used by tests only. */
import type {
  AssistantContent,
  ContentByKind,
  EntryKindName,
  LedgerEntry,
  Stored,
  ToolResultContent,
  Trust,
  UserContent,
} from '../../shuttles/contract/entry.ts';
import type { AssistantBlock } from '../../shuttles/contract/message.ts';
import type { BatonThread } from './baton.ts';

export const start = Date.UTC(2026, 8, 10, 9, 0, 0);
export const sampleThread: BatonThread = {
  id: 'th_7k2m9',
  title: 'Fix double charge race',
  harness: 'claude',
  cwd: '/home/user/shop',
  branch: 'fix/double-charge',
  repo: 'shop',
  native: [{ harness: 'claude', id: '60466447-b783-4172-819e-d1f97f9605e4' }],
};

export class Transcript {
  readonly entries: LedgerEntry[] = [];
  #calls = 0;

  add<K extends EntryKindName>(kind: K, content: ContentByKind[K], trust: Trust): number {
    const id = this.entries.length + 1;
    const stored = {
      ...content,
      at: start + id * 60_000,
      provenance: { harness: 'claude', source: 1, offset: id * 100, length: 100, translator: 1, trust },
    } as Stored<K>;
    this.entries.push({ id, conversationId: 1, kind, content: stored } as LedgerEntry);
    return id;
  }
  user(text: string, origin: UserContent['origin'] = 'typed', trust: Trust = 'user'): number {
    return this.add('user', { content: [{ type: 'text', text }], origin }, trust);
  }
  says(text: string, ...calls: readonly AssistantBlock[]): number {
    const content: AssistantContent = { content: [{ type: 'text', text }, ...calls], messageId: `m${this.entries.length}` };
    return this.add('assistant', content, 'model');
  }
  /** A call of the agent's without a result yet; returns its id. */
  call(name: string, args: Record<string, string>): string {
    const id = `call_${++this.#calls}`;
    this.add(
      'assistant',
      { content: [{ type: 'toolCall', id, name, arguments: args }], messageId: `c${this.entries.length}` },
      'model',
    );
    return id;
  }
  result(toolCallId: string, output: string, more: Partial<ToolResultContent> = {}, trust: Trust = 'tool'): number {
    return this.add('tool_result', { toolCallId, content: [{ type: 'text', text: output }], isError: false, ...more }, trust);
  }
  bash(command: string, output: string, exitCode = 0): number {
    const id = this.call('Bash', { command });
    return this.result(id, output, {
      toolName: 'Bash',
      isError: exitCode !== 0,
      details: { action: 'command', command, exitCode },
    });
  }
  edit(path: string, removed: readonly string[], added: readonly string[]): number {
    const id = this.call('Edit', { file_path: path });
    const diff = `@@ -1,${removed.length} +1,${added.length} @@\n${[...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')}`;
    return this.result(id, 'The file has been updated.', {
      toolName: 'Edit',
      details: { action: 'edit', files: [{ path, change: 'update', added: added.length, removed: removed.length, diff }] },
    });
  }
}
