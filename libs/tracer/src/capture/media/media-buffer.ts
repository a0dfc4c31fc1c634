import { type ByteString, encodeText } from '../../byte-string.js';

/** Memory limit for bytes whose spans are not written yet. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_TRACES = 100;
/** Bytes that were sent within this time are not sent again. After a deletion, references may lack their bytes for as long. */
const KEPT_BY_SERVICE_MS = 60_000;
const REFERENCE = /"media":\{"id":"([0-9a-f]{64})"/g;

interface MediaTrace {
  readonly traceId: string;
  readonly pending: unknown;
}

interface Entry {
  readonly type: string;
  readonly size: number;
  /** Absent after sending, or if they were dropped to free memory. */
  bytes: Buffer | undefined;
  sentAtMs: number;
  /** The most recent traces for which a record was sent. */
  readonly traces: Set<string>;
}

/** Holds captured media until a span's line references them, and then creates their records. */
export class MediaBuffer {
  /** Whether any media were ever added. */
  isUsed = false;
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(
    private readonly nowMs: () => number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  keep(id: string, type: string, bytes: Buffer): void {
    this.isUsed = true;
    const known = this.entries.get(id);
    const entry = known ?? {
      type,
      size: bytes.length,
      bytes: undefined,
      sentAtMs: -Infinity,
      traces: new Set<string>(),
    };
    // The newest are last.
    this.entries.delete(id);
    this.entries.set(id, entry);
    if (entry.bytes === undefined) {
      entry.bytes = bytes;
      this.bytes += bytes.length;
    }
    this.keepBounds();
  }

  /**
   * Creates the ingest lines for the media that a span's line references: one per trace, with the bytes unless the service received
   * them recently.
   *
   * @param trace `pending`: what it waits for before it is sent, if it is sent at all
   * @param isKept the service does not receive them, so they always bring their bytes
   */
  linesFor({ traceId, pending }: MediaTrace, line: ByteString, isKept = false): ByteString[] {
    if (!line.includes('"media":{"id":"')) return [];
    const lines: ByteString[] = [];
    for (const id of new Set(Array.from(line.matchAll(REFERENCE), ([, found = '']) => found))) {
      const entry = this.entries.get(id);
      if (entry === undefined || entry.traces.has(traceId)) continue;
      const isFresh = !isKept && this.nowMs() - entry.sentAtMs < KEPT_BY_SERVICE_MS;
      lines.push(writeLine(id, traceId, entry, isFresh ? undefined : entry.bytes));
      this.noteTrace(entry, traceId);
      if (pending !== undefined) continue;
      if (!isKept && !isFresh && entry.bytes !== undefined) entry.sentAtMs = this.nowMs();
      this.letGo(entry);
    }
    return lines;
  }

  private noteTrace({ traces }: Entry, traceId: string): void {
    traces.add(traceId);
    const [oldest] = traces;
    if (traces.size > MAX_TRACES && oldest !== undefined) traces.delete(oldest);
  }

  private letGo(entry: Entry): void {
    this.bytes -= entry.bytes?.length ?? 0;
    entry.bytes = undefined;
  }

  private keepBounds(): void {
    for (const [id, entry] of this.entries) {
      if (this.bytes <= this.maxBytes && this.entries.size <= MAX_ENTRIES) return;
      this.letGo(entry);
      if (this.entries.size > MAX_ENTRIES) this.entries.delete(id);
    }
  }
}

function writeLine(
  id: string,
  traceId: string,
  { type, size }: Entry,
  bytes: Buffer | undefined,
): ByteString {
  const data = bytes === undefined ? '' : `,"data":"${bytes.toString('base64')}"`;
  return encodeText(
    `{"media":{"id":"${id}","trace_id":"${traceId}","type":"${type}","size":${size}${data}}}`,
  );
}
