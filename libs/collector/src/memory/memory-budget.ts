import { HttpException, PayloadTooLargeException } from '@nestjs/common';

/** An account may hold this many times the free memory: two thirds of the budget alone, and a share stays free for the next account. */
const SHARE = 2;

/** Memory of a parsed array or object in bytes, in addition to its text, which may be two brackets only. */
export const CONTAINER_BYTES = 64;

/** The budget is used up. The same request can succeed later. */
export class BusyException extends HttpException {
  constructor() {
    super('The service has no memory for more requests now. Send this one again after Retry-After.', 429);
  }
}

/** Limits the memory of requests that are being handled, and divides it among the accounts. */
export class MemoryBudget {
  private readonly held = new Map<string, number>();
  private free: number;
  /** The maximum of one request: an account's share of an idle service. */
  private readonly maxRequestBytes: number;

  constructor(readonly limitBytes: number) {
    this.free = limitBytes;
    this.maxRequestBytes = Math.floor((limitBytes * SHARE) / (1 + SHARE));
  }

  get heldBytes(): number {
    return this.limitBytes - this.free;
  }

  /** Opens a reservation of 0 bytes. */
  open(accountId: string): Reservation {
    let bytes = 0;
    return {
      grow: (more) => {
        if (bytes + more > this.maxRequestBytes) {
          throw new PayloadTooLargeException(
            'The body needs more memory than the service allows for one request. Send it in smaller parts.',
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

/** A request's share of the {@link MemoryBudget}. */
export interface Reservation {
  /**
   * Reserves more bytes.
   *
   * @throws BusyException when they are not free, or are the share of other accounts
   * @throws PayloadTooLargeException when no request may hold so many
   */
  grow(bytes: number): void;
  /** Idempotent. */
  release(): void;
}
