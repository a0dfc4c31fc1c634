import type { Recorder } from '../../recording/recorder.js';
import { LateRecorder } from '../late-recorder.js';
import { LANGCHAIN_EVENTS, type LangChainHandler } from './langchain-types.js';
import type { RecordingHandler } from './recording-handler.js';

/** The handler of LangChain. Its recorder is loaded in the event of the first run, which LangChain awaits. */
export class LateHandler {
  readonly handler: LangChainHandler;
  private readonly late: LateRecorder<RecordingHandler>;

  /** @param recorder absent while tracing is off: then nothing is recorded */
  constructor(recorder: Recorder | undefined) {
    this.late = new LateRecorder(recorder, async (recorder) => {
      const { RecordingHandler } = await import('./recording-handler.js');
      return new RecordingHandler(recorder);
    });
    const handler: LangChainHandler = {
      name: 'dacapo',
      awaitHandlers: true,
      raiseError: false,
      ignoreLLM: false,
      ignoreChain: false,
      // LangChain counts tools among these.
      ignoreAgent: false,
      ignoreRetriever: false,
      ignoreCustomEvent: true,
      // LangChain copies handlers when it passes them on. The state stays in this one.
      copy: () => handler,
      ...this.late.events(LANGCHAIN_EVENTS),
    };
    this.handler = handler;
  }

  /** `undefined` before the first run. */
  get recording(): RecordingHandler | undefined {
    return this.late.current;
  }
}
