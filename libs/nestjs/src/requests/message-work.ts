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
import { readCarrier } from './read-carrier.js';
import type { RequestOptions } from './request-options.js';

interface MessageTraits {
  /** Carrier of the caller's trace, where the context has none. */
  readonly carrier?: Carrier | undefined;
  /** The `incoming` option of the handler's `@Traced`. Default: that of the module. */
  readonly incoming?: IncomingRule | undefined;
  /** `true`: the handler is a recorded call and needs no span around it. */
  readonly isRecorded?: boolean;
  /** `true`: a timer or listener of other work may call the handler. */
  readonly isLeftBehind?: boolean;
}

/** By context type. Handlers of other types are called in this process. */
const TRANSPORTS: Readonly<Record<string, IncomingTransport>> = {
  http: 'http',
  graphql: 'http',
  rpc: 'rpc',
  ws: 'rpc',
  queue: 'queues',
};

/** The work for one message, job or event, or for a request that was not traced from its beginning. */
export class MessageWork implements DeferredWork {
  private readonly carried: Carrier | undefined;

  constructor(
    private readonly context: ExecutionContext,
    private readonly options: RequestOptions,
    private readonly traits: MessageTraits = {},
  ) {
    // At once, so that the handler does not see what our own clients added.
    this.carried = traits.carrier ?? takeCarried(context);
  }

  get carrier(): Carrier | undefined {
    return this.carried ?? readCarrier(this.context);
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
