import {
  type Check,
  type Difference,
  type Interval,
  type MeasureSummary,
  type RepeatSummary,
  type RunReport,
  type RunSummary,
  type ScoreSummary,
  USAGE_MEASURES,
} from '@dacapo/evaluation';
import { isJsonObject, type JsonObject, type JsonValue, type NormalizedCalls } from '@dacapo/protocol';

/** What the reporter of a run said of it at the end, as far as it is of the known form. */
export interface RunFigures {
  /** Absent without a gate. */
  passed?: boolean;
  failures: string[];
  /** Absent from runs of earlier versions. */
  checks: Check[];
  gate?: JsonObject;
  /** Of all intervals, such as 0.95. */
  confidence: number;
  scores: [name: string, score: ShownScore][];
  /** What else its reporter has to say, such as items that were refused. */
  warnings: string[];
  /** What the gate let pass and could not tell well. */
  notes: string[];
  /** What happened inside the calls. */
  inside: Pick<RunReport, 'ranLive' | 'normalized'>;
  measures: [name: MeasureName, measured: MeasureSummary][];
  /** Items of which a measure is not known, though their baseline has it. */
  unmeasured: Partial<Record<MeasureName, number>>;
  repeats: [name: string, repeats: RepeatSummary][];
  /** Replayed items that the service had not stored when the run ended. */
  unstored: number;
}

/** `worse` may be cut. */
export type ShownScore = ScoreSummary & { worseCount: number };

export type MeasureName = 'durations' | keyof RunSummary['usage'];

/** The service keeps a summary as it came: each figure that is not of its form is left out. Nothing of a run without one. */
export function readSummary(summary: JsonObject | undefined): RunFigures | undefined {
  if (summary === undefined) return undefined;
  const { passed, failures, gate, confidence, scores, durations, usage, repeats } = summary;
  const measured = [
    ['durations', readMeasure(durations)] as const,
    ...(['tokens', ...USAGE_MEASURES] as const).map(
      (name) => [name, readMeasure(fieldOf(usage, name))] as const,
    ),
  ];
  return {
    ...(typeof passed === 'boolean' && { passed }),
    failures: textsOf(failures),
    warnings: textsOf(summary['warnings']),
    notes: textsOf(summary['notes']),
    checks: itemsOf(summary['checks']).flatMap(readCheck),
    inside: {
      ranLive: Object.fromEntries(readEntries(summary['ranLive'], numberOf)),
      normalized: itemsOf(summary['normalized']).flatMap(readNormalized),
    },
    unmeasured: readUnmeasured(summary['unmeasured']),
    ...(isJsonObject(gate) && { gate }),
    confidence: numberOf(confidence) ?? 0.95,
    scores: readEntries(scores, readScore),
    measures: measured.flatMap(([name, one]): RunFigures['measures'] => (one ? [[name, one]] : [])),
    repeats: [
      ...readEntries({ same: fieldOf(repeats, 'same') ?? null }, readRepeats),
      ...readEntries(fieldOf(repeats, 'scores'), readRepeats),
    ],
    unstored: Math.max(0, numberOf(fieldOf(summary['totals'], 'unstored')) ?? 0),
  };
}

function readCheck(check: JsonValue): Check[] {
  const [name, limit, measured] = ['name', 'limit', 'measured'].map((part) => fieldOf(check, part));
  const passed = fieldOf(check, 'passed');
  if (typeof name !== 'string' || typeof limit !== 'string' || typeof measured !== 'string') return [];
  if (typeof passed !== 'boolean') return [];
  const [score, min] = [fieldOf(check, 'score'), numberOf(fieldOf(check, 'min'))];
  return [
    {
      ...{ name, limit, measured, passed, failures: textsOf(fieldOf(check, 'failures')) },
      ...(typeof score === 'string' && { score }),
      ...(min !== undefined && { min }),
    },
  ];
}

