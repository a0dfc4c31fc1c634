import { FrameError } from './span-frame.js';

/** Memory of each value in a copy. Most values are texts, which copies share. */
const COPIED_VALUE_BYTES = 16;

/** A resource or a scope. It is decoded once for all of its spans. An invalid one counts as empty, so that its spans are stored. */
export class SourcePart<Content extends Uint8Array | string, Value> {
  /** Set when the walk over the body reaches it, perhaps after its spans. */
  content: Content | undefined;
  private known: number | undefined;
  private decoded: Value | undefined;

  /**
   * @param count throws FrameError when the content exceeds a limit
   * @param decode throws FrameError when the content is invalid
   */
  constructor(
    private readonly count: (content: Content) => number,
    private readonly decode: (content: Content) => Value,
    private readonly empty: Value,
  ) {}

  get byteLength(): number {
    return this.content?.length ?? 0;
  }

  /** The memory of a copy, which each stored span has. */
  get weight(): number {
    return (this.known ??= this.byteLength + COPIED_VALUE_BYTES * (this.attempt(this.count) ?? 0));
  }

  get value(): Value {
    return (this.decoded ??=
      this.attempt((content) => {
        this.count(content);
        return this.decode(content);
      }) ?? this.empty);
  }

  private attempt<Result>(read: (content: Content) => Result): Result | undefined {
    if (this.content === undefined) return undefined;
    try {
      return read(this.content);
    } catch (error) {
      if (error instanceof FrameError) return undefined;
      throw error;
    }
  }
}
