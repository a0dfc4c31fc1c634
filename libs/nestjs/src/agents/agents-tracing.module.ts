import { type DynamicModule, Module } from '@nestjs/common';
import type { Tracer } from '@dacapo/tracer';
import { getTracerToken } from '../tokens.js';
import { type AgentsPackage, AgentsRegistration } from './agents-registration.js';

export interface AgentsTracingOptions {
  /** The package the application runs its agents with: `import * as agents from '@openai/agents'`. */
  agents: AgentsPackage;
  /** The tracer of that name. Default: the one without a name. */
  tracer?: string | undefined;
}

/** Records the runs of `@openai/agents` from bootstrap to shutdown, next to the trace processors that the application has. */
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
