import type { ExecutionContext } from '@nestjs/common';
import type { Carrier } from '@dacapo/tracer';
import {
  answeredAtOnce,
  defineSpan,
  type DeferredSpanDescription,
  type DeferredWork,
} from '@dacapo/tracer/internal';
import { isUntraced } from '../tracing/no-trace.decorator.js';
import { carrierOf } from './carrier-of.js';
import type { RequestOptions } from './request-options.js';

/** The handling of a message, or of a request whose beginning was not seen. */
export class MessageWork implements DeferredWork {
  constructor(
    private readonly context: ExecutionContext,
    private readonly options: RequestOptions,
  ) {}

  get carrier(): Carrier | undefined {
    return carrierOf(this.context);
  }

  describe(): DeferredSpanDescription | 'excluded' {
    const handler = this.context.getHandler();
    if (isUntraced(handler as () => unknown)) return 'excluded';
    if (answeredAtOnce('exclude', this.options.exclude?.(this.context)) === true) return 'excluded';
    const key = `${this.context.getClass().name}.${handler.name}`;
    return {
      definition: defineSpan({ key, name: key, onlyWithChildren: true, captureOutput: false }),
      input: [{ transport: this.context.getType() }],
    };
  }
}
