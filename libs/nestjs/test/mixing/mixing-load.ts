import { get } from 'node:http';
import type { MixingApplication, Platform } from './mixing-application.js';
import { findMixing, type Mixing } from './mixing-oracle.js';
import { STREAM_NAMES } from './shapes.controller.js';
import { runUntraced, TABLE_USERS } from './table.controller.js';

interface Kind {
  /** Before the user, in the address. */
  readonly path: string;
  /** What one request asks the model for, on behalf of its user. */
  readonly places: readonly string[];
  /** Its answer comes when requests of other users feed it. */
  readonly isFed?: boolean;
}

const ALL = ['own 1', 'own 2', 'remote', 'command', 'domain event', 'event', 'handler', 'after the answer'];

const KINDS: Readonly<Record<string, Kind>> = {
  all: { path: 'all', places: ALL },
  lazy: { path: 'lazy', places: ['lazy', 'remote'] },
  left: { path: 'left', places: ['left 1', 'left 2'] },
  stream: { path: 'stream', places: ['stream 0', 'stream 1'], isFed: true },
  ...Object.fromEntries(
    STREAM_NAMES.map((name) => [name, { path: `streams/${name}`, places: [name], isFed: true }]),
  ),
  laterData: { path: 'later/data', places: ['later'] },
  laterObservable: { path: 'later/observable', places: ['later'], isFed: true },
  listening: { path: 'listening', places: ['finish', 'close'] },
  scoped: { path: 'scoped', places: ['request-scoped', 'transient', 'scoped handler'] },
};

const OF_PLATFORM: Readonly<Record<Platform, Readonly<Record<string, Kind>>>> = {
  express: { routed: { path: 'routed', places: ['step', 'last step'] } },
  fastify: { hooked: { path: 'hooked', places: ['hook', 'hooked handler', 'payload hook'] } },
};

export interface LoadOptions {
  readonly concurrency: number;
  /** Users in a wave; their records are checked, and forgotten, when all of them are there. */
  readonly users: number;
  /** Places that a queue adds to those of the kind `all`. */
  readonly queued?: readonly string[];
  /** Programs of RxJS that 50 users each subscribe to, besides. */
  readonly programs?: readonly string[];
}

export interface WaveResult extends Mixing {
  /** Answers that are not what the same program gives where nothing is traced. */
  readonly changed: string[];
}

// Only a hung request waits this long; a busy machine needs more than 30 s for an answer.
const LONGEST_WAIT_MS = 120_000;

let waves = 0;

/** Sends a wave of requests, each of a user of its own, and finds what landed in the wrong place. */
export async function runWave(application: MixingApplication, options: LoadOptions): Promise<WaveResult> {
  const { url, tracing, platform } = application;
  const wave = waves++;
  const kinds = Object.entries({ ...KINDS, ...OF_PLATFORM[platform] });
  const expected = new Map<string, readonly string[]>();
  const expectCalls = (user: string, places: readonly string[]): string => {
    expected.set(user, places === ALL ? [...ALL, ...(options.queued ?? [])] : places);
    return user;
  };
  const requests = Array.from({ length: options.users }, (_, index) => {
    // Half of them are of the kind that calls most, and feeds the others.
    const [name, kind] = kinds[index % 2 === 0 ? 0 : ((index - 1) / 2) % kinds.length] as [string, Kind];
    const user = expectCalls(`${name}-${wave}-${index}`, kind.places);
    return { address: `${url}/${kind.path}/${user}`, isFed: kind.isFed === true, isLeft: name === 'left' };
  });
  const fed = requests.filter(({ isFed }) => isFed);
  const others = requests.filter(({ isFed }) => !isFed);
  const feeding = { isOver: false };
  const streaming = Promise.all(fed.map(({ address }) => read(address))).finally(() => {
    feeding.isOver = true;
  });
  const changed: string[] = [];
  const tables = (options.programs ?? []).map(async (program) => {
    const { log, calls } = await runUntraced(program);
    const places = Array.from({ length: calls }, (_, index) => `${program} ${index}`);
    const users = Array.from({ length: TABLE_USERS }, (_, index) =>
      expectCalls(`table-${program}-${wave}-${index}`, places),
    );
    const answers = await Promise.all(users.map((user) => read(`${url}/table/${program}/${user}`)));
    if (answers.some((answer) => answer !== JSON.stringify(log))) changed.push(program);
  });
  await Promise.all([
    ...tables,
    inParallel(options.concurrency, others, ({ address, isLeft }) =>
      isLeft ? leave(address) : read(address),
    ),
  ]);
  for (let extra = 0; !feeding.isOver; extra++)
    await read(`${url}/all/${expectCalls(`extra-${wave}-${extra}`, ALL)}`);
  await streaming;
  const total = [...expected.values()].reduce((sum, places) => sum + places.length, 0);
  // What has not come by then is reported as missing.
  const deadline = Date.now() + LONGEST_WAIT_MS;
  const countCalls = (): number => tracing.spans.filter((span) => span.trace_function_key === 'ask').length;
  while (countCalls() < total && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 5));
  const mixing = findMixing(tracing, expected);
  tracing.clear();
  return { ...mixing, changed };
}

async function read(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LONGEST_WAIT_MS) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

/** On a busy machine the server takes its time until the handler waits. */
const STAY_MS = 250;

/** Goes away while the handler waits. */
async function leave(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const request = get(url);
    request.on('error', () => {
      resolve();
    });
    request.on('finish', () => {
      setTimeout(() => request.destroy(new Error('left')), STAY_MS);
    });
  });
}

async function inParallel<T>(
  limit: number,
  items: readonly T[],
  run: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await run(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
