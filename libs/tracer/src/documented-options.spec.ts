import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaptureOptions } from './capture/capture-options.js';
import type { DeliveryOptions } from './delivery/delivery-options.js';
import { TRACER_OPTION_NAMES } from './options.js';
import { SPAN_OPTION_NAMES } from './span-options.js';

type Listed<Options> = Record<keyof Options, true>;

/** Types make these complete: an option that is new, or gone, does not compile here. */
const CAPTURE: Listed<CaptureOptions> = {
  input: true,
  output: true,
  maxFieldBytes: true,
  maxDepth: true,
  maxBinaryBytes: true,
  codecs: true,
  redactKeys: true,
  redactPatterns: true,
  redact: true,
  redactionSalt: true,
};
const DELIVERY: Listed<DeliveryOptions> = {
  maxBatchRecords: true,
  maxBatchBytes: true,
  intervalMs: true,
  maxConcurrency: true,
  requestTimeoutMs: true,
  retryMinDelayMs: true,
  retryMaxDelayMs: true,
  shutdownTimeoutMs: true,
  exitTimeoutMs: true,
  compression: true,
  maxQueueBytes: true,
  spool: true,
  spoolDir: true,
  maxSpoolBytes: true,
};

describe('docs/tracer.md', () => {
  /** The names in the first column of each table that begins with `heading`. */
  const tablesUnder = (heading: string): string[][] =>
    readFileSync(join(__dirname, '../../../docs/tracer.md'), 'utf8')
      .split(`| ${heading} | Default |`)
      .slice(1)
      .map((text) =>
        [...(text.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]*`) \|/gm)]
          .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
          .sort(),
      );

  it.each([
    ['Option', [TRACER_OPTION_NAMES, SPAN_OPTION_NAMES]],
    ['`capture.`', [Object.keys(CAPTURE)]],
    ['`delivery.`', [Object.keys(DELIVERY)]],
  ])('lists every %s there is, and no other', (heading, options) => {
    expect(tablesUnder(heading)).toEqual(options.map((names) => [...names].sort()));
  });
});
