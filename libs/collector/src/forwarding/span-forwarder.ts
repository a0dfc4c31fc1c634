import { formatTimestamp, parseTimestamp, type ScoreRecord, type SpanRecord } from '@dacapo/protocol';
import { joinTrace, listSentMedia, toOtlpSpan, withScores } from '@dacapo/protocol/otlp';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CollectorLogger, describeError } from '../logger.js';
import { Turns } from '../memory/turns.js';
import { ResolvedOptions } from '../options.js';
import { Locks } from '../storage/coordination/locks.js';
import type { WaitingForward, WaitingForwards } from '../storage/meta/forwards.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { type SpanRef, SpanStore } from '../storage/ports/span-store.js';
import { markForwarded } from './forwarded.js';
import { OtlpReceiverUnavailableError, OtlpSender, type SentSpans } from './otlp-sender.js';
import { PendingSpans } from './pending-spans.js';

/** How often to look for spans of other processes and of failed requests. */
const POLL_MS = 5_000;
/** How long to wait for the lock. A process that holds it keeps forwarding. */
const LOCK_WAIT_MS = 100;
const BATCHES_AT_ONCE = 50;
/** Small batches are read together until they have this many spans. */
const SPANS_AT_ONCE = 512;
/** Spans read at once. Each may have several MiB. */
const READ_AT_ONCE = 32;
/** After this time, every store shows its writes. */
const WRITES_SEEN_US = 60e6;

/** In a queue: the outermost spans of the trace, whose score is new. */
const OUTERMOST = '';

/** The state of forwarding. */
export interface ForwardingState extends WaitingForwards {
  /** Why spans wait, if this process knows. */
  readonly problem?: string;
}

/**
 * Forwards stored spans by OTLP, at least once each. The ids of spans are queued in the database before their batch is acknowledged, and
 * removed when the receiver has accepted the spans. Spans that were deleted meanwhile are not sent. One process of those that share a
 * database forwards at a time.
 */
