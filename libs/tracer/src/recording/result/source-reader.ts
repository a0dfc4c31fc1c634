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
  readonly isOfBytes: boolean;

  private reader: AnyReader;
  private readsInto = false;
  private isReading = false;
  private end: SourceEnd | undefined;
  private tellEnd: (() => void) | undefined;

  constructor(private readonly source: ReadableStream<unknown>) {
    this.isOfBytes = isOfBytes(source);
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
      this.tellEnd?.();
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
    const tellOf = (tell: (end: SourceEnd) => void): void => {
      if (reader !== this.reader) return;
      this.tellEnd = () => {
        const { end } = this;
        this.end = undefined;
        if (end !== undefined) tell(end);
      };
      if (!this.isReading) this.tellEnd();
    };
    reader.closed.then(
      () => {
        tellOf((end) => {
          end.closed();
        });
      },
      (error: unknown) => {
        tellOf((end) => {
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
