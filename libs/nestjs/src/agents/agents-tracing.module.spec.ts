import * as agents from '@openai/agents';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TracerTestingModule } from '../testing/tracer-testing.module.js';
import { Traced } from '../tracing/traced.decorator.js';
import { AgentsTracingModule } from './agents-tracing.module.js';

@Injectable()
class Desk {
  @Traced('desk')
  handle(): Promise<string> {
    return agents.withTrace('run', () =>
      agents.withCustomSpan(async () => 'done', { data: { name: 'look up', data: {} } }),
    );
  }
}

async function boot() {
  const app = await Test.createTestingModule({
    imports: [TracerTestingModule.forRoot(), AgentsTracingModule.forRoot({ agents })],
    providers: [Desk],
  }).compile();
  await app.init();
  return { app, tracing: app.get(TracerTestingModule) };
}

describe('AgentsTracingModule', () => {
  const seen: string[] = [];

  beforeAll(() => {
    agents.setTracingDisabled(false);
    agents.setTraceProcessors([
      {
        start: () => undefined,
        onTraceStart: async (trace) => void seen.push(trace.name),
        onTraceEnd: async () => undefined,
        onSpanStart: async () => undefined,
        onSpanEnd: async () => undefined,
        shutdown: async () => undefined,
        forceFlush: async () => undefined,
      },
    ]);
  });

  it('records a run inside the traced method that starts it, and other processors still run', async () => {
    const { app, tracing } = await boot();
    await app.get(Desk).handle();
    const desk = tracing.spans.find((span) => span.trace_function_key === 'desk');
    const inner = tracing.spans.find((span) => span !== desk);
    expect(inner).toMatchObject({ name: 'look up', trace_id: desk?.trace_id });
    expect(seen).toEqual(['run']);
    await app.close();
  });

  it('stops at shutdown and starts again with the next application', async () => {
    const first = await boot();
    await first.app.close();
    const second = await boot();
    await second.app.get(Desk).handle();
    expect(first.tracing.spans).toEqual([]);
    expect(second.tracing.spans.filter((span) => span.name === 'look up')).toHaveLength(1);
    await second.app.close();
  });

  it('rejects anything but the package, with the cure', async () => {
    await expect(
      Test.createTestingModule({
        imports: [TracerTestingModule.forRoot(), AgentsTracingModule.forRoot({ agents: {} as never })],
      }).compile(),
    ).rejects.toThrow(/import \* as agents from '@openai\/agents'/);
  });
});
