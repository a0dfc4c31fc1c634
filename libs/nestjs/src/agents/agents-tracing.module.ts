import {
  type DynamicModule,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { AgentsSpan, AgentsTrace, AgentsTracingProcessor, Tracer } from '@dacapo/tracer';
import { InvalidModuleOptionError } from '../errors.js';
import { getTracerToken } from '../tokens.js';

/** The part of `@openai/agents` that is used. */
export interface AgentsPackage {
  readonly addTraceProcessor: (processor: never) => void;
}

export interface AgentsTracingOptions {
  /** The package that runs the application's agents: `import * as agents from '@openai/agents'`. */
  agents: AgentsPackage;
  /** Name of the tracer. Default: the tracer without a name. */
  tracer?: string | undefined;
}

/** Records the runs of `@openai/agents` from bootstrap to shutdown. The application's own trace processors keep working. */
@Module({})
export class AgentsTracingModule {
  /** @throws InvalidModuleOptionError when `agents` is not the package */
  static forRoot({ agents, tracer }: AgentsTracingOptions): DynamicModule {
    return {
      module: AgentsTracingModule,
      providers: [
        {
          provide: AgentsRegistration,
          useFactory: (found: Tracer) => new AgentsRegistration(agents, found),
          inject: [getTracerToken(tracer)],
        },
      ],
    };
  }
}

/** Adds the tracer's processor while the application runs. */
class AgentsRegistration implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly processor: AgentsTracingProcessor;

  constructor(
    private readonly agents: AgentsPackage,
    tracer: Tracer,
  ) {
    if (typeof (agents as Partial<AgentsPackage> | undefined)?.addTraceProcessor !== 'function') {
      throw new InvalidModuleOptionError(
        'agents',
        'is not the package @openai/agents',
        "Write import * as agents from '@openai/agents', and pass agents.",
      );
    }
    this.processor = tracer.getAgentsTracingProcessor();
  }

  onApplicationBootstrap(): void {
    getProcessorSwitch(this.agents).active.add(this.processor);
  }

  onApplicationShutdown(): void {
    getProcessorSwitch(this.agents).active.delete(this.processor);
  }
}

const SWITCHES = Symbol.for('@dacapo/nestjs/agents-switches');

const globals = globalThis as unknown as Record<symbol, WeakMap<object, ProcessorSwitch> | undefined>;
const switches = (globals[SWITCHES] ??= new WeakMap());

/** Registers one permanent processor per copy of the package, because the package cannot remove a processor. */
function getProcessorSwitch(agents: AgentsPackage): ProcessorSwitch {
  let found = switches.get(agents.addTraceProcessor);
  if (found === undefined) {
    found = new ProcessorSwitch();
    switches.set(agents.addTraceProcessor, found);
    agents.addTraceProcessor(found as never);
  }
  return found;
}

/** Forwards to the processors of the running applications. */
class ProcessorSwitch implements AgentsTracingProcessor {
  readonly active = new Set<AgentsTracingProcessor>();

  start(): void {
    // The processors need no start.
  }

  onTraceStart(trace: AgentsTrace): Promise<void> {
    return this.each((processor) => processor.onTraceStart(trace));
  }

  onTraceEnd(trace: AgentsTrace): Promise<void> {
    return this.each((processor) => processor.onTraceEnd(trace));
  }

  onSpanStart(span: AgentsSpan): Promise<void> {
    return this.each((processor) => processor.onSpanStart(span));
  }

  onSpanEnd(span: AgentsSpan): Promise<void> {
    return this.each((processor) => processor.onSpanEnd(span));
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }

  forceFlush(): Promise<void> {
    return this.each((processor) => processor.forceFlush());
  }

  private async each(forward: (processor: AgentsTracingProcessor) => Promise<void>): Promise<void> {
    await Promise.all(Array.from(this.active, forward));
  }
}
