import type { Recorder } from '../../recording/recorder.js';
import { LateRecorder } from '../late-recorder.js';
import type { AgentsTracingProcessor } from './agents-types.js';
import type { RecordingProcessor } from './recording-processor.js';

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
  const pass = (event: (loaded: RecordingProcessor) => void): Promise<void> => late.pass(event) ?? DONE;
  return {
    start: () => undefined,
    onTraceStart: (trace) =>
      pass((loaded) => {
        loaded.onTraceStart(trace);
      }),
    onTraceEnd: (trace) =>
      pass((loaded) => {
        loaded.onTraceEnd(trace);
      }),
    onSpanStart: (span) =>
      pass((loaded) => {
        loaded.onSpanStart(span);
      }),
    onSpanEnd: (span) =>
      pass((loaded) => {
        loaded.onSpanEnd(span);
      }),
    shutdown: () => DONE,
    forceFlush: async () => {
      if (recorder !== undefined) await flush().catch(() => false);
    },
  };
}
