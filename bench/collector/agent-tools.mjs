/** Tool definitions of a typical support agent: a name, a few lines about its use, and described parameters. */
const PARAMETERS = {
  order_id: 'The number of the order as the customer sees it, such as R-10233; never an internal id.',
  customer_id: 'The id of the customer, as find_customer returns it.',
  email: 'The e-mail address that the customer wrote from, in lower case.',
  query: 'What to look for, in the words of the customer; names of products are understood in any spelling.',
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 50,
    description: 'How many results to return at most; 10 when left out.',
  },
  since: 'The earliest day to look at, as YYYY-MM-DD in the time zone of the customer.',
  until: 'The day after the last day to look at, as YYYY-MM-DD in the time zone of the customer.',
  reason: 'One sentence that a colleague can understand without having read the conversation.',
  amount: {
    type: 'number',
    minimum: 0,
    description: 'In the currency of the order, with two decimals. Never more than was paid.',
  },
  priority: {
    type: 'string',
    enum: ['low', 'normal', 'high', 'urgent'],
    description: 'Urgent only when somebody may be hurt, or money is being lost right now.',
  },
  address: {
    type: 'object',
    description: 'Where to deliver to. Leave out what did not change.',
    properties: {
      street: { type: 'string', description: 'Street and number.' },
      postcode: { type: 'string', description: 'Postal code in the form of the country.' },
      city: { type: 'string' },
      country: { type: 'string', description: 'Two letters, as in ISO 3166-1.' },
    },
  },
  language: {
    type: 'string',
    description: 'The language of the answer, as in BCP 47; that of the last message when left out.',
  },
  text: 'What to write, in whole sentences, without greeting and without signature.',
  items: {
    type: 'array',
    items: { type: 'string' },
    description: 'The article numbers that this is about; all of the order when left out.',
  },
};

const TOOLS = [
  ['find_customer', 'Finds a customer by e-mail address or by the number of an order', ['email', 'order_id']],
  [
    'read_order',
    'Reads an order: its articles, prices, payments, parcels and what happened to it so far',
    ['order_id'],
  ],
  [
    'list_orders',
    'Lists the orders of a customer, the newest first',
    ['customer_id', 'since', 'until', 'limit'],
  ],
  ['track_parcel', 'Asks the carrier where the parcels of an order are right now', ['order_id']],
  [
    'search_help',
    'Searches the pages of the help centre and returns the best passages with their addresses',
    ['query', 'language', 'limit'],
  ],
  [
    'search_tickets',
    'Searches earlier tickets, of all customers, for one that was about the same thing',
    ['query', 'since', 'limit'],
  ],
  [
    'refund_payment',
    'Pays money back to the card or account that was used. It cannot be undone',
    ['order_id', 'amount', 'reason'],
  ],
  [
    'cancel_order',
    'Cancels an order that has not been sent yet, and pays back what was paid',
    ['order_id', 'reason'],
  ],
  ['change_address', 'Changes the address of an order that has not been sent yet', ['order_id', 'address']],
  [
    'create_return',
    'Makes a label with which the customer can send articles back, and sends it by e-mail',
    ['order_id', 'items', 'reason'],
  ],
  [
    'check_warranty',
    'Tells until when the warranty of an article runs, and what it covers',
    ['order_id', 'items'],
  ],
  [
    'create_ticket',
    'Opens a ticket for another team when no other tool can solve the problem',
    ['customer_id', 'priority', 'text'],
  ],
  [
    'hand_to_person',
    'Hands the conversation to a colleague; afterwards you do not answer any more',
    ['reason', 'priority'],
  ],
  ['read_invoice', 'Reads an invoice of an order with its taxes and its payments', ['order_id']],
  [
    'resend_invoice',
    'Sends the invoice of an order once more, to the address that the customer has confirmed',
    ['order_id', 'email'],
  ],
  [
    'change_email',
    'Changes the e-mail address of a customer, after both addresses have confirmed it',
    ['customer_id', 'email'],
  ],
  [
    'read_subscription',
    'Reads the subscription of a customer: its plan, its price and the day when it is renewed',
    ['customer_id'],
  ],
  [
    'change_subscription',
    'Moves a customer to another plan from the next month on',
    ['customer_id', 'reason'],
  ],
  [
    'end_subscription',
    'Ends a subscription at the end of the month that was paid for',
    ['customer_id', 'reason'],
  ],
  ['read_stock', 'Tells how many of an article there are and when more will come', ['query', 'items']],
  ['reserve_article', 'Puts an article aside for a customer for three days', ['customer_id', 'items']],
  [
    'apply_voucher',
    'Adds a voucher to an order that has not been paid yet',
    ['order_id', 'amount', 'reason'],
  ],
  [
    'list_devices',
    'Lists the lamps and bridges of a customer with their firmware and when they were last seen',
    ['customer_id', 'limit'],
  ],
  [
    'restart_device',
    'Restarts a device of a customer from afar; it does not answer for about a minute',
    ['customer_id', 'items'],
  ],
  [
    'read_device_log',
    'Reads what a device noted, the newest first',
    ['customer_id', 'since', 'until', 'limit'],
  ],
  [
    'update_firmware',
    'Puts the newest firmware on a device, which takes up to ten minutes',
    ['customer_id', 'items'],
  ],
  [
    'read_outages',
    'Lists the outages of our services that are known, with the regions that they touch',
    ['since', 'until'],
  ],
  [
    'send_message',
    'Sends a message to the customer outside of this conversation',
    ['customer_id', 'text', 'language'],
  ],
  [
    'schedule_call',
    'Arranges a call with a colleague at a time that suits the customer',
    ['customer_id', 'since', 'reason'],
  ],
  [
    'note_fact',
    'Notes something about the customer that colleagues should know next time',
    ['customer_id', 'text'],
  ],
];

/** The first `count` tools, as name, description and JSON Schema. */
export function toolDefinitions(count) {
  return TOOLS.slice(0, count).map(([name, does, parameters]) => ({
    name,
    description: `${does}. Use it when the customer asks for it or when you need it for your answer; ask for what is missing rather than to guess.`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        parameters.map((parameter) => {
          const schema = PARAMETERS[parameter];
          return [parameter, typeof schema === 'string' ? { type: 'string', description: schema } : schema];
        }),
      ),
      required: parameters.slice(0, 1),
      additionalProperties: false,
    },
  }));
}
