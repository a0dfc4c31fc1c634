import { completionRequestSchema } from '../http/completion-request.js';
import { replyTo } from './reply-to.js';

const reply = (body: object) => replyTo(completionRequestSchema.parse({ model: 'stand-in', ...body }));
const system = (content: string) => ({ role: 'system', content });
const user = (content: string) => ({ role: 'user', content });
const tool = (result: unknown) => ({ role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(result) });

const SCHEMA = { properties: { category: { enum: ['order', 'billing', 'other'] } }, required: ['category'] };
const response_format = { type: 'json_schema', json_schema: { name: 'classification', schema: SCHEMA } };

describe('the stand-in model fills a JSON schema', () => {
  it('chooses the label whose name is in the message', () => {
    const { text } = reply({ messages: [user('Where is my order?')], response_format });
    expect(JSON.parse(text)).toEqual({ category: 'order' });
  });

  it('uses the definition of a label in the prompt', () => {
    const message = user('My card was charged twice.');
    const definitions = system('Categories:\n- billing: cards, charged twice, refunds');
    expect(JSON.parse(reply({ messages: [message], response_format }).text)).toEqual({ category: 'other' });
    expect(JSON.parse(reply({ messages: [definitions, message], response_format }).text)).toEqual({
      category: 'billing',
    });
  });

  it('reads a schema in the instructions, where BAML writes it', () => {
    const instructions = system(`Answer in JSON using this schema:
{
  // the order that the message names, such as LM-1042
  orderNumber: string or null,
  wish: "refund" or "replacement" or "information",
}`);
    const read = (message: string) => JSON.parse(reply({ messages: [instructions, user(message)] }).text);
    expect(read('LM-1057 arrived broken.')).toEqual({ orderNumber: 'LM-1057', wish: 'replacement' });
    expect(read('Do you sell bulbs?')).toEqual({ wish: 'information' });
  });

  it('returns the same answer for the same prompt', () => {
    const request = { messages: [user('Invoice and order, both wrong')], response_format };
    expect(reply(request)).toEqual(reply(request));
  });
});

describe('the stand-in model calls tools', () => {
  const tools = [
    {
      type: 'function',
      function: {
        name: 'look_up_order',
        parameters: {
          properties: { order_number: { type: 'string', pattern: '^LM-\\d{4}$' } },
          required: ['order_number'],
        },
      },
    },
  ];

  it('with arguments from the question', () => {
    const { toolCalls } = reply({ messages: [user('Customer: Ada\n\nWhere is LM-1042?')], tools });
    expect(toolCalls).toEqual([
      { id: 'call_1', name: 'look_up_order', arguments: '{"order_number":"LM-1042"}' },
    ]);
  });

  it('and chooses the best matching handoff', () => {
    const handoff = (name: string, description: string) => ({
      type: 'function',
      function: { name, description },
    });
    const { toolCalls } = reply({
      messages: [user('My invoice is wrong.')],
      tools: [
        handoff('transfer_to_technical_team', 'lamps and webhooks'),
        handoff('transfer_to_billing_team', 'invoices and refunds'),
      ],
    });
    expect(toolCalls.map(({ name }) => name)).toEqual(['transfer_to_billing_team']);
  });

  it('only if the question has the arguments, and only once', () => {
    expect(reply({ messages: [user('Where is my parcel?')], tools }).toolCalls).toEqual([]);
    const messages = [user('Where is LM-1042?'), tool({ summary: 'Order LM-1042 arrives on Thursday.' })];
    expect(reply({ messages, tools }).toolCalls).toEqual([]);
  });
});

describe('the stand-in model writes an answer', () => {
  const messages = [
    user('Customer: Ada\n\nWhere is order LM-1042?'),
    tool({ summary: 'Order LM-1042 left on Monday. It is red. The order arrives on Thursday.' }),
  ];

  it('from the sentences that are closest to the question', () => {
    expect(reply({ messages }).text).toBe('Order LM-1042 left on Monday. The order arrives on Thursday.');
  });

  it('that follows the instructions', () => {
    const instructions = system(
      'Greet the customer by name. Write at most 1 sentence. Sign as Lumen support.',
    );
    expect(reply({ messages: [instructions, ...messages] }).text).toBe(
      'Hello Ada,\nOrder LM-1042 left on Monday.\nLumen support',
    );
  });

  it('that says when there is no result', () => {
    expect(reply({ messages: [user('What is love?')] }).text).toBe(
      'I found nothing about this; a colleague will look into it.',
    );
  });
});
