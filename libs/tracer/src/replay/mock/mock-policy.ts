import type { SpanType } from '@dacapo/protocol';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import type { OnMockMiss, ReplayMock } from '../../options/replay-options.js';

/** What becomes of a call inside the played one: its function runs, another does in its place, or the recording answers it. */
export type Treatment = 'run' | 'answer' | AnyFunction;

/** Says which functions a replay runs, by the options of the replay and the marks of the functions. */
export class MockPolicy {
  private readonly liveKeys: ReadonlySet<string>;
  private readonly liveTypes: ReadonlySet<SpanType>;

  constructor(
    private readonly mock: ReplayMock,
    private readonly onMockMiss: OnMockMiss | undefined,
    live: readonly (SpanType | { readonly key: string })[] = [],
  ) {
    this.liveKeys = new Set(live.flatMap((what) => (typeof what === 'string' ? [] : [what.key])));
    this.liveTypes = new Set(live.flatMap((what) => (typeof what === 'string' ? [what] : [])));
  }

  treatmentOf({ key, type, mockOnReplay }: SpanDefinition): Treatment {
    const isMarked = mockOnReplay !== false;
    if (this.mock === 'none' || (this.mock === 'marked' && !isMarked)) return 'run';
    // A side effect is let happen by its name alone.
    if (this.liveKeys.has(key) || (this.liveTypes.has(type) && !isMarked)) return 'run';
    return typeof mockOnReplay === 'function' ? mockOnReplay : 'answer';
  }

  /** What becomes of a call that is to be answered, and was not recorded with these arguments. */
  onMissOf({ mockOnReplay }: SpanDefinition): OnMockMiss {
    const given = this.onMockMiss ?? (this.mock === 'all' ? 'fail' : 'recorded');
    return given === 'run' && mockOnReplay !== false ? 'recorded' : given;
  }
}
