import type { ActiveSpan } from '../active-span.js';
import { hearEmitted } from './hear-emitted.js';
import { hasMethod } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

/** Events with one item of the stream, as the SDKs of OpenAI and Anthropic name them. */
const ITEMS: ReadonlySet<unknown> = new Set(['chunk', 'streamEvent', 'event']);
/** Events with the whole answer, for helpers without items. */
const ANSWERS: ReadonlySet<unknown> = new Set(['finalChatCompletion', 'finalMessage', 'finalResponse']);

/**
 * Whether a value is the stream helper of an official client: `anthropic.messages.stream()`, `openai.chat.completions.stream()`. It
 * runs on its own and emits events, whether the caller iterates, listens, or awaits its final message.
 */
export function isEventStream(value: object): boolean {
  return ['_emit', 'on', 'off', 'emitted', 'done', 'abort'].every((name) => hasMethod(value, name));
}

/**
 * Follows such a helper until it ends, by observing its events. The caller keeps the same object.
 *
 * A listener would change its behaviour: without other error listeners, it would hide unhandled errors.
 */
export function trackEventStream(span: ActiveSpan, target: object): object {
  if (Reflect.get(target, 'ended') === true) {
    span.succeed(undefined);
    return target;
  }
  const gathered = new StreamGatherer(span, 'async-iterable');
  let items = 0;
  let answer: unknown;
  const stop = hearEmitted(target, '_emit', (name, argument) => {
    if (ITEMS.has(name)) {
      items++;
      gathered.add(argument);
    } else if (ANSWERS.has(name)) answer ??= argument;
    else if (name === 'error') gathered.fail(argument);
    else if (name === 'abort') gathered.cancel();
    else if (name === 'end') {
      stop();
      if (items === 0 && answer !== undefined) span.succeed(answer);
      else gathered.succeed();
    }
  });
  return target;
}
