import { setTimeout as sleep } from 'node:timers/promises';
import type { WrittenOtlpSpan } from '@dacapo/protocol/otlp';
import { CollectorError } from '../errors.js';
import type { OtlpTarget } from '../otlp-target.js';
import { type OtlpAnswer, postSpans } from './post-spans.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
/** After this many failures of one request, the server counts as refusing it. */
const MOST_FAILURES = 5;
/** This many refused parts before any accepted request look like a receiver that refuses everything. */
const MOST_SUSPECTS = 3;

const REFUSES_ALL = 'The receiver refuses all spans: check the address';
const REFUSED_ALONE = 'The receiver refused them, and accepted others';

/** Counts of sent spans. */
export interface SentSpans {
  accepted: number;
  /** Spans that the receiver will never accept. */
  refused: number;
}

/** The receiver was not ready in time. */
export class OtlpReceiverUnavailableError extends CollectorError {
  readonly code = 'COLLECTOR_OTLP_RECEIVER_UNAVAILABLE';

  constructor(readonly problem: string) {
    super(`${problem}. Nothing is lost: send the spans again when it is ready.`);
  }
}

export interface OtlpSenderOptions {
  /** Failed requests in a row after which the sender gives up. Default: it never gives up. */
  readonly maxAttempts?: number;
  /** Called when the receiver refuses spans. */
  readonly onRefused: (count: number, reason: string) => void;
}

type Spans = readonly WrittenOtlpSpan[];

/**
 * Sends spans to one receiver until each is accepted or refused. It waits while the receiver is unreachable or rejects the key, and halves
 * a refused request until it has found the refused spans.
 */
export class OtlpSender {
  /** Why spans are not accepted now; `undefined` if they are. */
  problem: string | undefined;
  /** Whether a request was accepted. A refused one then does not point to a wrong address. */
  private hasAccepted = false;

  constructor(
    private readonly target: OtlpTarget,
    private readonly options: OtlpSenderOptions,
  ) {}

  /**
   * @throws OtlpReceiverUnavailableError after `maxAttempts`, and when the receiver accepts none of the spans: only an accepted request
   *   shows that the spans are at fault and not the address
   * @throws the reason of `signal` when that is aborted
   */
  async send(spans: Spans, signal: AbortSignal): Promise<SentSpans> {
    const sent = { accepted: 0, refused: 0 };
    const parts: Spans[] = spans.length === 0 ? [] : [spans];
    let suspects: Spans[] = [];
    let problem = REFUSES_ALL;
    let failures = 0;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      const answer = await postSpans(this.target, part, signal);
      if (answer.kind === 'accepted') {
        failures = 0;
        this.accept(part, answer, sent);
      } else if (answer.kind === 'later' || (answer.kind === 'failed' && failures < MOST_FAILURES)) {
        parts.push(part);
        await this.wait(++failures, answer, signal);
      } else {
        // The server may be down for all requests now, so an earlier success proves nothing.
        if (answer.kind === 'failed') this.hasAccepted = false;
        failures = 0;
        problem = answer.kind === 'failed' ? answer.problem : REFUSES_ALL;
        if (part.length > 1 && (this.hasAccepted || suspects.length < MOST_SUSPECTS)) {
          const middle = Math.ceil(part.length / 2);
          parts.push(part.slice(middle), part.slice(0, middle));
        } else if (this.hasAccepted || answer.kind === 'too large')
          this.refuse(part.length, answer.problem, sent);
        else suspects.push(part);
      }
      if (parts.length > 0 || suspects.length === 0) continue;
      if (!this.hasAccepted) {
        this.problem = problem;
        throw new OtlpReceiverUnavailableError(problem);
      }
      for (const suspect of suspects) {
        if (suspect.length > 1) parts.push(suspect);
        else this.refuse(1, REFUSED_ALONE, sent);
      }
      suspects = [];
    }
    return sent;
  }

  private accept(part: Spans, answer: OtlpAnswer & { kind: 'accepted' }, sent: SentSpans): void {
    this.problem = undefined;
    this.hasAccepted = true;
    const rejected = Math.min(answer.rejected, part.length);
    sent.accepted += part.length - rejected;
    if (rejected > 0) this.refuse(rejected, answer.reason, sent);
  }

  private refuse(count: number, reason: string, sent: SentSpans): void {
    sent.refused += count;
    this.options.onRefused(count, reason);
  }

  private async wait(
    failures: number,
    { problem, retryAfterMs }: { readonly problem: string; readonly retryAfterMs?: number },
    signal: AbortSignal,
  ): Promise<void> {
    this.problem = problem;
    if (failures >= (this.options.maxAttempts ?? Infinity)) throw new OtlpReceiverUnavailableError(problem);
    const longestMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS);
    await sleep(retryAfterMs ?? Math.random() * longestMs, undefined, { signal }).catch(() => undefined);
    signal.throwIfAborted();
  }
}
