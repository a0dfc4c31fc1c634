import { newTraceId } from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { type BufferPool, LineBuffer } from './line-buffer.js';

/** A batch's file. Its name is the batch id and `SPOOL_SUFFIX`. */
export interface SpoolFile {
  readonly path: string;
  /** Size on disk. */
  bytes: number;
  /** Bytes of the batch's content in it. */
  savedLength: number;
  /** Open while more records may be written. */
  descriptor: number | undefined;
}

/**
 * Records that travel together under one id, in memory, in a spool file, or in both.
 *
 * The id stays through retries, files and the next process, so that the service stores a batch once. It is a UUID of
 * version 7: names of spool files sort by age.
 */
export class Batch {
  /** Place in the order of sealing; the parts of a batch share it. */
  sequence = 0;
  attempts = 0;
  /** The earliest time of the next attempt. */
  readyAtMs = 0;
  inFlight = false;
  /** When it was created, on the monotonic clock, because the wall clock may jump. */
  begunAtMs = 0;
  /** Counted refusals: another batch was stored since the previous one. A part starts with one if its whole had any. */
  refusals = 0;
  /** Number of batches that the service had stored at the last refusal of this one or its whole; absent before. */
  refusedAtStored: number | undefined;
  /** It comes from an ended process, perhaps because the service refused it. */
  isAdopted = false;
  file: SpoolFile | undefined;
  private storedRecords = 0;

  private constructor(
    readonly id: string,
    public content: LineBuffer | undefined,
  ) {}

  static open(bytes: Buffer): Batch {
    return new Batch(newTraceId(realEpochMs()), new LineBuffer(bytes));
  }

  /** A batch of an ended process, whose content is only in `file`. */
  static stored(id: string, file: SpoolFile, records: number): Batch {
    const batch = new Batch(id, undefined);
    batch.isAdopted = true;
    batch.file = file;
    batch.storedRecords = records;
    return batch;
  }

  /** Part of another batch. The same parts of the same batch get the same ids in any process. */
  static part(whole: Batch, suffix: string, lines: readonly Buffer[]): Batch {
    const content = new LineBuffer(Buffer.concat(lines));
    content.length = content.bytes.length;
    content.lines = lines.length;
    const part = new Batch(`${whole.id}${suffix}`, content);
    part.sequence = whole.sequence;
    part.begunAtMs = whole.begunAtMs;
    // Refusals of the whole prove only that something in it is refused: each part must be refused itself.
    part.refusals = Math.min(whole.refusals, 1);
    part.refusedAtStored = whole.refusedAtStored;
    return part;
  }

  /** The same content under a new id and without a file: another process has taken the file and the id. */
  static renewed(batch: Batch): Batch {
    const renewed = new Batch(newTraceId(realEpochMs()), batch.content);
    renewed.begunAtMs = batch.begunAtMs;
    return renewed;
  }

  /** Whether this process made the batch and neither it nor its whole was refused. */
  get isFresh(): boolean {
    return this.refusedAtStored === undefined && !this.isAdopted;
  }

  /** Whether this batch itself was refused, not only its whole. */
  get wasRefused(): boolean {
    return this.refusedAtStored !== undefined && this.attempts > 0;
  }

  get records(): number {
    return this.content?.lines ?? this.storedRecords;
  }

  /** Memory that this batch occupies, in bytes. */
  get memoryBytes(): number {
    return this.content?.bytes.length ?? 0;
  }

  /** Whether a file holds all records. */
  get isStored(): boolean {
    return (
      this.file !== undefined && (this.content === undefined || this.file.savedLength === this.content.length)
    );
  }

  /** Whether the content fills little of its block. */
  get isLoose(): boolean {
    return this.content !== undefined && this.content.length < this.content.bytes.length * 0.75;
  }

  /** Moves the content to a block of its exact size. */
  trim(pool: BufferPool): void {
    const { content } = this;
    if (content === undefined) return;
    const trimmed = new LineBuffer(Buffer.allocUnsafeSlow(content.length));
    content.view().copy(trimmed.bytes);
    trimmed.length = content.length;
    trimmed.lines = content.lines;
    this.content = trimmed;
    pool.give(content.bytes);
  }

  /** Some records in the file cannot be read any longer. */
  shrinkTo(records: number): void {
    this.storedRecords = records;
  }

  /** Releases the memory; a file, if any, keeps the records. */
  release(pool?: BufferPool): void {
    if (this.content === undefined) return;
    this.storedRecords = this.content.lines;
    pool?.give(this.content.bytes);
    this.content = undefined;
  }
}
