import type { Recorder } from '../../recording/recorder.js';
import { LateRecorder } from '../late-recorder.js';
import { AI_SDK_EVENTS, type AiSdkTelemetry } from './ai-sdk-types.js';
import { RecordingTracer } from './recording-tracer.js';

/**
 * Records operations of the AI SDK. Versions 5 and 6 use `tracer`. Version 7 calls the other methods: it awaits `onStart`, in which the
 * recorder is loaded.
 *
 * @param recorder absent while tracing is off: then nothing is recorded
 */
export function createTelemetry(recorder: Recorder | undefined): AiSdkTelemetry {
  const late = new LateRecorder(recorder, async (recorder) => {
    const { RecordingTelemetry } = await import('./recording-telemetry.js');
    return new RecordingTelemetry(recorder);
  });
  return {
    isEnabled: true,
    tracer: new RecordingTracer(recorder),
    ...late.events(AI_SDK_EVENTS),
    executeLanguageModelCall: (call) => late.current?.executeLanguageModelCall(call) ?? call.execute(),
    executeTool: (call) => late.current?.executeTool(call) ?? call.execute(),
  };
}
