import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { createReplayContext, IndexesClient, ReplayService, Tracer, TracerModule } from '@dacapo/nestjs';
import { TracerTestingModule } from '@dacapo/nestjs/testing';
import { Answers, AppModule } from './app.module.js';
import { checkClients } from './clients.js';
import { started } from './scheduled.module.js';
import { freePort } from './free-port.js';
import { checkMixing } from './mixing.js';
import { readRecordedSpans } from './recorded-spans.js';

/** Boots, traces requests, replays and shuts down, with the collector from the environment. Exits with 1 on any difference. */
async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] } as object);
  const transport = {
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  } as const;
  app.connectMicroservice(transport, { inheritAppConfig: true });
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  for (const path of ['tickets/why', 'tickets/how', 'tickets', 'not-there']) {
    await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
  }
  const client = ClientProxyFactory.create(transport);
  assert.equal(await firstValueFrom(client.send('greet', { user: 'ada' })), 'hello ada');
  await assert.rejects(firstValueFrom(client.send('greet', { user: 'stranger' })));
  await client.close();
  assert.equal(await app.get(Tracer).flush(10_000), true);
  const spans = await readRecordedSpans();
  const keys = spans.map(({ key }) => key).sort();
  const onceEach = ['GET /tickets/:question', 'ScopedAnswers.answer', 'support.answer', 'tickets.get'];
  const messages = [
    'MessagesController.greet',
    'MessagesController.greet',
    'messages.greet',
    'policy',
    'policy',
  ];
  assert.deepEqual(keys, [...onceEach, ...onceEach, ...messages].sort());
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 4);

  const { items, testRunUrl } = await app.get(ReplayService).replay(Answers, 'answer');
  assert.deepEqual(items.map(({ result }) => result).sort(), ['answer to how', 'answer to why']);
  assert.match(testRunUrl, /\/test-runs\//);
  assert.deepEqual(await app.get(IndexesClient).list(), []);
  assert.equal(typeof TracerModule.forRoot, 'function');
  assert.equal(typeof TracerTestingModule.forRoot, 'function');

  assert.deepEqual(started.splice(0), ['schedules']);
  const context = await createReplayContext(AppModule, { logger: ['error', 'warn'] });
  const again = await context.replays.replay(Answers, 'answer', { limit: 1 });
  assert.equal(again.items.length, 1);
  await context.close();
  assert.deepEqual(started, []);

  await app.close();
  const { recorded, delivered } = app.get(Tracer).stats();
  assert.equal(delivered, recorded);
  await checkClients();
  for (const platform of ['express', 'fastify'] as const) await checkMixing(platform);
  console.log(`traced ${keys.length} spans, replayed ${items.length} calls`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
