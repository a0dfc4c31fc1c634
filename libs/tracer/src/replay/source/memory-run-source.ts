import { countAgainstLimits, judgeReport, recordedError } from '@dacapo/evaluation';
import {
  isJsonObject,
  newTraceId,
  type RecordedCallTree,
  type SelectedCall,
  type SpanRecord,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunTotals,
  type Verdict,
} from '@dacapo/protocol';
import { realEpochMs } from '../../context/clock.js';
import { InvalidOptionError } from '../../errors.js';
import { sha256 } from '../../hashing.js';
import { CallNotReplayableError } from '../errors.js';
import { type CallDetails, type PlannedItem, plannedCall, plannedListItem } from '../planned-item.js';
import type {
  ConfirmedRun,
  OpenRun,
  ReceivedItems,
  RunConclusion,
  RunRequest,
  RunSource,
} from './run-source.js';

/**
 * Replays a list, or given calls, without a service. It keeps reports in memory, checks and counts them like the service,
 * and discards them with the run.
 */
export class MemoryRunSource implements RunSource {
  /** @param selected stored calls to replay with their inner calls; overrides the selection */
  constructor(private readonly selected: readonly SelectedCall[] = []) {}

  /** @throws InvalidOptionError for `resume`, because earlier runs are not stored */
  open(request: RunRequest): Promise<OpenRun> {
    if (request.resume !== undefined)
      return Promise.reject(
        new InvalidOptionError(
          'resume',
          'names an earlier run, but runs in memory are not stored',
          'Remove it, or pass the tracer an apiKey to store runs.',
        ),
      );
    if (request.data.kind === 'run')
      return Promise.reject(
        new InvalidOptionError(
          'rescore',
          'scores the outcomes of a stored run, but this tracer stores none',
          'Pass the tracer an apiKey.',
        ),
      );
    return Promise.resolve(new MemoryRun(request, this.selected));
  }

  /** Only the service has prices. */
  costs(usages: readonly unknown[]): Promise<readonly null[]> {
    return Promise.resolve(usages.map(() => null));
  }

  /** Earlier runs are not stored. */
  baselineScores(): Promise<readonly never[]> {
    return Promise.resolve([]);
  }
}

class MemoryRun implements OpenRun {
  readonly id = newTraceId(realEpochMs());
  readonly url = '';
  readonly itemCount: number;
  readonly skipped = {};
  readonly isUnknownKey = false;
  readonly similarKey = undefined;
  readonly replayedBefore = 0;
  private readonly received = new Map<string, TestRunItemRecord>();

  constructor(
    private readonly request: RunRequest,
    private readonly selected: readonly SelectedCall[],
  ) {
    const { data } = request;
    this.itemCount = data.kind === 'list' ? data.items.length : selected.length;
  }

  async *earlierItems(): AsyncGenerator<never> {}

  async *earlierRecords(): AsyncGenerator<never> {}

  *calls(): Generator<PlannedItem> {
    const { data } = this.request;
    if (data.kind === 'list')
      for (const [itemNo, item] of data.items.entries()) yield plannedListItem(item, itemNo);
    else for (const call of this.selected) yield plannedCall(call, GIVEN_DETAILS);
  }

  report(item: TestRunItemReport): void {
    const source = this.selected.find(({ item_no }) => item_no === item.item_no)?.call;
    this.received.set(
      `${item.item_no}/${item.repetition ?? 0}`,
      judgeReport(item, source && toSpanFields(source), { sha256 }),
    );
  }

  settle(): Promise<ReceivedItems> {
    return Promise.resolve({ totals: countItems([...this.received.values()]), lost: [], unreported: 0 });
  }

  finish({ summary }: RunConclusion): Promise<ConfirmedRun> {
    const { passed, gate } = summary;
    if (typeof passed !== 'boolean') return Promise.resolve({ summary });
    const totals = countItems([...this.received.values()]);
    const expected = this.itemCount * this.request.repeat;
    const { beyond } = countAgainstLimits(isJsonObject(gate) ? gate : {}, totals, expected);
    return Promise.resolve(passed && beyond.length > 0 ? { summary, undecided: true } : { summary, passed });
  }
}

/** Given calls come with all their facts. */
const GIVEN_DETAILS: CallDetails = {
  descendants: ({ span_id, descendants, descendants_cursor }) =>
    descendants === undefined || descendants_cursor !== undefined
      ? Promise.reject(
          new CallNotReplayableError(span_id, {
            problem: 'some of its inner calls are missing',
            cure: 'Read the call with all of its descendants.',
          }),
        )
      : Promise.resolve(descendants),
  trace: () => Promise.resolve({}),
};

function toSpanFields(call: RecordedCallTree): Pick<SpanRecord, 'status' | 'duration_ms' | 'span_data'> {
  const { status, duration_ms, input, output, meta } = call;
  const error = recordedError(call);
  return {
    status,
    ...(duration_ms !== undefined && { duration_ms }),
    span_data: {
      ...(input && { input }),
      ...(output !== undefined && { output }),
      ...(error && { error }),
      ...(meta && { meta }),
    },
  };
}

/** Counts like the service: every repetition, and flaky items once. */
function countItems(items: readonly TestRunItemRecord[]): TestRunTotals {
  const count = (isCounted: (item: TestRunItemRecord) => unknown): number => items.filter(isCounted).length;
  const verdicts = new Map<number, Set<Verdict>>();
  for (const { item_no, verdict } of items)
    verdicts.set(item_no, (verdicts.get(item_no) ?? new Set()).add(verdict));
  return {
    items: items.length,
    same: count(({ verdict }) => verdict === 'same'),
    changed: count(({ verdict }) => verdict === 'changed'),
    unknown: count(({ verdict }) => verdict === 'unknown'),
    error: count(({ verdict }) => verdict === 'error'),
    new_errors: count(({ new_error: isNew }) => isNew),
    fixed: count(({ fixed }) => fixed),
    failing_as_before: count(({ failing_as_before }) => failing_as_before),
    accepted: count(({ accepted }) => accepted),
    diverged: count(({ divergences = [], divergence_count = divergences.length }) => divergence_count > 0),
    flaky: [...verdicts.values()].filter(({ size }) => size > 1).length,
  };
}
