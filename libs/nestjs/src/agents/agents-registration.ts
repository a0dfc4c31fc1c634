import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { AgentsSpan, AgentsTrace, AgentsTracingProcessor, Tracer } from '@dacapo/tracer';
import { InvalidModuleOptionError } from '../errors.js';

/** The part of `@openai/agents` that is used. */
export interface AgentsPackage {
  readonly addTraceProcessor: (processor: never) => void;
}

const SWITCHES = Symbol.for('@dacapo/nestjs/agents-switches');

const globals = globalThis as unknown as Record<symbol, WeakMap<object, ProcessorSwitch> | undefined>;
const switches = (globals[SWITCHES] ??= new WeakMap());

/** Has the runs of one copy of the package recorded while the application is up. */
export class AgentsRegistration implements OnApplicationBootstrap, OnApplicationShutdown {
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
    processorSwitchOf(this.agents).active.add(this.processor);
  }

  onApplicationShutdown(): void {
    processorSwitchOf(this.agents).active.delete(this.processor);
  }
}

/** The package has no way to take a processor back, so it gets one for good, once. */
function processorSwitchOf(agents: AgentsPackage): ProcessorSwitch {
  let found = switches.get(agents.addTraceProcessor);
  if (found === undefined) {
    found = new ProcessorSwitch();
    switches.set(agents.addTraceProcessor, found);
    agents.addTraceProcessor(found as never);
  }
  return found;
}

/** Passes on to the processors of the applications that are up. */
class ProcessorSwitch implements AgentsTracingProcessor {
  readonly active = new Set<AgentsTracingProcessor>();

  start(): void {
    // Each processor starts by itself.
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

  private async each(pass: (processor: AgentsTracingProcessor) => Promise<void>): Promise<void> {
    await Promise.all(Array.from(this.active, pass));
  }
}
