import type { NormalizedCalls } from '@dacapo/protocol';
import type { ValueDiff } from '../diff/value-diff.js';
import type { HtmlOptions, MarkdownOptions, ReportOptions } from './report-options.js';
import type { Check, RunSummary } from './run.js';
import type { RunItem } from './run-item.js';
import type { NamedScore } from './score.js';

/** One score of an item, for candidate and baseline. */
export interface ReportScore {
  name: string;
  /** Absent if the evaluator returned none. */
  candidate?: NamedScore['score'];
  baseline?: NamedScore['score'];
  /** The candidate's label. */
  label?: string;
  /** The evaluator's explanation of the candidate's score. */
  explanation?: string;
}

/** Values of an item as text: secrets are masked, long texts are cut. Absent if not recorded or not kept. */
export interface ReportTexts {
  input?: string;
  /** The baseline's output or error. */
  baseline?: string;
  candidate?: string;
}

/** An item as shown in reports. */
export interface ReportItem extends Pick<
  RunItem,
  | 'itemNo'
  | 'repetition'
  | 'verdict'
  | 'fixed'
  | 'newError'
  | 'divergences'
  | 'durationMs'
  | 'originalDurationMs'
  | 'sourceTraceId'
  | 'sourceSpanId'
  | 'traceId'
> {
  /**
   * A name that is stable across runs, from the recorded call, the dataset item or the input. Default: the call, else the number in the
   * selection.
   */
  name?: string;
  diff?: ValueDiff[];
  /** The call's error, with name and message. Reports print anything else as text. */
  error?: unknown;
  texts?: ReportTexts;
  scores?: ReportScore[];
  /** A key that is equal for items that changed in the same way. Default: derived from differences and error. */
  change?: string;
  /** Page of the item. */
  url?: string;
}

/** The input of reports. Plain data. */
export interface RunReport extends RunSummary {
  /** The replayed key, method or dataset. */
  title?: string;
  testRunUrl?: string;
  /** In any order. Only items to look at have texts, and in long runs only the worst of them. */
  items: readonly ReportItem[];
  /** Absent without a gate. */
  passed?: boolean;
  /** The gate's checks. Default: reports show only `failures`. */
  checks?: readonly Check[];
  failures: readonly string[];
  notes?: readonly string[];
  warnings?: readonly string[];
  /** `interrupted`: some items were not replayed or not reported to the service. */
  status?: 'finished' | 'interrupted';
  /** How often each inner function really ran, by key, including side effects. */
  ranLive?: Readonly<Record<string, number>>;
  /** Inner calls that matched the recording only after normalizing their arguments, by key. */
  normalized?: readonly NormalizedCalls[];
}

/** The result of a replay or an evaluation (SPEC 2.8). */
export interface Run<A extends unknown[] = unknown[], R = unknown> extends RunSummary {
  testRunId: string;
  /** The dashboard's page of this run; empty if no service stores it. */
  testRunUrl: string;
  items: RunItem<A, R>[];
  /** Only with a gate. */
  passed?: boolean;
  /** Only with a gate: each check with its limit and measured value. */
  checks?: Check[];
  failures: string[];
  /** Remarks on passed limits that lack evidence or coverage. */
  notes: string[];
  /** The input of reports: all items, masked, regardless of what `items` keeps. */
  report(): RunReport;
  /** A comment for a pull request. */
  toMarkdown(options?: MarkdownOptions): string;
  /** A single page without scripts and requests. */
  toHtml(options?: HtmlOptions): string;
  /** For the test page of a CI server. */
  toJUnit(options?: ReportOptions): string;
}

/** The masked report of a run, never its live values. */
export function readReport(run: RunReport | Pick<Run, 'report'>): RunReport {
  return 'report' in run ? run.report() : run;
}
