import { type BeforeApplicationShutdown, HttpException, HttpStatus, Injectable } from '@nestjs/common';
import { PassThrough, type Readable } from 'node:stream';
import { Locks, OwnLocks } from '../storage/coordination/locks.js';

/** The maximum of open streams per account. Each visible page has one. */
export const MOST_STREAMS = 32;

/** Interval of comments, because proxies close silent connections. */
const BEAT_MS = 15_000;

/** The shortest time between two events, however much is stored. */
const SHORTEST_GAP_MS = 1_000;

/** The interval of events when other processes share the store: they may have stored something. */
const SHARED_GAP_MS = 3_000;

const CHANGE = 'event: change\ndata: {}\n\n';

/** The open streams of an account. */
interface Watched {
  streams: Set<PassThrough>;
  /** Set for a short time after an event, while the next one has to wait. */
  gap?: NodeJS.Timeout;
  isWaiting: boolean;
  /** Set if processes share the store. */
  poll?: NodeJS.Timeout;
}

/** Sends an event to an account's open pages when something was stored, so that they need not poll (docs/adr/0137). */
@Injectable()
export class LiveChanges implements BeforeApplicationShutdown {
  private readonly watched = new Map<string, Watched>();

  constructor(private readonly locks: Locks) {}

  /**
   * Opens a stream of server-sent events that ends after `lengthMs`. The browser then connects again, if its session is still valid.
   *
   * @throws HttpException when too many are open
   */
  open(accountId: string, lengthMs: number): Readable {
    const watched = this.watched.get(accountId) ?? { streams: new Set(), isWaiting: false };
    if (watched.streams.size >= MOST_STREAMS) {
      throw new HttpException(
        `At most ${MOST_STREAMS} pages of an account receive changes. Close pages that you do not need`,
        HttpStatus.TOO_MANY_REQUESTS,
      );
    }
    const stream = new PassThrough();
    const beat = setInterval(() => {
      send(stream, ':\n\n');
    }, BEAT_MS).unref();
    const end = setTimeout(() => stream.end(), lengthMs).unref();
    stream.once('close', () => {
      clearInterval(beat);
      clearTimeout(end);
      watched.streams.delete(stream);
      if (watched.streams.size === 0) this.forget(accountId, watched);
    });
    watched.streams.add(stream);
    this.watched.set(accountId, watched);
    if (!(this.locks instanceof OwnLocks))
      watched.poll ??= setInterval(() => {
        this.changed(accountId);
      }, SHARED_GAP_MS).unref();
    send(stream, `retry: ${SHORTEST_GAP_MS}\n\n`);
    return stream;
  }

  /** Call this after something of the account was stored. */
  changed(accountId: string): void {
    const watched = this.watched.get(accountId);
    if (watched === undefined) return;
    if (watched.gap !== undefined) {
      watched.isWaiting = true;
      return;
    }
    for (const stream of watched.streams) send(stream, CHANGE);
    watched.isWaiting = false;
    watched.gap = setTimeout(() => {
      delete watched.gap;
      if (watched.isWaiting) this.changed(accountId);
    }, SHORTEST_GAP_MS).unref();
  }

  beforeApplicationShutdown(): void {
    for (const { streams } of this.watched.values()) for (const stream of streams) stream.end();
  }

  private forget(accountId: string, { gap, poll }: Watched): void {
    clearTimeout(gap);
    clearInterval(poll);
    this.watched.delete(accountId);
  }
}

/** Skips a stream that has ended and waits for a slow client. */
function send(stream: PassThrough, text: string): void {
  if (stream.writable) stream.write(text);
}
