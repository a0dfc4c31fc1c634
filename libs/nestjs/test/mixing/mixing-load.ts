import { get } from 'node:http';
import type { MixingApplication } from './mixing-application.js';
import { findMixing, type Mixing } from './mixing-oracle.js';

/** What one request of each kind asks the model for, on behalf of its user. */
const PLACES = {
  lazy: ['lazy', 'remote'],
  all: ['own 1', 'own 2', 'remote', 'command', 'domain event', 'event', 'handler', 'after the answer'],
  stream: ['stream 0', 'stream 1'],
  left: ['left 1', 'left 2'],
} as const;

type Kind = keyof typeof PLACES;
const KINDS: readonly Kind[] = ['lazy', 'all', 'stream', 'all', 'left'];

export interface LoadOptions {
  readonly concurrency: number;
  /** Users in a wave; their records are checked, and forgotten, when all of them are there. */
  readonly users: number;
  /** Places that a queue adds to those of the kind `all`. */
  readonly queued?: readonly string[];
}

const LONGEST_WAIT_MS = 15_000;

let waves = 0;

/** Sends a wave of requests, each of a user of its own, and tells what landed in the wrong place. */
export async function runWave({ url, tracing }: MixingApplication, options: LoadOptions): Promise<Mixing> {
  const wave = waves++;
  const expected = new Map<string, readonly string[]>();
  const requests = Array.from({ length: options.users }, (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? 'all';
    const user = `${kind}-${wave}-${index}`;
    expected.set(user, kind === 'all' ? [...PLACES.all, ...(options.queued ?? [])] : PLACES[kind]);
    return { kind, user };
  });
  const streams = requests.filter(({ kind }) => kind === 'stream');
  const others = requests.filter(({ kind }) => kind !== 'stream');
  const streaming = Promise.all(streams.map(({ user }) => read(`${url}/stream/${user}`)));
  await inParallel(options.concurrency, others, ({ kind, user }) =>
    kind === 'left' ? leave(`${url}/left/${user}`) : read(`${url}/${kind}/${user}`),
  );
  const calls = [...expected.values()].reduce((sum, places) => sum + places.length, 0);
  // Streams end with the second item that they see, which others feed.
  const streamed = { isOver: false };
  void streaming.then(() => (streamed.isOver = true));
  for (let extra = 0; !streamed.isOver; extra++) {
    const user = `extra-${wave}-${extra}`;
    expected.set(user, [...PLACES.all, ...(options.queued ?? [])]);
    await read(`${url}/all/${user}`);
  }
  const total =
    calls + (expected.size - requests.length) * (PLACES.all.length + (options.queued?.length ?? 0));
  // What has not come by then is reported as missing.
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (
    tracing.spans.filter((span) => span.trace_function_key === 'ask').length < total &&
    Date.now() < deadline
  )
    await new Promise((resolve) => setTimeout(resolve, 5));
  const mixing = findMixing(tracing, expected);
  tracing.clear();
  return mixing;
}

async function read(url: string): Promise<void> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  await response.text();
}

/** Goes away while the handler waits. */
async function leave(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const request = get(url);
    request.on('error', () => {
      resolve();
    });
    request.on('finish', () => {
      setTimeout(() => request.destroy(new Error('left')), 10);
    });
  });
}

async function inParallel<T>(
  limit: number,
  items: readonly T[],
  run: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await run(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
