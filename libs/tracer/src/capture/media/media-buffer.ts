import { type ByteString, encodeText } from '../../byte-string.js';

/** Memory for bytes that wait for the lines of their spans. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_TRACES = 100;
/** Within this time the service still has what it received: after a deletion, references may miss their bytes for so long. */
const KEPT_BY_SERVICE_MS = 60_000;
const REFERENCE = /"media":\{"id":"([0-9a-f]{64})"/g;

interface MediaTrace {
  readonly traceId: string;
  readonly pending: unknown;
}

interface Entry {
  readonly type: string;
  readonly size: number;
  /** Absent: sent, or given up for want of memory. */
  bytes: Buffer | undefined;
  sentAtMs: number;
  /** The last traces that were sent with a record of it. */
  readonly traces: Set<string>;
}

/** Holds media from their capture until a line that refers to them is written, and then writes the lines that bring them. */
export class MediaBuffer {
  /** Whether it has held anything yet. */
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
   * Lines of an ingest body for the media that a span's line refers to: one for each trace, with the bytes unless the service just
   * received them.
   *
   * @param trace `pending`: what it waits for before it is sent, if it is sent at all
   */
  linesFor({ traceId, pending }: MediaTrace, line: ByteString): ByteString[] {
    if (!line.includes('"media":{"id":"')) return [];
    const lines: ByteString[] = [];
    for (const id of new Set(Array.from(line.matchAll(REFERENCE), ([, found = '']) => found))) {
      const entry = this.entries.get(id);
      if (entry === undefined || entry.traces.has(traceId)) continue;
      const isFresh = this.nowMs() - entry.sentAtMs < KEPT_BY_SERVICE_MS;
      lines.push(writeLine(id, traceId, entry, isFresh ? undefined : entry.bytes));
      this.noteTrace(entry, traceId);
      if (pending !== undefined) continue;
      if (!isFresh && entry.bytes !== undefined) entry.sentAtMs = this.nowMs();
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
