import type { SpanType } from '@dacapo/protocol';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import type { OnMockMiss, ReplayMock } from '../../options/run-options.js';

/** What becomes of a call inside the played one: its function runs, another does in its place, or the recording answers it. */
export type Treatment = 'run' | 'answer' | AnyFunction;

/** Says which functions a replay runs, by the options of the replay and the marks of the functions. */
export class MockPolicy {
  private readonly live: readonly (SpanType | { readonly key: string })[];

  constructor(
    private readonly mock: ReplayMock,
    private readonly onMockMiss: OnMockMiss | undefined,
    live: readonly (SpanType | { readonly key: string })[] = [],
  ) {
    this.live = [...live];
  }

  chooseTreatment(definition: SpanDefinition): Treatment {
    const { mockOnReplay } = definition;
    const isMarked = mockOnReplay !== false;
    if (this.mock === 'none' || (this.mock === 'marked' && !isMarked)) return 'run';
    if (this.isLive(definition)) return 'run';
    return typeof mockOnReplay === 'function' ? mockOnReplay : 'answer';
  }

  /** Whether the replay names it. A side effect is let happen by its key alone. */
  isLive({ key, type, mockOnReplay }: SpanDefinition): boolean {
    return this.live.some((what) =>
      typeof what === 'string' ? what === type && mockOnReplay === false : what.key === key,
    );
  }

  /** What becomes of a call that is to be answered, and was not recorded with these arguments. */
  chooseOnMiss({ mockOnReplay }: SpanDefinition): OnMockMiss {
    const configured = this.onMockMiss ?? (this.mock === 'all' ? 'fail' : 'recorded');
    return configured === 'run' && mockOnReplay !== false ? 'recorded' : configured;
  }
}
