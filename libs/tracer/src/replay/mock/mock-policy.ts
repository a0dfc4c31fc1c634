import type { SpanType } from '@dacapo/protocol';
import type { AnyFunction, SpanDefinition } from '../../recording/span-definition.js';
import type { OnMockMiss, ReplayMock } from '../../options/run-options.js';

/** What happens to an inner call: its function runs, another function runs instead, or the recording answers it. */
export type Treatment = 'run' | 'answer' | AnyFunction;

/** Decides which functions a replay runs, by the replay's options and the functions' marks. */
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

  /** Whether `live` includes it. A side effect runs only if its key is named. */
  isLive({ key, type, mockOnReplay }: SpanDefinition): boolean {
    return this.live.some((what) =>
      typeof what === 'string' ? what === type && mockOnReplay === false : what.key === key,
    );
  }

  /** What happens to a mocked call without a recording for its arguments. */
  chooseOnMiss({ mockOnReplay }: SpanDefinition): OnMockMiss {
    const configured = this.onMockMiss ?? (this.mock === 'all' ? 'fail' : 'recorded');
    return configured === 'run' && mockOnReplay !== false ? 'recorded' : configured;
  }
}
