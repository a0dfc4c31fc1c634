import type { RunningCollector } from '@dacapo/collector';
import { judgeStored, readCandidateOutcome, readBaselineOutcome } from '@dacapo/evaluation';
import {
  type JsonObject,
  type Page,
  type RunComparison,
  type TestRunItemRecord,
  type TestRunRecord,
} from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import type { ReplayItem, RunBaseline, Tracer } from '@dacapo/tracer';
import { createHash } from 'node:crypto';
import { consume } from './courses.js';

export const CAPTURES = ['whole', 'mapped', 'withheld'] as const;
export type Capture = (typeof CAPTURES)[number];
const CAPTURE_OUTPUT = {
  whole: true,
  mapped: (output: unknown) => ({ seen: output }),
  withheld: false,
} as const;

export type Answer = 'same' | 'changed' | 'fixed' | 'unknown' | 'error' | 'new error';

/** Two versions of a call. */
export interface TwoVersions {
  readonly before: () => unknown;
  readonly now: () => unknown;
  /** The consumer of the recorded call stops before this item. A replay cannot do that. */
  readonly stopsAt?: number | undefined;
}

/** The result of each door for one pair. `runs` compares two runs and only returns `different`. */
export type Answers = Partial<Record<Door, Answer | 'different' | 'missing'>>;

/** The places in the code that compare two outcomes. */
type Door =
  'recording' | 'self' | 'testRun' | 'function' | 'accepted' | 'service' | 'stored' | 'rescored' | 'runs';

const RELATIONS: Record<
  RunComparison['items'][number]['relation'],
  'same' | 'unknown' | 'different' | 'missing'
> = {
  same_outcome: 'same',
  judged_otherwise: 'same',
  unknown: 'unknown',
  improved: 'different',
  regressed: 'different',
  other_outcome: 'different',
  only_here: 'missing',
  only_there: 'missing',
};

const ALL = 100_000;

/** Records calls and compares them with their other version in every possible way. */
export class Doors {
  constructor(
    private readonly collector: RunningCollector,
    private readonly tracer: Tracer,
  ) {}

  /** @returns the answers for each pair, in order */
  async compare(key: string, capture: Capture, pairs: readonly TwoVersions[]): Promise<Answers[]> {
    const versions = new Versions(pairs);
    const options = { captureOutput: CAPTURE_OUTPUT[capture] };
    const fn = this.tracer.withSpan(key, options, (index: number) => versions.call(index));
    const previous = this.tracer.withSpan(key, options, (index: number) => pairs[index]!.before());
    await this.record(fn, pairs);

    const replay = async (side: Side, baseline?: RunBaseline) => {
      versions.start(side);
      const run = await this.tracer.replay(key, fn, {
        limit: ALL,
        ...(baseline !== undefined && { baseline }),
      });
      return { id: run.testRunId, items: byIndex(run.items) };
    };
    const earlier = await replay('before');
    const earlierRecords = await this.readRecords(earlier.id);
    for (const { item_no: itemNo, input } of earlierRecords)
      versions.itemNumbers.set(Number(input![0]), itemNo);
    const recording = await replay('now');
    const doors = {
      recording: recording.items,
      self: (await replay('both', 'self')).items,
      testRun: (await replay('now', { testRunId: earlier.id })).items,
      function: (await replay('now', { function: previous })).items,
      accepted: new Map<number, ReplayItem>(),
      rescored: byIndex((await this.tracer.rescore(recording.id, { evaluators: { one: () => 1 } })).items),
    };
    for (const { item_no } of earlierRecords)
      await this.request(routePath(API.testRuns.accept, { id: earlier.id, item_no: String(item_no) }), {});
    doors.accepted = (await replay('now', 'accepted')).items;

    const records = await this.readRecords(recording.id);
    const byService = new Map((await this.judgedByService(key, records)).map((item) => [item.item_no, item]));
    const relations = await this.relations(recording.id, earlier.id);
    const byRecord = new Map(records.map((record) => [Number(record.input![0]), record]));
    return pairs.map(({ stopsAt }, index): Answers => {
      const record = byRecord.get(index);
      if (record === undefined) return {};
      const stored = judgeStored(readBaselineOutcome(record), readCandidateOutcome(record), { sha256 });
      const answers: Answers = {
        service: toAnswerFromRecord(byService.get(record.item_no)!),
        stored: toAnswer(stored),
        runs: RELATIONS[relations.get(record.item_no) ?? 'only_here'],
      };
      for (const [door, items] of Object.entries(doors)) {
        const item = items.get(index);
        answers[door as Door] = item === undefined ? 'missing' : toAnswer(item);
      }
      if (stopsAt === undefined) return answers;
      const { recording: ofRecording, service, stored: ofStored } = answers;
      return { recording: ofRecording!, service: service!, stored: ofStored! };
    });
  }

