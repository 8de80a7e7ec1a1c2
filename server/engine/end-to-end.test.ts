/** One program on every backend, with a restart in the middle (engine specification 9.5). */
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from './built-in/messages.ts';
import type { Engine } from './engine.ts';
import type { Id } from './records.ts';
import { AgentSession, echo, Gate, transcript } from './testing/agent-session.ts';
import { agentConfig, textOf } from './testing/agent-kinds.ts';
import type { AgentReply, AgentRequest } from './testing/agent-kinds.ts';
import { backends } from './testing/backends.ts';

test.each(backends)(
  'open, watch, prompt, abort, spawn, drive, fork and close work together on $name, with a restart in the middle [9.5-1]',
  async (backend) => {
    const gate = new Gate();
    const session = new AgentSession(
      onTestFinished,
      { model: async (request) => answer(request, gate), tools: { read } },
      backend,
    );
    let engine = await session.open(session.storage, { rootValues: [[agentConfig.model, 'large']] });
    let root = await engine.root();
    expect(root.settings.get()).toEqual({ model: 'large' });
    const watch = await engine.watch(root.id, { tail: 100 });
    const told: string[] = [];
    watch.start((event) => void told.push(event.type));

    const inspected = await root.prompt('Inspect the parser');
    expect(textOf(inspected)).toBe('to what the file says');
    expect(told).toEqual(expect.arrayContaining(['entry', 'task_start', 'task_update', 'task_end']));

    await root.accept('Wait for me');
    await root.nextRun('And then this');
    const driving = root.drive();
    await gate.arrived(1);
    await root.followUp('Never mind');
    await root.abort();
    expect(await driving).toBe('idle');
    expect(engine.inspect()).toEqual({ start: [], inflight: [] });

    const child = await root.spawn({ prompt: 'Inspect only tests', context: 'fresh', values: { inherit: [agentConfig.model] } });
    await root.accept('Wait for the next process');
    const interrupted = root.drive();
    await gate.arrived(2);
    await engine.close();
    expect(await interrupted).toBe('closed');
    expect(watch.view.closed).toBe(true);

    engine = await session.reopen();
    root = await engine.root();
    expect(engine.inspect()).toMatchObject({ start: [{ conversationId: child }], inflight: [{ conversationId: root.id }] });
    const all = engine.drive();
    await gate.arrived(3);
    gate.open();
    gate.open();
    gate.open();
    expect(await all).toBe('idle');
    expect(transcript(conversation(engine, child))).toEqual(['user: Inspect only tests', 'assistant: to Inspect only tests']);
    expect(conversation(engine, child).settings.get()).toEqual({ model: 'large' });

    const alternative = await root.fork(inspected?.id ?? 0);
    const before = transcript(root);
    expect(textOf(await alternative.prompt('Try a different implementation'))).toBe('to Try a different implementation');
    expect(transcript(root)).toEqual(before);
    expect(before).toEqual([
      'user: Inspect the parser',
      'assistant: reading',
      'tool_result: what the file says',
      'assistant: to what the file says',
      'user: Wait for me',
      'user: And then this',
      'user: Wait for the next process',
      'assistant: to Wait for the next process',
    ]);
    expect(transcript(alternative).slice(0, 4)).toEqual(before.slice(0, 4));
    await engine.close();
    await expect(root.accept('late')).rejects.toMatchObject({ code: 'closed' });
  },
);

const read = (): string => 'what the file says';

async function answer(request: AgentRequest, gate: Gate): Promise<AgentReply> {
  const last = request.messages.at(-1);
  if (textOf(last) === 'Inspect the parser') return { text: ['reading'], calls: [{ id: 'c1', name: 'read', arguments: {} }] };
  if (last?.role === 'toolResult') return `to ${textOf(last)}`;
  if (textOf(last).startsWith('Wait')) await gate.pass(request.signal);
  return echo(request);
}

function conversation(engine: Engine<Message>, id: Id) {
  const found = engine.conversation(id);
  if (found === undefined) throw new Error(`conversation ${id} is not there`);
  return found;
}
