/**
 * Spans through the tracer that the host supplies (engine specification 6.5): one a task call, one a commit. Without a tracer nothing
 * is made; nothing of it is ever stored. A span is active while its work runs, so that what the work traces nests under it.
 */
import { context, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { Rejected } from './errors.ts';

export interface SpanSpec {
  readonly tracer: Tracer | undefined;
  readonly name: string;
  readonly attributes: Attributes;
  /** Belongs to nobody's work: a task runs for itself, whoever's commit made it startable. */
  readonly root?: true;
}

const untold = (): void => undefined;

/**
 * `outcome` is told once, by the work; one that throws is `rejected` or `failed`, and `error.type` says with what. A tracer that fails
 * costs its spans: what the work came to stands.
 */
export function inSpan<T>(
  { tracer, name, attributes, root }: SpanSpec,
  work: (outcome: (outcome: string, more?: Attributes) => void) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(untold);
  const parent = root === true ? ROOT_CONTEXT : context.active();
  let traced: Promise<T> | undefined;
  quietly(() => tracer.startActiveSpan(name, { attributes }, parent, (span) => (traced = inside(span, work))));
  return traced ?? work(untold);
}

async function inside<T>(span: Span, work: Parameters<typeof inSpan<T>>[1]): Promise<T> {
  try {
    return await work((outcome, more = {}) => quietly(() => span.setAttributes({ 'engine.outcome': outcome, ...more })));
  } catch (error) {
    quietly(() => failed(span, error));
    throw error;
  } finally {
    quietly(() => span.end());
  }
}

function failed(span: Span, error: unknown): void {
  const rejected = error instanceof Rejected;
  const type = rejected ? error.code : error instanceof Error ? error.name : '_OTHER';
  span.setAttributes({ 'engine.outcome': rejected ? 'rejected' : 'failed', 'error.type': type });
  span.recordException(error instanceof Error ? error : String(error));
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
}

function quietly(call: () => unknown): void {
  try {
    call();
  } catch {
    // The tracer's own fault, and nothing that was to be traced is worse for it.
  }
}
