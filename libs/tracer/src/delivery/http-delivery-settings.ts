import type { TracerError } from '../errors.js';
import type { DeliveryOptions } from '../options/delivery-options.js';
import type { ServiceSettings } from '../service/exchange.js';
import type { Timers } from './timers.js';

/** Where an `HttpDelivery` sends, and how. */
export interface HttpDeliverySettings extends Omit<ServiceSettings, 'signal'> {
  /** The tracer's `timeout`: how long `flush()` waits, and the timeout of one attempt. */
  readonly timeoutMs: number;
  readonly options?: DeliveryOptions;
  /** Names of spool folders whose files are sent too, with this key. */
  readonly takeFrom?: readonly string[];
  /** Receives errors, each cause at most once a minute. */
  readonly report: (error: TracerError) => void;
}

/** Parts that tests replace. */
export interface HttpDeliveryParts {
  readonly timers?: Timers;
  readonly random?: () => number;
}
