import type { ExecutionContext } from '@nestjs/common';
import type { Carrier, IncomingRule, IncomingTransport } from '@dacapo/tracer';
import {
  answeredAtOnce,
  defineSpan,
  type DeferredSpanDescription,
  type DeferredWork,
  type IncomingOrigin,
} from '@dacapo/tracer/internal';
import { takeCarried } from '../propagation/carried-in-data.js';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import { carrierOf } from './carrier-of.js';
import type { RequestOptions } from './request-options.js';

interface MessageTraits {
  /** What carries the trace that it continues, where the context does not tell. */
  readonly carrier?: Carrier | undefined;
  /** What `@Traced` says of the handler; else the options of the module. */
  readonly incoming?: IncomingRule | undefined;
  /** Its handler is a recorded call, which needs no span around it. */
  readonly isRecorded?: boolean;
  /** It may be called by what other work left behind. */
  readonly isLeftBehind?: boolean;
}

/** By the type of its context; what calls the other handlers runs in this process. */
const TRANSPORTS: Readonly<Record<string, IncomingTransport>> = {
  http: 'http',
  graphql: 'http',
  rpc: 'rpc',
  ws: 'rpc',
  queue: 'queues',
};

/** The handling of a message, a job or an event, or of a request whose beginning was not seen. */
export class MessageWork implements DeferredWork {
  private readonly carried: Carrier | undefined;

  constructor(
    private readonly context: ExecutionContext,
    private readonly options: RequestOptions,
    private readonly traits: MessageTraits = {},
  ) {
    // At once: what our own clients added is none of the handler's data.
    this.carried = traits.carrier ?? takeCarried(context);
  }

  get carrier(): Carrier | undefined {
    return this.carried ?? carrierOf(this.context);
  }

  get origin(): IncomingOrigin {
    const transport = TRANSPORTS[this.context.getType<string>()];
    return {
      transport,
      incoming: this.traits.incoming ?? this.options.incoming,
      isTrusted: transport === 'queues' && this.options.propagate?.queues === true,
    };
  }

  get isLeftBehind(): boolean {
    return this.traits.isLeftBehind === true;
  }

  describe(): DeferredSpanDescription | 'excluded' | 'no span' {
    const handler = this.context.getHandler();
    if (isUntraced(handler as () => unknown)) return 'excluded';
    if (answeredAtOnce('exclude', this.options.exclude?.(this.context)) === true) return 'excluded';
    if (this.traits.isRecorded === true) return 'no span';
    const key = `${this.context.getClass().name}.${handler.name}`;
    return {
      definition: defineSpan({ key, name: key, onlyWithChildren: true, captureOutput: false }),
      input: [{ transport: this.context.getType() }],
    };
  }
}
