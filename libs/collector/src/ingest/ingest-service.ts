import {
  formatTimestamp,
  type IngestAnswer,
  type Line,
  LIMITS,
  parseIngestLine,
  type Rejection,
  type ScoreRecord,
  type SpanRecord,
  splitLines,
  type TraceRecord,
} from '@dacapo/protocol';
import { Injectable, PayloadTooLargeException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { SpanStore } from '../storage/span-store.js';
import { setImmediate } from 'node:timers/promises';

@Injectable()
export class IngestService {
  constructor(
    private readonly store: SpanStore,
    private readonly clock: Clock,
  ) {}

  /** Stores the good lines of an NDJSON body; resolves after they are committed. */
  async ingest(accountId: string, body: string, batchId: string | undefined): Promise<IngestAnswer> {
    const { spans, traces, scores, rejected } = await readBatch(body);
    const { duplicate } = await this.store.ingest(accountId, {
      ...(batchId !== undefined && { batchId }),
      spans,
      traces,
      scores,
      receivedAt: formatTimestamp(this.clock.nowUs()),
    });
    return {
      accepted: spans.length + traces.length + scores.length,
      rejected,
      ...(duplicate && { duplicate }),
    };
  }
}

/** Characters parsed in one go; other requests have their turn in between. */
const CHARACTERS_IN_A_TURN = 512 * 1024;

interface ReadBatch {
  spans: SpanRecord[];
  traces: TraceRecord[];
  scores: ScoreRecord[];
  rejected: Rejection[];
}

/**
 * Reads an ingest body. A bad line is rejected alone.
 *
 * @throws PayloadTooLargeException when it has more than `LIMITS.bodyLines` lines
 */
async function readBatch(body: string): Promise<ReadBatch> {
  const batch: ReadBatch = { spans: [], traces: [], scores: [], rejected: [] };
  let characters = 0;
  let lines = 0;
  for (const line of splitLines(body)) {
    if (++lines > LIMITS.bodyLines) {
      throw new PayloadTooLargeException(
        `The body has more than ${LIMITS.bodyLines} lines. Send it in smaller batches.`,
      );
    }
    characters += line.text.length;
    if (characters > CHARACTERS_IN_A_TURN) {
      characters = 0;
      await setImmediate();
    }
    addLine(batch, line);
  }
  return batch;
}

function addLine(batch: ReadBatch, line: Line): void {
  if (isTooLong(line.text)) {
    const detail = `line ${line.number}: has more than ${LIMITS.lineBytes} bytes`;
    batch.rejected.push({ line: line.number, detail });
    return;
  }
  const parsed = parseIngestLine(line);
  if ('span' in parsed) batch.spans.push(parsed.span);
  else if ('trace' in parsed) batch.traces.push(parsed.trace);
  else if ('score' in parsed) batch.scores.push(parsed.score);
  else batch.rejected.push(parsed.rejection);
}

function isTooLong(text: string): boolean {
  return text.length > LIMITS.lineBytes / 3 && Buffer.byteLength(text) > LIMITS.lineBytes;
}
