import { toMembers, hasMembers } from '@dacapo/protocol';
import { InvalidOptionError } from '../../errors.js';
import type { Recorder } from '../../recording/recorder.js';
import { type AnyFunction, defineSpan } from '../../recording/span-definition.js';
import { callModel, type RequestKind } from '../clients/call-model.js';
import { StreamReading } from '../clients/follow-stream.js';
import { describeFiles } from '../clients/describe-files.js';
import type { ModelMethod } from '../clients/model-method.js';
import { loadReading, type ModelRecording } from '../clients/model-recording.js';
import { defineMember, replaceMethod } from '../clients/replace-method.js';
import { Late } from '../late.js';
import { isStream } from '../readers.js';
import { sessionRequest } from './session-request.js';
import type { SessionSpans } from './session-spans.js';

type Step = (...args: unknown[]) => Promise<IteratorResult<unknown>>;

const SPANS = new Late(async () => (await import('./session-spans.js')).SessionSpans);
const FORMAT = new Late(async () => (await import('./session-reader.js')).formatStreamed);
const METHOD: ModelMethod = {
  path: ['query'],
  reader: new Late(async () => (await import('./session-reader.js')).SESSION),
};

const DEFINITION = defineSpan({
  key: 'claude.query',
  name: 'claude.query',
  type: 'agent',
  captureInput: ([params]) => [describeFiles(sessionRequest(toMembers(params)))],
});

/**
 * Records the sessions that `query` of the Claude Agent SDK starts. The function has the same type; the query that it returns is the
 * SDK's own object.
 *
 * @throws InvalidOptionError when it is not a function
 */
export function wrapClaudeQuery<Q extends AnyFunction>(query: Q, recorder: Recorder | undefined): Q {
  if (typeof query !== 'function')
    throw new InvalidOptionError(
      'query',
      `must be a function, not ${typeof query}`,
      'Pass query of @anthropic-ai/claude-agent-sdk: tracer.wrapClaudeQuery(query).',
    );
  if (recorder === undefined) return query;
  // The process that answers takes longer to start than the reader to load.
  const ready = Promise.all([SPANS.ready(), FORMAT.ready(), loadReading(METHOD)]).then(
    () => undefined,
    (error: unknown) => {
      recorder.failed('loading the reader of Claude sessions', error);
    },
  );
  return new Proxy(query, {
    apply(fn, self: unknown, [params, ...rest]: unknown[]): unknown {
      const prompt = new StreamedPrompt(ready);
      const kind: RequestKind = {
        seeAttempts: () => undefined,
        follow(result, recording) {
          prompt.recording = recording;
          if (hasMembers(result)) followQuery(result, recording, recorder, ready);
          return result;
        },
        answers: ({ claude }) => claude,
      };
      const call = {
        recorder,
        definition: DEFINITION,
        method: METHOD,
        kind,
        client: query,
        describe: () => ({}),
      };
      return callModel(call, fn, self, [prompt.follow(params), ...rest]);
    },
  });
}

/** A prompt that is a stream. Only the part that the SDK has read is known. */
class StreamedPrompt {
  recording: ModelRecording | undefined;
  private readonly messages: unknown[] = [];

  constructor(private readonly ready: Promise<void>) {}

  follow(params: unknown): unknown {
    const { prompt } = toMembers(params);
    return isStream(prompt) ? { ...toMembers(params), prompt: this.read(prompt) } : params;
  }

  private async *read(prompt: AsyncIterable<unknown>): AsyncGenerator {
    await this.ready;
    for await (const message of prompt) {
      this.recording?.guard('reading a prompt', () => {
        this.note(message);
      });
      yield message;
    }
  }

  private note(message: unknown): void {
    const { span } = this.recording ?? {};
    if (span === undefined || !span.start.recorder.fields.recordsInput(span.start.definition)) return;
    this.messages.push(message);
    span.setPrompt(FORMAT.current?.(this.messages) ?? '');
  }
}

/** Replaces the steps of the query and its `close`, so that its class and its other members stay. */
function followQuery(
  query: object,
  recording: ModelRecording,
  recorder: Recorder,
  ready: Promise<void>,
): void {
  let spans: SessionSpans | undefined;
  const reading = new StreamReading(recording, () => recording.isAborted(undefined));
  const end = (): void => {
    recording.guard('ending a session of Claude', () => {
      spans?.end();
    });
  };
  const wrapStep = (name: 'next' | 'return' | 'throw'): Step => {
    const fn = Reflect.get(query, name) as Step;
    return async (...args) => {
      try {
        const result = await Reflect.apply(fn, query, args);
        await ready;
        if (name !== 'next' || result.done === true) end();
        else
          recording.guard('reading a message of Claude', () => {
            spans ??= SPANS.current && new SPANS.current(recorder, recording.span);
            spans?.add(result.value);
          });
        return result;
      } catch (error) {
        end();
        throw error;
      }
    };
  };
  const steps = reading.wrapSteps({
    next: wrapStep('next'),
    return: wrapStep('return'),
    throw: wrapStep('throw'),
  });
  for (const name of Reflect.ownKeys(steps)) defineMember(query, name, steps[name]);
  defineMember(query, Symbol.asyncIterator, () => query);
  if (typeof toMembers(query)['close'] !== 'function') return;
  replaceMethod(query, 'close', (fn, self, args) => {
    end();
    reading.aborted();
    return Reflect.apply(fn, self, args) as unknown;
  });
}
