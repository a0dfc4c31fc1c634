import { methodsOf } from '../tracing/own-methods.js';
import type { Method } from '../tracing/traced-method.js';

/** What calls a method. Handlers of requests and messages are none of these: their trace is opened before them. */
export type HandlerKind = 'queue' | 'schedule' | 'event' | 'cqrs';

/** Metadata by which Nest's packages know a handler; those of packages that are not installed are on no method. */
const METHOD_KINDS: readonly (readonly [metadata: string, kind: HandlerKind])[] = [
  ['EVENT_LISTENER_METADATA', 'event'],
  ['SCHEDULER_TYPE', 'schedule'],
  ['bull:module_queue_process', 'queue'],
  ['bullmq:worker_events_metadata', 'queue'],
];

/** Metadata of a class, and its method that is called. */
const CLASS_KINDS: readonly (readonly [metadata: string, method: string, kind: HandlerKind])[] = [
  ['bullmq:processor_metadata', 'process', 'queue'],
  ['__commandHandler__', 'execute', 'cqrs'],
  ['__queryHandler__', 'execute', 'cqrs'],
  ['__eventsHandler__', 'handle', 'cqrs'],
];

export interface Handler {
  readonly kind: HandlerKind;
  readonly name: string | symbol;
  readonly method: Method;
  readonly descriptor: PropertyDescriptor;
  /** Where the method is defined: the class, or one that it inherits from. */
  readonly prototype: object;
}

/** The methods of a class that Nest calls when something happens. */
export function handlersOf(type: { readonly prototype?: unknown }): Handler[] {
  const byClass = new Map<string | symbol, HandlerKind>(
    CLASS_KINDS.filter(([metadata]) => Reflect.hasMetadata(metadata, type)).map(([, name, kind]) => [
      name,
      kind,
    ]),
  );
  return [...methodsOf(type)].flatMap((method) => {
    const kind = byClass.get(method.name) ?? kindOf(method.method);
    return kind === undefined ? [] : { ...method, kind };
  });
}

function kindOf(method: Method): HandlerKind | undefined {
  return METHOD_KINDS.find(([metadata]) => Reflect.hasMetadata(metadata, method))?.[1];
}
