import { formatTimestamp } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CollectorLogger, describeError } from '../logger.js';

/** A key or browser session is written at most this often. */
const WRITE_INTERVAL_US = 60 * 1e6;
const MAX_IDS_IN_MEMORY = 10_000;

/** Records when keys and browser sessions were last used, in the background: requests neither wait for it nor fail. */
@Injectable()
export class LastUses {
  private readonly writtenUs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: CollectorLogger,
  ) {}

  /** @param what its name in the log, such as `API key 018f` */
  note(what: string, write: (usedAt: string) => Promise<void>): void {
    const nowUs = this.clock.nowUs();
    if (nowUs - (this.writtenUs.get(what) ?? -Infinity) < WRITE_INTERVAL_US) return;
    if (this.writtenUs.size >= MAX_IDS_IN_MEMORY) this.writtenUs.clear();
    this.writtenUs.set(what, nowUs);
    write(formatTimestamp(nowUs)).catch((error: unknown) => {
      this.logger.warn(`The last use of ${what} was not noted: ${describeError(error)}`);
    });
  }
}
