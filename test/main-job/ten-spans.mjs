// A program as a user would write it: ten calls, nested and parallel, across awaits and timers.
import { setTimeout as sleep } from 'node:timers/promises';
import { Tracer } from '@dacapo/tracer';

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});
const traced = (key, type, fn) => tracer.withSpan(key, { type }, fn);

const readMap = traced('read-map', 'function', async (city) => {
  await sleep(3);
  return `map of ${city}`;
});
const price = traced('price', 'function', (name) => name.length);
const flights = traced('flights', 'agent', async (city) => {
  await sleep(5);
  return Promise.all(['north', 'south'].map(async (name) => price(`${name} ${city}`)));
});
const rate = traced('rate', 'llm', async (hotel) => {
  tracer.getCurrentSpan().setPrompt(`Rate ${hotel}`);
  await sleep(1);
  return 4;
});
const hotels = traced('hotels', 'agent', async (city) => {
  await Promise.resolve();
  return rate(`${city} Inn`);
});
const remind = traced('remind', 'handoff', (text) => text);
const check = traced('check', 'guardrail', (text) => text !== '');
const write = traced('write', 'llm', async (...facts) => {
  const text = JSON.stringify(facts);
  return check(text) ? text : undefined;
});

const planTrip = traced('plan-trip', 'agent', async (city) => {
  tracer.getCurrentTrace().setSessionId('traveller');
  const map = await readMap(city);
  const [seats, stars] = await Promise.all([flights(city), hotels(city)]);
  await new Promise((resolve) => setTimeout(() => resolve(remind(map)), 2));
  await write(map, seats, stars);
  return tracer.getCurrentSpan().traceId;
});

const traceId = await planTrip('Turin');
await tracer.shutdown();
console.log(JSON.stringify({ traceId, stats: tracer.stats() }));
