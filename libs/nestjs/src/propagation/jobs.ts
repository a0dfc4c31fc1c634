import { type Carrier, injectTraceContext } from '@dacapo/tracer';
import { replaceMethod } from '../tracing/proxy-method.js';

/** The part of BullMQ's job options that is used: its telemetry stores the context there, as JSON. */
interface JobOptions {
  readonly telemetry?: { readonly metadata?: string; readonly omitContext?: boolean };
}

interface JobToAdd {
  readonly opts?: JobOptions | undefined;
}

/** A BullMQ queue, recognized by its shape. */
export interface QueueLike {
  add(name: string, data: unknown, options?: JobOptions): Promise<unknown>;
  addBulk(jobs: JobToAdd[]): Promise<unknown>;
}

const bound = new WeakSet<object>();

/**
 * Makes a BullMQ queue send `traceparent` with jobs that are added inside a span. It is in the options of the job, where
 * BullMQ's own telemetry stores it, so the job's data stay unchanged. A worker's `TracerModule` continues the trace or links
 * to it, as its `incoming` option defines.
 */
export function propagateThroughQueue(queue: QueueLike): void {
  if (bound.has(queue)) return;
  bound.add(queue);
  const add = queue.add.bind(queue);
  const addBulk = queue.addBulk.bind(queue);
  replaceMethod(queue, 'add', (name: string, data: unknown, options?: JobOptions) =>
    add(name, data, withContext(options)),
  );
  replaceMethod(queue, 'addBulk', (jobs: JobToAdd[]) =>
    addBulk(jobs.map((job) => ({ ...job, opts: withContext(job.opts) }))),
  );
}

export function isQueue(value: unknown): value is QueueLike {
  const { add, addBulk, getJobCounts } = value as Record<string, unknown>;
  return [add, addBulk, getJobCounts].every((member) => typeof member === 'function');
}

function withContext(options: JobOptions | undefined): JobOptions | undefined {
  const { metadata, omitContext } = options?.telemetry ?? {};
  if (metadata !== undefined || omitContext === true) return options;
  const carrier = injectTraceContext<{ traceparent?: string }>({});
  if (carrier.traceparent === undefined) return options;
  return { ...options, telemetry: { ...options?.telemetry, metadata: JSON.stringify(carrier) } };
}

/** Reads the context in a job's options, from this package or from BullMQ's own telemetry. */
export function readJobCarrier(job: unknown): Carrier | undefined {
  const { opts } = (job ?? {}) as { opts?: JobOptions };
  const { metadata } = opts?.telemetry ?? {};
  if (typeof metadata !== 'string') return undefined;
  try {
    const carrier: unknown = JSON.parse(metadata);
    return typeof carrier === 'object' && carrier !== null ? (carrier as Carrier) : undefined;
  } catch {
    // Another telemetry wrote its own format.
    return undefined;
  }
}
