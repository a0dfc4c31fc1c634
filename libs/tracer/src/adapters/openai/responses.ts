import { errorFromText } from '../../recording/external-attributes.js';
import type { AnswerFacts, AnswerGatherer, AnswerVerdict, ModelMethod } from '../clients/model-method.js';
import { formatPrompt } from '../prompt.js';
import { type Fields, fieldsOf, isFields } from '../readers.js';
import { messagesOf } from './messages.js';
import { readUsage } from './usage.js';

/** `responses.create`, through which `parse` and `stream` go as well. */
export const RESPONSES: ModelMethod = {
  path: ['responses', 'create'],
  prompt: ({ instructions, input }) =>
    formatPrompt([
      ...(typeof instructions === 'string' ? [{ role: 'system', text: instructions }] : []),
      ...messagesOf(input),
    ]),
  answer: (answer) => {
    const { status, background } = fieldsOf(answer);
    const { usage, facts } = responseFacts(answer);
    if (background === true && (status === 'queued' || status === 'in_progress'))
      return { usage: { ...usage, ...NOTHING_USED }, facts };
    // A later retrieval tells the same again.
    isFirst(answer);
    return { usage, facts };
  },
  verdict: responseVerdict,
  gather: () => new ResponseGatherer(),
};

/** A response that runs in the background is asked for later. What it used counts once, when it is done. */
export const RETRIEVE: ModelMethod = {
  ...RESPONSES,
  path: ['responses', 'retrieve'],
  prompt: () => undefined,
  answer: (answer) => {
    const { usage, facts } = responseFacts(answer);
    return { usage: isFirst(answer) ? usage : NOTHING_USED, facts };
  },
};

export const CANCEL: ModelMethod = { ...RETRIEVE, path: ['responses', 'cancel'] };

const NOTHING_USED = { input_tokens: 0, output_tokens: 0 };
const MOST_RETRIEVED = 10_000;
/** Ids of responses whose usage counts already. */
const counted = new Set<unknown>();

/** Whether the usage of a response has not been told before. */
function isFirst(answer: unknown): boolean {
  const { id, usage } = fieldsOf(answer);
  if (!isFields(usage) || counted.has(id)) return false;
  counted.add(id);
  const [oldest] = counted;
  if (counted.size > MOST_RETRIEVED) counted.delete(oldest);
  return true;
}

const ENDS = new Set(['failed', 'cancelled', 'incomplete']);

/** A response says how it ended: the request itself succeeds. */
export function responseVerdict(answer: unknown): AnswerVerdict | undefined {
  const { status, error, object } = fieldsOf(answer);
  if (object !== 'response' || typeof status !== 'string' || !ENDS.has(status)) return undefined;
  if (status === 'incomplete') return { level: 'warn' };
  if (status === 'cancelled') return { status };
  const { code, message } = fieldsOf(error);
  const text = typeof message === 'string' ? message : 'The response failed';
  return { status: 'error', error: errorFromText(typeof code === 'string' ? code : 'ResponseFailed', text) };
}

/** Makes a long conversation a short one. */
export const COMPACT: ModelMethod = { ...RESPONSES, path: ['responses', 'compact'] };

function responseFacts(answer: unknown): AnswerFacts {
  const { usage, model, status, incomplete_details, id, service_tier } = fieldsOf(answer);
  return {
    usage: readUsage(usage),
    facts: {
      finishReason: fieldsOf(incomplete_details)['reason'] ?? status,
      responseModel: model,
      responseId: id,
      serviceTier: service_tier,
    },
  };
}

type Gathered = Record<string, unknown>;

/** Where the pieces of an item are put together: the list in the item, the name of its index in the event, and the text. */
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

/** The last event has the whole response. Of a stream that breaks off, the items are put together. */
class ResponseGatherer implements AnswerGatherer {
  private response: Fields | undefined;
  private isWhole = false;
  private readonly items: Gathered[] = [];

  add(event: unknown): boolean {
    const { type, response, item, part, delta, output_index: at } = fieldsOf(event);
    const name = typeof type === 'string' ? type : '';
    if (isFields(response)) this.response = { ...response };
    this.isWhole ||= /^response\.(completed|incomplete|failed)$/.test(name);
    if (typeof at !== 'number' || !(at >= 0 && at < 1024)) return name.endsWith('.delta');
    if (isFields(item)) this.items[at] = copyOf(item);
    const target = (this.items[at] ??= {});
    if (isFields(part)) {
      const list = 'summary_index' in fieldsOf(event) ? 'summary' : 'content';
      placeIn(target, list, fieldsOf(event)[`${list}_index`], part);
    }
    const piece = PIECES[name];
    if (piece !== undefined && typeof delta === 'string') {
      const [list, index, text] = piece;
      const holder = list === undefined ? target : placeIn(target, list, fieldsOf(event)[index]);
      holder[text] = `${typeof holder[text] === 'string' ? holder[text] : ''}${delta}`;
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

/** Its lists are its own: the events stay the application's. */
function copyOf(item: Fields): Gathered {
  const lists = Object.entries(item).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map((one: unknown) => (isFields(one) ? { ...one } : one)) : value,
  ]);
  return Object.fromEntries(lists) as Gathered;
}

function placeIn(item: Gathered, list: string, index: unknown, part?: Fields): Gathered {
  const parts = (Array.isArray(item[list]) ? item[list] : (item[list] = [])) as Gathered[];
  const at = typeof index === 'number' && index >= 0 && index < 1024 ? index : 0;
  if (part !== undefined) parts[at] = { ...part };
  return (parts[at] ??= {});
}
