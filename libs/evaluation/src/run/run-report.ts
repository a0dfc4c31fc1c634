import type { NormalizedCalls } from '@dacapo/protocol';
import type { ValueDiff } from '../diff/value-diff.js';
import type { HtmlOptions, MarkdownOptions, ReportOptions } from '../reports/options.js';
import type { Check, RunSummary } from './run.js';
import type { RunItem } from './run-item.js';
import type { NamedScore } from './score.js';

/** One score of an item on both sides. */
export interface ReportScore {
  name: string;
  /** Absent where the evaluator gave none. */
  candidate?: NamedScore['score'];
  baseline?: NamedScore['score'];
  /** Of the candidate. */
  label?: string;
  /** Why the candidate has its score, as the evaluator or the judge explains it. */
  explanation?: string;
}

/** Values of an item as text: secrets are masked, long texts are cut. Absent: not recorded, or not kept. */
export interface ReportTexts {
  input?: string;
  /** What the candidate is compared with: an output, or an error. */
  baseline?: string;
  candidate?: string;
}

/** What reports show of an item. */
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
   * What the item is called in every run: by its recorded call, its dataset item, or its input. Default: its call, else its
   * place in the selection.
   */
  name?: string;
  diff?: ValueDiff[];
  /** What the call threw, by name and message. Reports print anything else as text. */
  error?: unknown;
  texts?: ReportTexts;
  scores?: ReportScore[];
  /** Equal for items that changed in the same way. Default: found from the differences and the error. */
  change?: string;
  /** Where the item can be looked at. */
  url?: string;
}

/** What reports are made of. Plain data. */
export interface RunReport extends RunSummary {
  /** What was replayed: the key, the method, the dataset. */
  title?: string;
  testRunUrl?: string;
  /** In any order. Items that need no look have no texts; of a long run, only the worst have them. */
  items: readonly ReportItem[];
  /** Absent without a gate. */
  passed?: boolean;
  /** The gate's checks. Default: only the failures are shown. */
  checks?: readonly Check[];
  failures: readonly string[];
  notes?: readonly string[];
  warnings?: readonly string[];
  /** `interrupted`: not every item was replayed, or reported to the service. */
  status?: 'finished' | 'interrupted';
  /** How often each function ran inside the calls, by its key: what was not answered from the recording, side effects included. */
  ranLive?: Readonly<Record<string, number>>;
  /** Calls inside that were found in the recording although parts of their arguments differ, by key. */
  normalized?: readonly NormalizedCalls[];
}

/** The outcome of a replay or an evaluation (SPEC 2.8). */
export interface Run<A extends unknown[] = unknown[], R = unknown> extends RunSummary {
  testRunId: string;
  /** The dashboard's page of this run; empty where no service stores it. */
  testRunUrl: string;
  items: RunItem<A, R>[];
  /** Only with a gate. */
  passed?: boolean;
  /** Only with a gate: what was checked, with its limit and what the run has. */
  checks?: Check[];
  failures: string[];
  /** What the gate let pass and could not tell well. */
  notes: string[];
  /** What the reports are made of: every item, masked, whatever `items` keeps. */
  report(): RunReport;
  /** A comment for a pull request. */
  toMarkdown(options?: MarkdownOptions): string;
  /** One page without scripts and without requests. */
  toHtml(options?: HtmlOptions): string;
  /** For the test page of a CI server. */
  toJUnit(options?: ReportOptions): string;
}

/** What is shown of a run: its masked report, and never its live values. */
export function reportOf(run: RunReport | Pick<Run, 'report'>): RunReport {
  return 'report' in run ? run.report() : run;
}
