/** Spans of task calls and commits, with a real tracer (engine specification 6.5). */
import { context, trace } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { scratchValue } from './address.ts';
import { Gate, until } from './testing/gate.ts';
import { note } from './testing/kinds.ts';
import { Opened } from './testing/open.ts';
import { running, Scripts, settleAs } from './testing/scripted.ts';

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => {
  context.disable();
});

class Traced {
  readonly #exporter = new InMemorySpanExporter();
  readonly tracer: Tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#exporter)] }).getTracer(
    'test',
  );

  get spans(): readonly ReadableSpan[] {
    return this.#exporter.getFinishedSpans();
  }

  named(name: string): readonly ReadableSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  /** `execute of a` and what lies under it, by name. */
  under(parent: ReadableSpan | undefined): readonly string[] {
    return this.spans
      .filter((span) => parent !== undefined && span.parentSpanContext?.spanId === parent.spanContext().spanId)
      .map(({ name }) => name);
  }

  reset(): void {
    this.#exporter.reset();
  }
}

test('every call has a span with task, kind, conversation, call and outcome, and what it does nests under it [6.5-1] [6.5-2] [6.5-3]', async () => {
  const scripts = new Scripts();
  const traced = new Traced();
  const kind = scripts.kind('step', {
    execute: running(async (_, task) => {
      await task.scratch((scratch) => scratch.value(scratchValue<number>('n')).set(1));
      await traced.tracer.startActiveSpan('provider', async (span) => {
        await task.commit((tx) => tx.entry(note, { text: 'in the stream' }));
        span.end();
      });
    }),
  });
  const opened = await Opened.open(onTestFinished, [kind], { tracer: traced.tracer });
  const id = await opened.task(kind, 'a');
  traced.reset();
  await opened.root.drive();
  await until(() => opened.engine.running.length === 0);
  const [call] = traced.named('engine.task step');
  expect(call?.attributes).toEqual({
    'engine.task.id': id,
    'engine.task.kind': 'step',
    'engine.task.call': 'execute',
    'engine.conversation.id': opened.root.id,
    'engine.outcome': 'done',
  });
  expect([call?.parentSpanContext, call?.status.code]).toEqual([undefined, 0]);
  expect(traced.under(call)).toEqual(['engine.commit', 'engine.scratch', 'provider', 'engine.commit']);
  expect(traced.under(traced.named('provider')[0])).toEqual(['engine.commit']);
  const of = { 'engine.task.id': id, 'engine.task.kind': 'step', 'engine.conversation.id': opened.root.id };
  const at = (seq: number) => ({ ...of, 'engine.outcome': 'committed', 'engine.commit.first': seq, 'engine.commit.last': seq });
  expect(traced.spans.filter(({ name }) => /commit|scratch/u.test(name)).map(({ attributes }) => attributes)).toEqual(
    [1, 2, 3, 4].map((n) => at(id + n)),
  );
});

