/** Needs `nats-server`: `npm run test:servers`. */
import { NatsRecordBuilder, Transport } from '@nestjs/microservices';
import { headers } from '@nats-io/transport-node';
import { firstValueFrom } from 'rxjs';
import { injectTraceContext } from '@dacapo/tracer';
import { createTestTracer } from '@dacapo/tracer/testing';
import { startServer } from './external-server.js';
import { startMicroservice } from './running-microservice.js';

describe('a NATS microservice', () => {
  it("continues the trace in a message's headers, from the guard to the handler", async () => {
    const nats = await startServer('nats-server', (port) => ['--addr', '127.0.0.1', '--port', String(port)]);
    const { client, span, close } = await startMicroservice({
      transport: Transport.NATS,
      options: { servers: [`nats://127.0.0.1:${nats.port}`] },
    });
    const sender = createTestTracer();
    const send = sender.tracer.withSpan('sender', (text: string) => {
      const carried = headers();
      for (const [name, value] of Object.entries(injectTraceContext({}))) carried.set(name, String(value));
      return firstValueFrom(client.send('ask', new NatsRecordBuilder({ text }).setHeaders(carried).build()));
    });
    expect(await send('why')).toBe('re: why');

    const handled = span('SupportController.ask');
    expect(handled).toMatchObject({ trace_id: sender.spans[0]?.trace_id, parent_id: sender.spans[0]?.id });
    expect(span('policy')).toMatchObject({ parent_id: handled?.id });
    expect(span('answer')).toMatchObject({ parent_id: handled?.id });
    await close();
    await nats.close();
  }, 30_000);
});
