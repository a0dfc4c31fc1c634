import { Clock } from '../../../clock.js';
import type { CollectorLogger } from '../../../logger.js';
import type { PostgresConnection } from './connection.js';

const EVERY_MS = 60_000;
const WARNED_FROM_US = 1_000_000;

const NOW = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now_us';

/** The time of the database, so that differences between machines do not matter: this machine's clock plus its measured offset. */
export class DatabaseClock extends Clock {
  private offsetUs = 0;
  private isWarned = false;
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly connection: PostgresConnection,
    private readonly machine: Readonly<Clock>,
    private readonly logger: Readonly<CollectorLogger>,
  ) {
    super();
  }

  /** @throws StorageError */
  static async start(
    connection: PostgresConnection,
    machine: Readonly<Clock>,
    logger: Readonly<CollectorLogger>,
  ): Promise<DatabaseClock> {
    const clock = new DatabaseClock(connection, machine, logger);
    await clock.measure();
    clock.timer = setInterval(() => {
      // If the database is unreachable, the last offset counts.
      clock.measure().catch(() => undefined);
    }, EVERY_MS).unref();
    return clock;
  }

  nowUs(): number {
    return this.machine.nowUs() + this.offsetUs;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Assumes that the database read its clock in the middle of the round trip. */
  private async measure(): Promise<void> {
    const askedUs = this.machine.nowUs();
    const [answer] = await this.connection.all<{ now_us: number }>(NOW, []);
    if (answer === undefined) return;
    const tookUs = this.machine.nowUs() - askedUs;
    const offsetUs = Math.round(answer.now_us - askedUs - tookUs / 2);
    // A slow answer is less exact than the known offset.
    if (this.offsetUs !== 0 && Math.abs(offsetUs - this.offsetUs) < tookUs) return;
    this.offsetUs = offsetUs;
    const isOff = Math.abs(offsetUs) > WARNED_FROM_US;
    if (isOff && !this.isWarned) {
      const seconds = (Math.abs(offsetUs) / 1e6).toFixed(1);
      this.logger.warn(
        `This machine's clock is ${seconds} s ${offsetUs > 0 ? 'behind' : 'ahead of'} the database's, which Dacapo uses. Synchronize both clocks, for example with NTP.`,
      );
    }
    this.isWarned = isOff;
  }
}
