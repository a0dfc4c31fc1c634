import {
  type Check,
  type Difference,
  type Interval,
  type MeasureSummary,
  readChecks,
  type RepeatSummary,
  type RunReport,
  type RunSummary,
  type ScoreSummary,
  USAGE_MEASURES,
} from '@dacapo/evaluation';
import { isJsonObject, type JsonObject, type JsonValue, type NormalizedCalls } from '@dacapo/protocol';

/** The known parts of the summary that the client stored with a finished run. */
export interface RunFigures {
  /** Absent without a gate. */
  passed?: boolean;
  failures: string[];
  /** Empty for runs of earlier versions. */
  checks: Check[];
  gate?: JsonObject;
  /** Confidence level of all intervals, such as 0.95. */
  confidence: number;
  scores: [name: string, score: ShownScore][];
  /** Warnings of the client, such as rejected items. */
  warnings: string[];
  /** Differences that passed the gate and may need attention. */
  notes: string[];
  /** Inner calls that ran live or matched after normalizing. */
  inside: Pick<RunReport, 'ranLive' | 'normalized'>;
  measures: [name: MeasureName, measured: MeasureSummary][];
  /** Items without a measure whose baseline has it. */
  unmeasured: Partial<Record<MeasureName, number>>;
  repeats: [name: string, repeats: RepeatSummary][];
  /** Replayed items that were not stored when the run ended. */
  unstored: number;
}

/** `worse` may be cut, `worseCount` is complete. */
export type ShownScore = ScoreSummary & { worseCount: number };

export type MeasureName = 'durations' | keyof RunSummary['usage'];

/** Reads a summary, which the service stores without validation. Drops malformed figures. `undefined` without a summary. */
export function readSummary(summary: JsonObject | undefined): RunFigures | undefined {
  if (summary === undefined) return undefined;
  const { passed, failures, gate, confidence, scores, durations, usage, repeats } = summary;
  const measured = [
    ['durations', readMeasure(durations)] as const,
    ...(['tokens', ...USAGE_MEASURES] as const).map(
      (name) => [name, readMeasure(getField(usage, name))] as const,
    ),
  ];
  return {
    ...(typeof passed === 'boolean' && { passed }),
    failures: readTexts(failures),
    warnings: readTexts(summary['warnings']),
    notes: readTexts(summary['notes']),
    checks: readChecks(summary['checks']),
    inside: {
      ranLive: Object.fromEntries(readEntries(summary['ranLive'], readNumber)),
      normalized: readList(summary['normalized']).flatMap(readNormalized),
    },
    unmeasured: readUnmeasured(summary['unmeasured']),
    ...(isJsonObject(gate) && { gate }),
    confidence: readNumber(confidence) ?? 0.95,
    scores: readEntries(scores, readScore),
    measures: measured.flatMap(([name, one]): RunFigures['measures'] => (one ? [[name, one]] : [])),
    repeats: [
      ...readEntries({ same: getField(repeats, 'same') ?? null }, readRepeats),
      ...readEntries(getField(repeats, 'scores'), readRepeats),
    ],
    unstored: Math.max(0, readNumber(getField(summary['totals'], 'unstored')) ?? 0),
  };
}

function readNormalized(normalized: JsonValue): NormalizedCalls[] {
  const [key, calls] = [getField(normalized, 'key'), readNumber(getField(normalized, 'calls'))];
  if (typeof key !== 'string' || calls === undefined) return [];
  return [{ key, calls, ambiguous: readNumber(getField(normalized, 'ambiguous')) ?? 0 }];
}

function readUnmeasured(unmeasured: JsonValue | undefined): RunFigures['unmeasured'] {
  const readCount = (name: string) => readNumber(getField(getField(unmeasured, name), 'items')) ?? 0;
  return { durations: readCount('durationMs'), tokens: readCount('tokens'), costUsd: readCount('costUsd') };
}

function readScore(score: JsonValue): ShownScore | undefined {
  if (!isJsonObject(score)) return undefined;
  const { mean, n, notApplicable, missing, better, worse, labels } = score;
  const [interval, delta] = [readInterval(score['interval']), readDifference(score['delta'])];
  const counts = readEntries(labels, readNumber);
  const [lost, reused] = [readNumber(score['lost']) ?? 0, readNumber(score['reused']) ?? 0];
  const ids = readTexts(worse);
  return {
    mean: readNumber(mean) ?? null,
    n: readNumber(n) ?? 0,
    notApplicable: readNumber(notApplicable) ?? 0,
    missing: readNumber(missing) ?? 0,
    better: readNumber(better) ?? 0,
    ...(lost > 0 && { lost }),
    ...(reused > 0 && { reused }),
    worse: ids,
    worseCount: readNumber(score['worseCount']) ?? ids.length,
    ...(interval && { interval }),
    ...(delta && { delta }),
    ...(counts.length > 0 && { labels: Object.fromEntries(counts) }),
  };
}

function readMeasure(measured: JsonValue | undefined): MeasureSummary | undefined {
  const [n, total, mean, p95] = ['n', 'total', 'mean', 'p95'].map((name) =>
    readNumber(getField(measured, name)),
  );
  if (n === undefined || total === undefined || mean === undefined || p95 === undefined) return undefined;
  const delta = readDifference(getField(measured, 'delta'));
  const p95Delta = readDifference(getField(measured, 'p95Delta'));
  return { n, total, mean, p95, ...(delta && { delta }), ...(p95Delta && { p95Delta }) };
}

function readRepeats(repeats: JsonValue): RepeatSummary | undefined {
  const [k, items, passAtK, passHatK, flaky] = ['k', 'items', 'passAtK', 'passHatK', 'flaky'].map((name) =>
    readNumber(getField(repeats, name)),
  );
  const flakyInterval = readInterval(getField(repeats, 'flakyInterval'));
  if (k === undefined || passAtK === undefined || passHatK === undefined || !flakyInterval) return undefined;
  return { k, items: items ?? 0, passAtK, passHatK, flaky: flaky ?? 0, flakyInterval };
}

/** Runs of earlier versions store neither the number of compared sessions nor the allowed change. */
function readDifference(difference: JsonValue | undefined): Difference | undefined {
  const [mean, p, n = 0, units = n, smallestP = 1, allowed] = [
    'mean',
    'p',
    'n',
    'units',
    'smallestP',
    'allowed',
  ].map((name) => readNumber(getField(difference, name)));
  if (mean === undefined || p === undefined) return undefined;
  const interval = readInterval(getField(difference, 'interval'));
  return {
    mean,
    p,
    n,
    units,
    smallestP,
    ...(interval && { interval }),
    ...(allowed !== undefined && { allowed }),
    ...(getField(difference, 'exact') === true && { exact: true }),
  };
}

function readInterval(interval: JsonValue | undefined): Interval | undefined {
  const [low, high] = [readNumber(getField(interval, 'low')), readNumber(getField(interval, 'high'))];
  return low === undefined || high === undefined ? undefined : { low, high };
}

function readEntries<T>(
  entries: JsonValue | undefined,
  read: (entry: JsonValue) => T | undefined,
): [string, T][] {
  if (!isJsonObject(entries)) return [];
  return Object.entries(entries).flatMap(([name, entry]): [string, T][] => {
    const known = read(entry);
    return known === undefined ? [] : [[name, known]];
  });
}

function readTexts(list: JsonValue | undefined): string[] {
  return readList(list).filter((text) => typeof text === 'string');
}

function readList(list: JsonValue | undefined): JsonValue[] {
  return Array.isArray(list) ? list : [];
}

function readNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function getField(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
