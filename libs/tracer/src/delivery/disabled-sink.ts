import { Counters } from './counters.js';
import type { DeliveryStats, RecordSink } from './record-sink.js';

/** The sink of a tracer that is off: nothing comes in, nothing goes out. */
export class DisabledSink implements RecordSink {
  add(): void {
    // A disabled tracer has no recorder, so nothing arrives here.
  }

  flush(): Promise<boolean> {
    return Promise.resolve(true);
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }

  stats(): DeliveryStats {
    return new Counters().toStats();
  }
}
