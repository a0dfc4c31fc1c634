import { get } from 'node:http';
import type { MixingApplication, Platform } from './mixing-application.js';
import { findMixing, type Mixing } from './mixing-oracle.js';
import { STREAM_NAMES } from './shapes.controller.js';
import { runUntraced, TABLE_USERS } from './table.controller.js';

interface Kind {
  /** The part of the address before the user. */
  readonly path: string;
  /** The calls of one request to the model. */
  readonly places: readonly string[];
  /** `true`: requests of other users trigger its answer. */
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
  /** Users in a wave. Their records are checked and dropped when all of them arrived. */
  readonly users: number;
  /** Places that a queue adds to the kind `all`. */
  readonly queued?: readonly string[];
  /** Additional RxJS programs, each with 50 users. */
  readonly programs?: readonly string[];
}

export interface WaveResult extends Mixing {
  /** Answers that differ from those of the same program without tracing. */
  readonly changed: string[];
}

// Only a hung request takes this long. A busy machine may need more than 30 s for an answer.
const LONGEST_WAIT_MS = 120_000;

let waves = 0;

/** Sends a wave of requests, each with its own user, and finds calls in the wrong place. */
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
    // Half of them are of the kind with the most calls, which triggers the others.
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
  // Records that have not arrived by then count as missing.
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

/** A busy server takes some time until the handler waits. */
const STAY_MS = 250;

/** Disconnects while the handler waits. */
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
