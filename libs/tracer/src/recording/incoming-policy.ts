import type { TraceParent } from '../context/propagation.js';
import { answeredAtOnce } from '../diagnostics/answer-at-once.js';
import {
  type Carrier,
  type IncomingMode,
  type IncomingOption,
  type IncomingRule,
  type IncomingTransport,
  isIncomingMode,
  ruleFor,
} from '../options/incoming-option.js';

/** Where work comes from, and the setting of its integration in addition to the tracer's option. */
export interface IncomingOrigin {
  readonly transport?: IncomingTransport | undefined;
  /** Wins over the option of the tracer. */
  readonly incoming?: IncomingOption | undefined;
  /** Whether its trace is continued by default. */
  readonly isTrusted?: boolean | undefined;
}

/** Incoming work with a valid `traceparent`. */
export interface IncomingWork extends IncomingOrigin {
  readonly headers: Carrier;
  readonly parent: TraceParent;
}

const HINTED = Symbol.for('@dacapo/incoming-hint');

const globals: typeof globalThis & { [HINTED]?: boolean } = globalThis;

/** Decides for one tracer what happens to incoming traces. Its methods never throw. */
export class IncomingPolicy {
  constructor(
    private readonly incoming: IncomingOption | undefined,
    private readonly log: { warn(message: string): void; failed(doing: string, cause: unknown): void },
  ) {}

  modeFor({ headers, transport, incoming, isTrusted }: IncomingWork): IncomingMode {
    const rule = ruleFor(incoming, transport) ?? ruleFor(this.incoming, transport);
    if (rule !== undefined) return this.obey(rule, headers);
    if (isTrusted === true) return 'continue';
    this.hint();
    return 'link';
  }

  private obey(rule: IncomingRule, headers: Carrier): IncomingMode {
    try {
      const mode: unknown =
        typeof rule === 'function' ? answeredAtOnce('incoming', rule(frozen(headers))) : rule;
      if (isIncomingMode(mode)) return mode;
      const shown = typeof mode === 'string' ? JSON.stringify(mode) : typeof mode;
      throw new TypeError(`it is ${shown}, not 'link', 'continue' or 'ignore'`);
    } catch (error) {
      this.log.failed('calling incoming', error);
      return 'link';
    }
  }

  private hint(): void {
    if (globals[HINTED] === true) return;
    globals[HINTED] = true;
    this.log.warn(
      "Linked to the caller's trace instead of continuing it. Set incoming: 'continue' if you trust the caller, " +
        "or 'link' to hide this hint.",
    );
  }
}

/** Copies the headers, so that the application's function cannot change its own request. */
function frozen(headers: Carrier): Carrier {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? Object.freeze([...(value as unknown[])]) : value,
  ]);
  return Object.freeze(Object.fromEntries(entries) as Record<string, unknown>);
}
