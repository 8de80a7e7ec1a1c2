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

/** `outcome` is told once, by the work; one that throws is `rejected` or `failed`, and `error.type` says with what. */
export function inSpan<T>(
  { tracer, name, attributes, root }: SpanSpec,
  work: (outcome: (outcome: string, more?: Attributes) => void) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(untold);
  const parent = root === true ? ROOT_CONTEXT : context.active();
  return tracer.startActiveSpan(name, { attributes }, parent, async (span: Span) => {
    try {
      return await work((outcome, more = {}) => span.setAttributes({ 'engine.outcome': outcome, ...more }));
    } catch (error) {
      const rejected = error instanceof Rejected;
      const type = rejected ? error.code : error instanceof Error ? error.name : '_OTHER';
      span.setAttributes({ 'engine.outcome': rejected ? 'rejected' : 'failed', 'error.type': type });
      span.recordException(error instanceof Error ? error : String(error));
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}
