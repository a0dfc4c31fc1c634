import type { TracerError } from '../errors.js';
import type { DeliveryOptions } from '../options/delivery-options.js';
import type { ServiceSettings } from '../service/exchange.js';
import type { Timers } from './timers.js';

/** Where an `HttpDelivery` sends, and how. */
export interface HttpDeliverySettings extends Omit<ServiceSettings, 'signal'> {
  /** The tracer's `timeout`: how long `flush()` waits, and the most that one try takes. */
  readonly timeoutMs: number;
  readonly options?: DeliveryOptions;
  /** Names of spool folders whose files are to be sent too, under this key. */
  readonly takeFrom?: readonly string[];
  /** Told of what goes wrong, of each cause once a minute. */
  readonly report: (error: TracerError) => void;
}

/** What a test replaces. */
export interface HttpDeliveryParts {
  readonly timers?: Timers;
  readonly random?: () => number;
}
