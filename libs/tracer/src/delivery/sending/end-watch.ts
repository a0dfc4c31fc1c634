import type { Timer, Timers } from '../timers.js';

const LOOK_EVERY_MS = 250;
/** What a request has in the event loop while it resolves, connects or writes. No `unref` reaches these. */
const OF_A_REQUEST = new Set(['GetAddrInfoReqWrap', 'ConnectWrap', 'TCPConnectWrap', 'WriteWrap']);
/** Standard output and error, which keep no process up, look like this; so does standard input, which may. */
const STANDARD_STREAMS = new Set(['PipeWrap', 'TTYWrap']);

export interface EndWatchParts {
  readonly timers: Timers;
  /** How long requests may be all that keeps the process up. */
  readonly patienceMs: number;
  readonly requests: () => number;
  readonly giveUp: () => void;
}

/**
 * Notices when nothing but requests of ours keeps the process up, and lets it go.
 *
 * The process ends then, unless it was standard input that kept it up: in that case this never looks again.
 */
export class EndWatch {
  private timer: Timer | undefined;
  private aloneSinceMs: number | undefined;
  private isAbandoned = false;

  constructor(private readonly parts: EndWatchParts) {}

  /** Watches for as long as there are requests. */
  start(): void {
    if (this.isAbandoned) return;
    this.timer ??= this.parts.timers.start(() => {
      this.timer = undefined;
      this.look();
    }, LOOK_EVERY_MS);
  }

  private look(): void {
    const { timers, patienceMs, requests, giveUp } = this.parts;
    if (requests() === 0) return;
    if (!isAlone(requests())) this.aloneSinceMs = undefined;
    else if (timers.nowMs() - (this.aloneSinceMs ??= timers.nowMs()) >= patienceMs) {
      this.isAbandoned = true;
      giveUp();
    }
    this.start();
  }
}

function isAlone(requests: number): boolean {
  const active = process.getActiveResourcesInfo().filter((type) => !STANDARD_STREAMS.has(type));
  return active.length > 0 && active.length <= requests && active.every((type) => OF_A_REQUEST.has(type));
}
