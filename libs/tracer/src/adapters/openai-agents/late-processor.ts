import type { Recorder } from '../../recording/recorder.js';
import { LateRecorder } from '../late-recorder.js';
import type { AgentsTracingProcessor } from './agents-types.js';

const DONE = Promise.resolve();

/**
 * Records agent runs. The package awaits `onTraceStart`, in which the recorder is loaded. All else returns settled promises: a
 * processor that rejects fails the user's run, and one that waits delays it.
 */
export function createProcessor(
  recorder: Recorder | undefined,
  flush: () => Promise<unknown>,
): AgentsTracingProcessor {
  const late = new LateRecorder(recorder, async (recorder) => {
    const { RecordingProcessor } = await import('./recording-processor.js');
    return new RecordingProcessor(recorder);
  });
  const events = late.events(['onTraceStart', 'onTraceEnd', 'onSpanStart', 'onSpanEnd']);
  return {
    start: () => undefined,
    onTraceStart: (trace) => events.onTraceStart(trace) ?? DONE,
    onTraceEnd: (trace) => events.onTraceEnd(trace) ?? DONE,
    onSpanStart: (span) => events.onSpanStart(span) ?? DONE,
    onSpanEnd: (span) => events.onSpanEnd(span) ?? DONE,
    shutdown: () => DONE,
    forceFlush: async () => {
      if (recorder !== undefined) await flush().catch(() => false);
    },
  };
}