  private async record(fn: (index: number) => unknown, pairs: readonly TwoVersions[]): Promise<void> {
    for (const [index, { stopsAt }] of pairs.entries()) {
      try {
        await consume(fn(index), stopsAt);
      } catch {
        // The trace records the failure.
      }
      if (index % 200 === 199) await this.tracer.flush();
    }
    await this.tracer.flush();
  }

  /** The service's verdicts for the same outcomes, reported without a verdict. */
  private async judgedByService(
    key: string,
    records: readonly TestRunItemRecord[],
  ): Promise<TestRunItemRecord[]> {
    const { id } = await this.request<TestRunRecord>(API.testRuns.create.path, { trace_function_key: key });
    for (let from = 0; from < records.length; from += 50) {
      const items = records.slice(from, from + 50).map((record) => {
        const { item_no, source_trace_id, source_span_id, result, error, meta } = record;
        return { item_no, source_trace_id, source_span_id, result, error, meta };
      });
      const path = routePath(API.testRuns.report, { id });
      await this.request(path, { items: items as unknown as JsonObject[] });
    }
    return this.readRecords(id);
  }

  private async relations(
    here: string,
    there: string,
  ): Promise<Map<number, RunComparison['items'][number]['relation']>> {
    const path = `${routePath(API.testRuns.compare, { id: here })}?with=${there}&limit=200`;
    const items = await this.pages<RunComparison['items'][number]>(path);
    return new Map(items.flatMap((item) => (item.here ? [[item.here.item_no, item.relation] as const] : [])));
  }

  private readRecords(id: string): Promise<TestRunItemRecord[]> {
    return this.pages(`${routePath(API.testRuns.report, { id })}?payloads=true&limit=200`);
  }

  private async pages<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | undefined;
    do {
      const page: Page<T> = await this.request(cursor === undefined ? path : `${path}&cursor=${cursor}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return items;
  }

  /** Allows 409: the service rejects the acceptance of an incomplete outcome, and replays compare with the recording. */
  private async request<T>(path: string, body?: JsonObject): Promise<T> {
    const headers = { 'API-Key': this.collector.apiKey!, 'content-type': 'application/json' };
    const post = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(new URL(path, this.collector.url), { headers, ...post });
    if (!answer.ok && answer.status !== 409) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }
}

type Side = 'before' | 'now' | 'both';

/** Which version of a call runs. */
class Versions {
  /** By index of the pair, once known. */
  readonly itemNumbers = new Map<number, number>();
  private side: Side = 'before';
  private readonly begun = new Set<number>();

  constructor(private readonly pairs: readonly TwoVersions[]) {}

  start(side: Side): void {
    this.side = side;
    this.begun.clear();
  }

  call(index: number): unknown {
    const { before, now } = this.pairs[index]!;
    const isSecond = this.begun.has(index);
    this.begun.add(index);
    // Alternates which version of a call comes first.
    const isBaselineFirst = (this.itemNumbers.get(index) ?? 0) % 2 === 0;
    const isBaseline = this.side === 'before' || (this.side === 'both' && isSecond !== isBaselineFirst);
    return isBaseline ? before() : now();
  }
}

function byIndex(items: readonly ReplayItem[]): Map<number, ReplayItem> {
  return new Map(items.map((item) => [Number(item.input[0]), item]));
}

function toAnswer({ verdict, newError, fixed }: Pick<ReplayItem, 'verdict' | 'newError' | 'fixed'>): Answer {
  if (verdict === 'error' && newError) return 'new error';
  return verdict === 'changed' && fixed ? 'fixed' : verdict;
}

function toAnswerFromRecord({ verdict, new_error, fixed }: TestRunItemRecord): Answer {
  return toAnswer({ verdict, ...(new_error && { newError: true }), ...(fixed && { fixed: true }) });
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
