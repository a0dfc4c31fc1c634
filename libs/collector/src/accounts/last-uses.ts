import { formatTimestamp } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CollectorLogger, describeError } from '../logger.js';

/** The last use of a key or a browser session is noted this often at most. */
const NOTED_EVERY_US = 60 * 1e6;
/** Ids held in memory at most; one that was let go may be noted once more. */
const MOST_IDS = 10_000;

/** Notes when keys and browser sessions were used, in the background: no request waits for it or fails with it. */
@Injectable()
export class LastUses {
  private readonly notedUs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  /** @param what names the thing in the log, such as `API key 018f` */
  note(what: string, write: (usedAt: string) => Promise<void>): void {
    const nowUs = this.clock.nowUs();
    if (nowUs - (this.notedUs.get(what) ?? -Infinity) < NOTED_EVERY_US) return;
    if (this.notedUs.size >= MOST_IDS) this.notedUs.clear();
    this.notedUs.set(what, nowUs);
    write(formatTimestamp(nowUs)).catch((error: unknown) => {
      this.logger.warn(`The last use of ${what} was not noted: ${describeError(error)}`);
    });
  }
}