function readNormalized(normalized: JsonValue): NormalizedCalls[] {
  const [key, calls] = [fieldOf(normalized, 'key'), numberOf(fieldOf(normalized, 'calls'))];
  if (typeof key !== 'string' || calls === undefined) return [];
  return [{ key, calls, ambiguous: numberOf(fieldOf(normalized, 'ambiguous')) ?? 0 }];
}

function readUnmeasured(unmeasured: JsonValue | undefined): RunFigures['unmeasured'] {
  const countOf = (name: string) => numberOf(fieldOf(fieldOf(unmeasured, name), 'items')) ?? 0;
  return { durations: countOf('durationMs'), tokens: countOf('tokens'), costUsd: countOf('costUsd') };
}

function readScore(score: JsonValue): ShownScore | undefined {
  if (!isJsonObject(score)) return undefined;
  const { mean, n, notApplicable, missing, better, worse, labels } = score;
  const [interval, delta] = [readInterval(score['interval']), readDifference(score['delta'])];
  const counts = readEntries(labels, numberOf);
  const [lost, reused] = [numberOf(score['lost']) ?? 0, numberOf(score['reused']) ?? 0];
  const ids = textsOf(worse);
  return {
    mean: numberOf(mean) ?? null,
    n: numberOf(n) ?? 0,
    notApplicable: numberOf(notApplicable) ?? 0,
    missing: numberOf(missing) ?? 0,
    better: numberOf(better) ?? 0,
    ...(lost > 0 && { lost }),
    ...(reused > 0 && { reused }),
    worse: ids,
    worseCount: numberOf(score['worseCount']) ?? ids.length,
    ...(interval && { interval }),
    ...(delta && { delta }),
    ...(counts.length > 0 && { labels: Object.fromEntries(counts) }),
  };
}

function readMeasure(measured: JsonValue | undefined): MeasureSummary | undefined {
  const [n, total, mean, p95] = ['n', 'total', 'mean', 'p95'].map((name) =>
    numberOf(fieldOf(measured, name)),
  );
  if (n === undefined || total === undefined || mean === undefined || p95 === undefined) return undefined;
  const delta = readDifference(fieldOf(measured, 'delta'));
  const p95Delta = readDifference(fieldOf(measured, 'p95Delta'));
  return { n, total, mean, p95, ...(delta && { delta }), ...(p95Delta && { p95Delta }) };
}

function readRepeats(repeats: JsonValue): RepeatSummary | undefined {
  const [k, items, passAtK, passHatK, flaky] = ['k', 'items', 'passAtK', 'passHatK', 'flaky'].map((name) =>
    numberOf(fieldOf(repeats, name)),
  );
  const flakyInterval = readInterval(fieldOf(repeats, 'flakyInterval'));
  if (k === undefined || passAtK === undefined || passHatK === undefined || !flakyInterval) return undefined;
  return { k, items: items ?? 0, passAtK, passHatK, flaky: flaky ?? 0, flakyInterval };
}

/** Runs of an earlier version do not store how many sessions were compared, nor what the gate allowed. */
function readDifference(difference: JsonValue | undefined): Difference | undefined {
  const [mean, p, n = 0, units = n, smallestP = 1, allowed] = [
    'mean',
    'p',
    'n',
    'units',
    'smallestP',
    'allowed',
  ].map((name) => numberOf(fieldOf(difference, name)));
  if (mean === undefined || p === undefined) return undefined;
  const interval = readInterval(fieldOf(difference, 'interval'));
  return {
    ...{ mean, p, n, units, smallestP },
    ...(interval && { interval }),
    ...(allowed !== undefined && { allowed }),
    ...(fieldOf(difference, 'exact') === true && { exact: true }),
  };
}

function readInterval(interval: JsonValue | undefined): Interval | undefined {
  const [low, high] = [numberOf(fieldOf(interval, 'low')), numberOf(fieldOf(interval, 'high'))];
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

function textsOf(list: JsonValue | undefined): string[] {
  return itemsOf(list).filter((text) => typeof text === 'string');
}

function itemsOf(list: JsonValue | undefined): JsonValue[] {
  return Array.isArray(list) ? list : [];
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function fieldOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
