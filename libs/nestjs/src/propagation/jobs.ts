import { type Carrier, injectTraceContext } from '@dacapo/tracer';

/** What is used of BullMQ's options of a job: where its own telemetry keeps the context, as JSON. */
interface JobOptions {
  readonly telemetry?: { readonly metadata?: string; readonly omitContext?: boolean };
}

interface JobToAdd {
  readonly opts?: JobOptions | undefined;
}

/** A BullMQ queue, recognised by its shape. */
export interface QueueLike {
  add(name: string, data: unknown, options?: JobOptions): Promise<unknown>;
  addBulk(jobs: JobToAdd[]): Promise<unknown>;
}

const bound = new WeakSet<object>();

/**
 * Has a BullMQ queue send `traceparent` with jobs that are added inside a span: in the options of the job, where BullMQ's own
 * telemetry has it, so the job's data stay as they are. Workers in an application with a `TracerModule` continue the trace, or link to it, as its `incoming` says.
 */
export function propagateThroughQueue(queue: QueueLike): void {
  if (bound.has(queue)) return;
  bound.add(queue);
  const add = queue.add.bind(queue);
  const addBulk = queue.addBulk.bind(queue);
  Object.defineProperties(queue, {
    add: {
      value: (name: string, data: unknown, options?: JobOptions) => add(name, data, withContext(options)),
      configurable: true,
      writable: true,
    },
    addBulk: {
      value: (jobs: JobToAdd[]) => addBulk(jobs.map((job) => ({ ...job, opts: withContext(job.opts) }))),
      configurable: true,
      writable: true,
    },
  });
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

/** What a job carries in its options, from here or from BullMQ's own telemetry. */
export function carrierOfJob(job: unknown): Carrier | undefined {
  const { opts } = (job ?? {}) as { opts?: JobOptions };
  const { metadata } = opts?.telemetry ?? {};
  if (typeof metadata !== 'string') return undefined;
  try {
    const carrier: unknown = JSON.parse(metadata);
    return typeof carrier === 'object' && carrier !== null ? (carrier as Carrier) : undefined;
  } catch {
    // Written by telemetry with a form of its own.
    return undefined;
  }
}
