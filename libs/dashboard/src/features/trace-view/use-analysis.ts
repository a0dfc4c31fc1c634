import type { TraceDetail } from '@dacapo/protocol';
import { useLayoutEffect, useState } from 'react';
import { analyseTrace, type TraceAnalysis } from './analysis/analyse-trace.js';

/** The analysis of a trace; while a newer form of the trace is analysed, that of the previous one. */
export function useAnalysis(trace: TraceDetail | undefined): TraceAnalysis | undefined {
  const [analysis, setAnalysis] = useState<TraceAnalysis>();
  // A layout effect: the spans of a short trace are in the first frame.
  useLayoutEffect(() => {
    if (trace === undefined) return;
    let isCurrent = true;
    void analyseTrace(trace).then((analysed) => {
      if (isCurrent) setAnalysis(analysed);
    });
    return () => {
      isCurrent = false;
    };
  }, [trace]);
  return analysis;
}
