interface SourceEnd {
  closed(): void;
  failed(error: unknown): void;
}

type AnyReader = ReadableStreamDefaultReader<unknown> | ReadableStreamBYOBReader;

/** Reads a web stream in either way, chunk by chunk or into a buffer that is given, and tells of its end. */
export class SourceReader {
  readonly isOfBytes: boolean;

  private reader: AnyReader;
  private readsInto = false;
  private isReading = false;
  private end: SourceEnd | undefined;

  constructor(private readonly source: ReadableStream<unknown>) {
    this.isOfBytes = isOfBytes(source);
    this.reader = source.getReader();
  }

  /** Calls `end` when the stream ends while nobody reads; a read that is under way tells of it itself. */
  whenIdle(end: SourceEnd): void {
    this.end = end;
    this.watch(this.reader);
  }

  /** The next chunk; with `view`, which is taken over, what fits in it. */
  async read(view?: Uint8Array<ArrayBuffer>): Promise<{ done: boolean; value?: unknown }> {
    this.isReading = true;
    try {
      this.switchTo(view !== undefined);
      return view === undefined
        ? await (this.reader as ReadableStreamDefaultReader<unknown>).read()
        : await (this.reader as ReadableStreamBYOBReader).read(view);
    } finally {
      this.isReading = false;
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
    const whenCurrent = (tell: (end: SourceEnd) => void): void => {
      if (reader !== this.reader || this.isReading || this.end === undefined) return;
      tell(this.end);
      this.end = undefined;
    };
    reader.closed.then(
      () => {
        whenCurrent((end) => {
          end.closed();
        });
      },
      (error: unknown) => {
        whenCurrent((end) => {
          end.failed(error);
        });
      },
    );
  }
}

/** Only a stream of bytes takes a reader that brings its own buffer. */
function isOfBytes(source: ReadableStream<unknown>): boolean {
  try {
    source.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
