import { type DeliveryOptions, resolveDeliveryOptions } from './delivery-options.js';

describe('Delivery options', () => {
  it('have defaults', () => {
    expect(resolveDeliveryOptions({}, 120_000)).toEqual({
      maxBatchRecords: 512,
      maxBatchBytes: 1_048_576,
      intervalMs: 1000,
      maxConcurrency: 8,
      requestTimeoutMs: 30_000,
      retryMinDelayMs: 500,
      retryMaxDelayMs: 30_000,
      shutdownTimeoutMs: 5000,
      exitTimeoutMs: 2000,
      compression: 'auto',
      maxQueueBytes: 33_554_432,
      spool: 'auto',
      spoolDir: undefined,
      maxSpoolBytes: 536_870_912,
      atExit: 'spool',
      maxSpoolAgeMs: 2_592_000_000,
      previousKeys: undefined,
    });
  });

  it('limit one attempt to the request timeout of the tracer (SPEC 4.2)', () => {
    expect(resolveDeliveryOptions({}, 1000).requestTimeoutMs).toBe(1000);
  });

  it.each<[DeliveryOptions, string]>([
    [
      { maxBatchRecords: 0 },
      'delivery.maxBatchRecords must be a whole number from 1 up, not 0. Omit it for 512.',
    ],
    [
      { intervalMs: Number.NaN },
      'delivery.intervalMs must be a whole number of milliseconds from 1 to 2147483647, not NaN.',
    ],
    [
      { requestTimeoutMs: 2 ** 31 },
      'delivery.requestTimeoutMs must be a whole number of milliseconds from 1 to 2147483647,',
    ],
    [{ maxConcurrency: 1000 }, 'delivery.maxConcurrency must be a whole number from 1 to 64, not 1000.'],
    [{ maxQueueBytes: 1 }, 'delivery.maxQueueBytes must be a whole number of bytes from 2097152 up, not 1.'],
    [{ spool: 'never' as 'auto' }, 'delivery.spool must be one of "auto", "always", false, not "never".'],
    [{ spoolDir: ' ' }, 'delivery.spoolDir must be a string that is not blank, not " ".'],
  ])('refuse %j with the cure', (options, message) => {
    expect(() => resolveDeliveryOptions(options, 120_000)).toThrow(message);
  });
});
