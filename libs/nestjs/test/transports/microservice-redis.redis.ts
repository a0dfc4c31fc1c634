/** Needs `redis-server`: `npm run test:servers`. */
import { Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { injectTraceContext } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { startRedis } from './redis-server.js';
import { startMicroservice } from './running-microservice.js';

describe('a Redis microservice', () => {
  it('continues the trace in a message, from the guard to the handler', async () => {
    const redis = await startRedis();
    const { client, span, close } = await startMicroservice({
      transport: Transport.REDIS,
      options: { host: '127.0.0.1', port: redis.port },
    });
    const sender = createTestTracer();
    const send = sender.tracer.withSpan('sender', (text: string) =>
      firstValueFrom(client.send('ask', injectTraceContext({ text }))),
    );
    expect(await send('why')).toBe('re: why');

    const handled = span('SupportController.ask');
    expect(handled).toMatchObject({ trace_id: sender.spans[0]?.trace_id, parent_id: sender.spans[0]?.id });
    expect(span('policy')).toMatchObject({ parent_id: handled?.id });
    expect(span('answer')).toMatchObject({ parent_id: handled?.id });
    await close();
    await redis.close();
  }, 30_000);
});
