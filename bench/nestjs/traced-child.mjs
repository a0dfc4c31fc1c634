/** Measures one way to trace a method in a separate process: CPU ns per call, median of the rounds. */
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Traced, TracerModule } from '@dacapo/nestjs';
import { Tracer } from '@dacapo/tracer';

const CALLS = 20_000;
const rounds = Number(process.argv[2]);
const INPUT = { ticket: 'T-1042', text: 'My parcel has not arrived. '.repeat(5), urgent: true };

const discard = {
  add: () => undefined,
  flush: async () => true,
  shutdown: async () => undefined,
  stats: () => ({ recorded: 0, delivered: 0, waiting: 0, dropped: {} }),
};
const tracer = new Tracer({ apiKey: 'bench' }, { sink: discard });

class Plain {
  async answer(input) {
    return { answer: input.text, tokens: 42 };
  }
}
class Decorated {
  async answer(input) {
    return { answer: input.text, tokens: 42 };
  }
}
const descriptor = Object.getOwnPropertyDescriptor(Decorated.prototype, 'answer');
Traced('answer')(Decorated.prototype, 'answer', descriptor);
Object.defineProperty(Decorated.prototype, 'answer', descriptor);

class App {}
Module({ imports: [TracerModule.forRoot({ tracer })], providers: [Plain, Decorated] })(App);
const app = await NestFactory.createApplicationContext(App, { logger: false });
const plain = app.get(Plain);
const decorated = app.get(Decorated);
plain.answer = tracer.withSpan('answer', plain.answer);

async function cpuNs(service) {
  const before = process.cpuUsage();
  for (let call = 0; call < CALLS; call++) await service.answer(INPUT);
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1000) / CALLS;
}

await cpuNs(plain);
await cpuNs(decorated);
const ratios = [];
const figures = { withSpan: [], traced: [] };
for (let round = 0; round < rounds; round++) {
  const order = round % 2 === 0 ? ['withSpan', 'traced'] : ['traced', 'withSpan'];
  const ns = {};
  for (const arm of order) ns[arm] = await cpuNs(arm === 'traced' ? decorated : plain);
  figures.withSpan.push(ns.withSpan);
  figures.traced.push(ns.traced);
  ratios.push(ns.traced / ns.withSpan);
}
await app.close();
process.stdout.write(JSON.stringify({ ...figures, ratios }));
