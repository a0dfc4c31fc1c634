import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import { errorFromText } from '../../recording/external-attributes.js';
import { isCountedFirst, NOTHING_USED } from '../clients/counted-usage.js';
import { append, type Gathered, partAt, toIndex } from '../clients/gathered.js';
import { messagesPrompt } from '../clients/messages-prompt.js';
import type { AnswerFacts, AnswerGatherer, AnswerVerdict, ModelReader } from '../clients/model-method.js';
import { text } from '../readers.js';
import { readUsage } from './usage.js';

/** `responses.create`, which `parse` and `stream` call too. */
export const RESPONSES: ModelReader = {
  prompt: messagesPrompt('openai.responses'),
  answer: (answer) => {
    const { status, background } = toMembers(answer);
    const { usage, facts } = responseFacts(answer);
    if (background === true && (status === 'queued' || status === 'in_progress'))
      return { usage: { ...usage, ...NOTHING_USED }, facts };
    // A later retrieval returns the same usage again.
    isFirst(answer);
    return { usage, facts };
  },
  verdict: responseVerdict,
  gather: () => new ResponseGatherer(),
};

/** A response that runs in the background is retrieved later. Its usage counts once, when it is done. */
export const RETRIEVED: ModelReader = {
  ...RESPONSES,
  prompt: () => undefined,
  answer: (answer) => {
    const { usage, facts } = responseFacts(answer);
    return { usage: isFirst(answer) ? usage : NOTHING_USED, facts };
  },
};

/** Whether the answer has usage that was not counted yet. */
function isFirst(answer: unknown): boolean {
  const { id, usage } = toMembers(answer);
  return hasMembers(usage) && isCountedFirst(id);
}

const ENDS = new Set(['failed', 'cancelled', 'incomplete']);

/** A response has its own status: the request itself succeeds. */
export function responseVerdict(answer: unknown): AnswerVerdict | undefined {
  const { status, error, object } = toMembers(answer);
  if (object !== 'response' || typeof status !== 'string' || !ENDS.has(status)) return undefined;
  if (status === 'incomplete') return { level: 'warn' };
  if (status === 'cancelled') return { status };
  const { code, message } = toMembers(error);
  const text = typeof message === 'string' ? message : 'The response failed';
  return { status: 'error', error: errorFromText(typeof code === 'string' ? code : 'ResponseFailed', text) };
}

function responseFacts(answer: unknown): AnswerFacts {
  const { usage, model, status, incomplete_details, id, service_tier } = toMembers(answer);
  return {
    usage: { ...readUsage(usage), ...text('service_tier', service_tier) },
    facts: {
      finishReason: toMembers(incomplete_details)['reason'] ?? status,
      responseModel: model,
      responseId: id,
    },
  };
}

/** Where to merge the pieces of an item: the item's list, the event's index property, and the text property. */
const PIECES: Readonly<Record<string, readonly [list: string | undefined, index: string, text: string]>> = {
  'response.output_text.delta': ['content', 'content_index', 'text'],
  'response.refusal.delta': ['content', 'content_index', 'refusal'],
  'response.reasoning_text.delta': ['content', 'content_index', 'text'],
  'response.reasoning_summary_text.delta': ['summary', 'summary_index', 'text'],
  'response.function_call_arguments.delta': [undefined, '', 'arguments'],
  'response.mcp_call_arguments.delta': [undefined, '', 'arguments'],
  'response.custom_tool_call_input.delta': [undefined, '', 'input'],
  'response.code_interpreter_call_code.delta': [undefined, '', 'code'],
};

/** The last event has the whole response. If a stream breaks off, its items are merged. */
class ResponseGatherer implements AnswerGatherer {
  private response: Members | undefined;
  private isWhole = false;
  private readonly items: Gathered[] = [];

  add(event: unknown): boolean {
    const { type, response, item, part, delta, output_index: at } = toMembers(event);
    const name = typeof type === 'string' ? type : '';
    if (hasMembers(response)) this.response = { ...response };
    this.isWhole ||= /^response\.(completed|incomplete|failed)$/.test(name);
    if (typeof at !== 'number' || !(at >= 0 && at < 1024)) return name.endsWith('.delta');
    if (hasMembers(item)) this.items[at] = copyItem(item);
    const target = (this.items[at] ??= {});
    if (hasMembers(part)) {
      const list = 'summary_index' in toMembers(event) ? 'summary' : 'content';
      placeIn(target, list, toMembers(event)[`${list}_index`], part);
    }
    const piece = PIECES[name];
    if (piece !== undefined && typeof delta === 'string') {
      const [list, index, text] = piece;
      const holder = list === undefined ? target : placeIn(target, list, toMembers(event)[index]);
      append(holder, text, delta);
    }
    return name.endsWith('.delta');
  }

  answer(): unknown {
    const { response, isWhole, items } = this;
    if (isWhole) return response;
    const output = items.filter((item) => Object.keys(item).length > 0);
    return output.length === 0 ? response : { object: 'response', ...response, output };
  }
}

/** Copies an item with its lists, so that the application's events stay unchanged. */
function copyItem(item: Members): Gathered {
  const lists = Object.entries(item).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one: unknown) => (hasMembers(one) ? { ...one } : one)) : value,
  ]);
  return Object.fromEntries(lists) as Gathered;
}

function placeIn(item: Gathered, list: string, index: unknown, part?: Members): Gathered {
  const parts = (Array.isArray(item[list]) ? item[list] : (item[list] = [])) as Gathered[];
  if (part !== undefined) parts[toIndex(index)] = { ...part };
  return partAt(parts, index);
}
