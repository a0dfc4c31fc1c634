interface SourceEnd {
  closed(): void;
  failed(error: unknown): void;
}

interface Chunk {
  readonly done: boolean;
  readonly value?: unknown;
}

type AnyReader = ReadableStreamDefaultReader<unknown> | ReadableStreamBYOBReader;

/** Reads a web stream in either way, chunk by chunk or into a buffer that is given, and tells of its end. */
export class SourceReader {
  readonly isByteStream: boolean;

  private reader: AnyReader;
  private readsInto = false;
  private isReading = false;
  private end: SourceEnd | undefined;
  private reportEnd: (() => void) | undefined;

  constructor(private readonly source: ReadableStream<unknown>) {
    this.isByteStream = isByteStream(source);
    this.reader = source.getReader();
  }

  /** Calls `end` when the stream ends while nobody reads; a read that is under way tells of it itself. */
  whenIdle(end: SourceEnd): void {
    this.end = end;
    this.watch(this.reader);
  }

  /**
   * Lets `use` have the next chunk; with `view`, which is taken over, what fits in it. A source that ends with the
   * chunk it gives is heard of after `use`.
   */
  async read(view: Uint8Array<ArrayBuffer> | undefined, use: (result: Chunk) => void): Promise<void> {
    this.isReading = true;
    try {
      this.switchTo(view !== undefined);
      const result =
        view === undefined
          ? await (this.reader as ReadableStreamDefaultReader<unknown>).read()
          : await (this.reader as ReadableStreamBYOBReader).read(view);
      if (result.done) this.end = undefined;
      use(result);
    } finally {
      this.isReading = false;
      this.reportEnd?.();
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.end = undefined;
    return this.reader.cancel(reason);
  }

  private switchTo(readsInto: boolean): void {
    if (readsInto === this.readsInto) return;
    const before = this.reader;
    before.releaseLock();
    this.reader = readsInto ? this.source.getReader({ mode: 'byob' }) : this.source.getReader();
    this.readsInto = readsInto;
    this.watch(this.reader);
  }

  private watch(reader: AnyReader): void {
    const reportTo = (report: (end: SourceEnd) => void): void => {
      if (reader !== this.reader) return;
      this.reportEnd = () => {
        const { end } = this;
        this.end = undefined;
        if (end !== undefined) report(end);
      };
      if (!this.isReading) this.reportEnd();
    };
    reader.closed.then(
      () => {
        reportTo((end) => {
          end.closed();
        });
      },
      (error: unknown) => {
        reportTo((end) => {
          end.failed(error);
        });
      },
    );
  }
}

/** Only a stream of bytes takes a reader that brings its own buffer. */
function isByteStream(source: ReadableStream<unknown>): boolean {
  try {
    source.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
