import { HttpException, Injectable, PayloadTooLargeException } from '@nestjs/common';
import { ResolvedOptions } from '../options.js';

/**
 * How many times as much as is free one account may hold: two thirds of the budget alone, and however many accounts are at it,
 * a share stays free for the next one.
 */
const SHARE = 2;

/** What a parsed array or object takes in memory, in bytes: its text may be as short as two brackets. */
export const CONTAINER_BYTES = 64;

/** Beyond the budget: the same request can be served later. */
export class BusyException extends HttpException {
  constructor() {
    super(
      'The service has as many requests in memory as it may. Send this one again after Retry-After.',
      429,
    );
  }
}

/** The memory that bodies of requests take while they are handled, shared by the accounts. */
@Injectable()
export class MemoryBudget {
  private readonly held = new Map<string, number>();
  readonly limitBytes: number;
  private free: number;
  /** What one request may hold at most: an account's share of an idle service. */
  private readonly most: number;

  constructor({ requestMemoryBytes }: ResolvedOptions) {
    this.limitBytes = requestMemoryBytes;
    this.free = requestMemoryBytes;
    this.most = Math.floor((requestMemoryBytes * SHARE) / (1 + SHARE));
  }

  get heldBytes(): number {
    return this.limitBytes - this.free;
  }

  /** Nothing is held by it yet. */
  open(accountId: string): Reservation {
    let bytes = 0;
    return {
      grow: (more) => {
        if (bytes + more > this.most) {
          throw new PayloadTooLargeException(
            'The body takes more memory than this service has for one request. Send it in smaller parts.',
          );
        }
        this.take(accountId, more);
        bytes += more;
      },
      release: () => {
        this.take(accountId, -bytes);
        bytes = 0;
      },
    };
  }

  private take(accountId: string, bytes: number): void {
    const held = (this.held.get(accountId) ?? 0) + bytes;
    const free = this.free - bytes;
    if (bytes > 0 && held > SHARE * free) throw new BusyException();
    this.free = free;
    if (held === 0) this.held.delete(accountId);
    else this.held.set(accountId, held);
  }
}

/** What one request holds of the {@link MemoryBudget}. */
export interface Reservation {
  /**
   * Takes so many bytes more.
   *
   * @throws BusyException when they are not free, or others have a right to them
   * @throws PayloadTooLargeException when one request may never hold so much
   */
  grow(bytes: number): void;
  /** Gives all back; calling it again changes nothing. */
  release(): void;
}