@Injectable()
export class SpanForwarder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Counts of this process since its start. */
  readonly sent: SentSpans = { accepted: 0, refused: 0 };
  private readonly sender: OtlpSender | undefined;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private isWoken = false;
  /** Another process forwards. The lock is tried again every few seconds, since that process may have been killed. */
  private isElsewhere = false;

  constructor(
    options: ResolvedOptions,
    private readonly meta: MetaStore,
    private readonly store: SpanStore,
    private readonly locks: Locks,
    private readonly clock: Clock,
    private readonly turns: Turns,
    private readonly logger: CollectorLogger,
  ) {
    this.sender =
      options.forwardOtlp &&
      new OtlpSender(options.forwardOtlp, {
        onRefused: (count, reason) => {
          this.logger.warn(
            `The receiver of forwarded spans refused ${count}: ${reason || 'it does not say why'}`,
          );
        },
      });
  }

  onApplicationBootstrap(): void {
    if (this.sender === undefined) return;
    this.timer = setInterval(() => {
      this.wake();
    }, POLL_MS).unref();
    this.wake();
  }

  /** Aborts the current request. Its spans are sent again after the next start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.working;
  }

  /**
   * The spans to queue for new records; `undefined` if there are none. Call it before the records are stored, and {@link queue} after that.
   *
   * @param scores each is sent with the span that it rates, again if that was sent before
   * @param forwarded records from another collector, which are not forwarded again
   */
  refs(
    spans: readonly SpanRecord[],
    scores: readonly ScoreRecord[],
    forwarded: ReadonlySet<SpanRecord | ScoreRecord>,
  ): SpanRef[] | undefined {
    if (this.sender === undefined) return undefined;
    const refs = new Map<string, SpanRef>();
    const add = (trace_id: string, span_id: string): void => {
      refs.set(`${trace_id}/${span_id}`, { trace_id, span_id });
    };
    for (const span of spans) if (!forwarded.has(span)) add(span.trace_id, span.id);
    for (const score of scores)
      if (score.trace_id !== undefined && !forwarded.has(score))
        add(score.trace_id, score.span_id ?? OUTERMOST);
    return refs.size === 0 ? undefined : [...refs.values()];
  }

  /** Queues spans that are stored. Resolves after the commit. */
  async queue(accountId: string, refs: readonly SpanRef[]): Promise<void> {
    await this.meta.forwards.add(accountId, refs, formatTimestamp(this.clock.nowUs()));
    if (!this.isElsewhere) this.wake();
  }

  /** `undefined` if forwarding is off. */
  async state(): Promise<ForwardingState | undefined> {
    if (this.sender === undefined) return undefined;
    const waiting = await this.meta.forwards.measure();
    const { problem } = this.sender;
    return { ...waiting, ...(problem !== undefined && { problem }) };
  }

  private wake(): void {
    this.isWoken = true;
    this.working ??= this.work();
  }

  private async work(): Promise<void> {
    const { signal: stopping } = this.stopping;
    try {
      while (this.isWoken && !stopping.aborted) {
        this.isWoken = false;
        const briefly = AbortSignal.any([stopping, AbortSignal.timeout(LOCK_WAIT_MS)]);
        const isOurs = await this.locks.exclusively(
          'forwarding',
          (lost) => this.forwardAll(AbortSignal.any([lost, stopping])),
          briefly,
        );
        this.isElsewhere = isOurs === undefined;
        if (this.isElsewhere) return;
      }
    } catch (error) {
      // The sender's `problem` shows it until the next attempt.
      if (error instanceof OtlpReceiverUnavailableError) return;
      if (!stopping.aborted)
        this.logger.error(`Spans wait to be forwarded, and are sent again soon: ${describeError(error)}`);
    } finally {
      this.working = undefined;
    }
  }

  private async forwardAll(signal: AbortSignal): Promise<true> {
    let after = 0;
    for (;;) {
      const batches = await this.meta.forwards.list(after, BATCHES_AT_ONCE);
      const last = batches.at(-1);
      if (last === undefined) return true;
      for (const group of groupBatches(batches)) {
        await this.turns.next();
        signal.throwIfAborted();
        const done = await this.forward(group, signal);
        if (done.length > 0) await this.meta.forwards.remove(done);
      }
      after = last.no;
    }
  }

  /** @returns the numbers of the batches to remove from the queue */
  private async forward(batches: readonly WaitingForward[], signal: AbortSignal): Promise<number[]> {
    const { sender } = this;
    if (sender === undefined) return [];
    const pending = new PendingSpans(async (spans) => {
      const { accepted, refused } = await sender.send(spans, signal);
      this.sent.accepted += accepted;
      this.sent.refused += refused;
    });
    const done: number[] = [];
    for (const batch of batches) {
      let missing = 0;
      for (let from = 0; from < batch.spans.length; from += READ_AT_ONCE) {
        await this.turns.next();
        const refs = await this.findOutermost(batch.accountId, batch.spans.slice(from, from + READ_AT_ONCE));
        const { records, scores } = await this.read(batch.accountId, refs);
        missing += refs.length - records.length;
        // An unfinished span is queued again when it ends.
        for (const record of records)
          if (record.status !== 'unfinished') {
            const media = await this.readMedia(batch.accountId, record);
            const written = toOtlpSpan(record, ({ id }) => media.get(id));
            await pending.add(markForwarded(withScores(written, record, scores)));
          }
      }
      if (missing === 0 || this.seesWrites(batch)) done.push(batch.no);
    }
    await pending.send();
    return done;
  }

  /** The media that are sent with a span, as base64 by id. Bytes that are not stored are missing. */
  private async readMedia(accountId: string, record: SpanRecord): Promise<ReadonlyMap<string, string>> {
    const read = new Map<string, string>();
    for (const { id } of listSentMedia(record)) {
      const found = await this.meta.media.find(accountId, id);
      if (found?.bytes !== undefined) read.set(id, Buffer.from(found.bytes).toString('base64'));
    }
    return read;
  }

  private seesWrites({ queuedAt }: WaitingForward): boolean {
    if (this.store.capabilities.readsOwnWrites) return true;
    return this.clock.nowUs() - (parseTimestamp(queuedAt) ?? 0) > WRITES_SEEN_US;
  }

  /** Replaces the outermost spans of traces by their ids. */
  private async findOutermost(accountId: string, refs: readonly SpanRef[]): Promise<SpanRef[]> {
    const traceIds = refs.filter(({ span_id }) => span_id === OUTERMOST).map(({ trace_id }) => trace_id);
    if (traceIds.length === 0) return [...refs];
    const nodes = await this.store.listNodes(accountId, traceIds);
    const ids = new Set(nodes.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`));
    const outermost = nodes.filter(
      ({ trace_id, parent_id }) => parent_id === null || !ids.has(`${trace_id}/${parent_id}`),
    );
    const found = [...refs.filter(({ span_id }) => span_id !== OUTERMOST), ...outermost];
    return [...new Map(found.map((ref) => [`${ref.trace_id}/${ref.span_id}`, ref])).values()];
  }

  /** Reads spans with the facts of their traces, and their scores. Deleted spans are missing. */
  private async read(
    accountId: string,
    refs: readonly SpanRef[],
  ): Promise<{ records: SpanRecord[]; scores: ScoreRecord[] }> {
    const stored = await this.store.readSpans(accountId, refs);
    const traceIds = [...new Set(stored.map(({ trace_id }) => trace_id))];
    const [traces, scores] = await Promise.all([
      this.store.readTraces(accountId, traceIds),
      stored.length === 0 ? [] : this.meta.scores.listOfSpans(accountId, refs),
    ]);
    const byId = new Map(traces.map((trace) => [trace.id, trace]));
    return { records: stored.map((span) => joinTrace(span, byId.get(span.trace_id))), scores };
  }
}

/** Groups small batches, so that one request has the spans of several. */
function* groupBatches(batches: readonly WaitingForward[]): Generator<readonly WaitingForward[]> {
  let group: WaitingForward[] = [];
  let spans = 0;
  for (const batch of batches) {
    if (group.length > 0 && spans + batch.spans.length > SPANS_AT_ONCE) {
      yield group;
      [group, spans] = [[], 0];
    }
    group.push(batch);
    spans += batch.spans.length;
  }
  if (group.length > 0) yield group;
}