test('recover, abort, cancelled, closed and failed calls say so [6.5-1]', async () => {
  const scripts = new Scripts();
  const traced = new Traced();
  const gate = new Gate();
  const kinds = [
    scripts.kind('blocked', { execute: running(async (_, { signal }) => gate.pass(signal)) }),
    scripts.kind('failing', {
      execute: async () => {
        throw new TypeError('broken');
      },
    }),
    scripts.kind('closing', { execute: running(async (_, { signal }) => gate.pass(signal)), recover: settleAs('failed') }),
    scripts.kind('unchanged', { execute: async () => undefined }),
  ];
  const first = await Opened.open(onTestFinished, kinds, { tracer: traced.tracer });
  const ids = new Map<string, number>();
  for (const kind of kinds) ids.set(kind.kind, await first.task(kind, kind.kind));
  void first.root.drive();
  await gate.reached;
  await until(() => first.engine.inspect().inflight.length >= 2 && first.reports.length >= 2);
  await first.engine.abortTask(ids.get('blocked') ?? 0);
  await until(() => first.status(ids.get('blocked') ?? 0) === 'aborted');
  await first.engine.close();
  const second = await first.again(kinds, { tracer: traced.tracer });
  await second.engine.abortTask(ids.get('failing') ?? 0);
  await second.engine.abortTask(ids.get('unchanged') ?? 0);
  await second.root.drive();
  await until(() => second.engine.running.length === 0);
  const calls = traced.spans
    .filter(({ name }) => name.startsWith('engine.task'))
    .map(({ attributes }) => [
      attributes['engine.task.kind'],
      attributes['engine.task.call'],
      attributes['engine.outcome'],
      attributes['error.type'],
    ]);
  expect(calls.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual([
    ['blocked', 'abort', 'aborted', undefined],
    ['blocked', 'execute', 'cancelled', undefined],
    ['closing', 'execute', 'closed', undefined],
    ['closing', 'recover', 'failed', undefined],
    ['failing', 'abort', 'aborted', undefined],
    ['failing', 'execute', 'failed', 'TypeError'],
    ['unchanged', 'abort', 'aborted', undefined],
    ['unchanged', 'execute', 'failed', 'Error'],
  ]);
  const [failed] = traced.spans.filter(({ attributes }) => attributes['error.type'] === 'TypeError');
  expect([failed?.status, failed?.events.map(({ name }) => name)]).toEqual([{ code: 2, message: 'broken' }, ['exception']]);
});

test('a commit of the host nests under what the host does; empty, rejected and thrown ones say so [6.5-2]', async () => {
  const traced = new Traced();
  const opened = await Opened.open(onTestFinished, [new Scripts().kind('step')], { tracer: traced.tracer });
  traced.reset();
  await traced.tracer.startActiveSpan('request', async (span) => {
    await opened.root.commit((tx) => tx.entry(note, { text: 'x' }));
    span.end();
  });
  await opened.root.commit(() => undefined);
  await opened.root.commit((tx) => tx.settle(99, 'done')).catch(() => undefined);
  const failed = opened.root.commit(() => {
    throw new RangeError('no');
  });
  await failed.catch(() => undefined);
  await opened.engine.scratch(99, (scratch) => scratch.value(scratchValue<number>('n')).set(1)).catch(() => undefined);
  expect(traced.under(traced.named('request')[0])).toEqual(['engine.commit']);
  const seen = traced.spans
    .filter(({ name }) => name !== 'request')
    .map(({ name, attributes }) => [name, attributes['engine.outcome'], attributes['error.type']]);
  expect(seen).toEqual([
    ['engine.commit', 'committed', undefined],
    ['engine.commit', 'empty', undefined],
    ['engine.commit', 'rejected', 'unknownTask'],
    ['engine.commit', 'failed', 'RangeError'],
    ['engine.scratch', 'rejected', expect.any(String)],
  ]);
  expect(traced.named('engine.commit')[1]?.attributes).toEqual({ 'engine.outcome': 'empty' });
});

test("a task is nobody else's work: its span is a root whoever made it startable, and carries nothing of theirs [6.5-1]", async () => {
  const scripts = new Scripts();
  const traced = new Traced();
  const key = Symbol('of the host');
  const seen: unknown[] = [];
  const quick = scripts.kind('quick', {
    execute: async (task, call) => {
      seen.push(context.active().getValue(key));
      await settleAs('done')(task, call);
    },
  });
  const opened = await Opened.open(onTestFinished, [quick], { tracer: traced.tracer });
  await opened.root.drive();
  await traced.tracer.startActiveSpan('request', async (span) =>
    context.with(context.active().setValue(key, 'secret'), async () => {
      const id = await opened.task(quick, 'a');
      await until(() => opened.status(id) === 'done' && opened.engine.running.length === 0);
      span.end();
    }),
  );
  expect(traced.named('engine.task quick').map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined]);
  expect(seen).toEqual([undefined]);
});

test('without a tracer nothing is traced, and with one nothing of it is stored [6.5-4]', async () => {
  const traced = new Traced();
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  onTestFinished(() => trace.disable());
  const run = async (tracer: { readonly tracer?: Tracer }) => {
    const scripts = new Scripts();
    const kind = scripts.kind('step');
    const opened = await Opened.open(onTestFinished, [kind], tracer);
    await opened.task(kind, 'a');
    await opened.root.drive();
    const tables = opened.session.db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'engine%' ORDER BY name")
      .pluck()
      .all() as readonly string[];
    return tables.map((table) => [table, opened.session.db.prepare(`SELECT * FROM ${table}`).all()]);
  };
  const [plain, withTracer] = [await run({}), await run({ tracer: traced.tracer })];
  expect(withTracer).toEqual(plain);
  expect(traced.spans.length).toBeGreaterThan(0);
});
