import type { ModelMethod, Vendor } from '../clients/model-method.js';
import { Late } from '../late.js';
import { type Fields, toFields, isFields } from '../readers.js';
import { decodeBody } from './decode-body.js';

const CONVERSE = {
  body: ({ input }: Fields): Fields => toFields(input),
  reader: new Late(async () => (await import('./bedrock-converse.js')).CONVERSE),
};

/** A body is bytes of JSON in the format of the model: it is recorded as data. */
const INVOKE = {
  body: ({ input }: Fields): Fields => {
    const { body, modelId } = toFields(input);
    const request = decodeBody(body);
    return { modelId, ...(isFields(request) ? request : { body: request }) };
  },
  reader: new Late(async () => (await import('./bedrock-invoke.js')).INVOKE),
};

/** The client of Amazon Bedrock has one method, and the command selects the operation. Other commands are not recorded. */
export const BEDROCK: Vendor = {
  name: 'bedrock',
  methods: [
    command('ConverseCommand', 'converse', CONVERSE),
    command('ConverseStreamCommand', 'converseStream', { ...CONVERSE, streamIn: 'stream' }),
    command('InvokeModelCommand', 'invokeModel', INVOKE),
    command('InvokeModelWithResponseStreamCommand', 'invokeModelStream', { ...INVOKE, streamIn: 'body' }),
  ],
  isClient: ({ send, config, middlewareStack }) =>
    typeof send === 'function' &&
    isFields(middlewareStack) &&
    toFields(config)['serviceId'] === 'Bedrock Runtime',
  findProvider: () => 'bedrock',
};

function command(name: string, key: string, format: Omit<ModelMethod, 'path'>): ModelMethod {
  const takes = (value: unknown): boolean => isFields(value) && value.constructor.name === name;
  return { ...format, path: ['send'], key, takes };
}
