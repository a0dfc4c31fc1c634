import type { ActiveSpan } from '../active-span.js';
import { hearEmitted } from './hear-emitted.js';
import { hasMethod } from './result-kinds.js';
import { StreamGatherer } from './stream-gatherer.js';

/** What carries one item of the stream, in the words of the SDKs of OpenAI and Anthropic. */
const ITEMS: ReadonlySet<unknown> = new Set(['chunk', 'streamEvent', 'event']);
/** What carries the whole answer, of helpers that have no items. */
const ANSWERS: ReadonlySet<unknown> = new Set(['finalChatCompletion', 'finalMessage', 'finalResponse']);

/**
 * The stream helper of an official client: `anthropic.messages.stream()`, `openai.chat.completions.stream()`. It runs by
 * itself and tells of it by events, whether it is iterated over, listened to, or asked for its final message.
 */
export function isEventStream(value: object): boolean {
  return ['_emit', 'on', 'off', 'emitted', 'done', 'abort'].every((name) => hasMethod(value, name));
}

/**
 * Follows such a helper by hearing what it emits, until it is done; the caller keeps the very object.
 *
 * A listener of ours would be counted: where nobody else listens for errors, it would keep them from being unhandled.
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
