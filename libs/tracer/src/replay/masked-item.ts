import type { JsonValue, TestRunItemReport } from '@dacapo/protocol';
import type { Capturer } from '../capture/capturer.js';
import type { MaskedItem } from './replay-hooks.js';
import type { ReplayItem } from './replay-result.js';

const NOT_RECORDED = '[not recorded]';

/** @param report what the service gets of the item: its values are masked */
export function maskedItem(item: ReplayItem, report: TestRunItemReport, capturer: Capturer): MaskedItem {
  const { itemNo, repetition, sourceSpanId, sessionId, verdict, durationMs } = item;
  const { input, metadataOnly } = capturer.options;
  const isRecorded = !metadataOnly && (report.result !== undefined || item.result === undefined);
  return {
    ...{ itemNo, verdict },
    ...(repetition !== undefined && { repetition }),
    ...(sourceSpanId !== undefined && { sourceSpanId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(durationMs !== undefined && { durationMs }),
    input: input && !metadataOnly ? masked(item.input, capturer) : [NOT_RECORDED],
    ...('error' in item
      ? { error: maskedError(item.error, report, capturer) }
      : { result: isRecorded ? report.result : NOT_RECORDED }),
    scores: (report.scores ?? []).map(({ value, ...score }) => ({ ...score, score: value })),
  };
}

function maskedError(error: unknown, report: TestRunItemReport, capturer: Capturer): unknown {
  if (!(error instanceof Error)) return capturer.options.output ? masked([error], capturer)[0] : NOT_RECORDED;
  const { name, message } = report.error ?? { name: error.name, message: NOT_RECORDED };
  return Object.assign(new Error(message), { name });
}

function masked(values: readonly unknown[], capturer: Capturer): JsonValue[] {
  return JSON.parse(capturer.captureArguments(values).json) as JsonValue[];
}
