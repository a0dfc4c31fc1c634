import { type Members, toMembers, hasMembers } from '@dacapo/protocol';
import type { ModelMethod, Vendor } from '../clients/model-method.js';
import { Late } from '../late.js';
import { decodeBody } from './decode-body.js';

const CONVERSE = {
  body: ({ input }: Members): Members => toMembers(input),
  reader: new Late(async () => (await import('./bedrock-converse.js')).CONVERSE),
};

/** A body is bytes of JSON in the format of the model: it is recorded as data. */
const INVOKE = {
  body: ({ input }: Members): Members => {
    const { body, modelId } = toMembers(input);
    const request = decodeBody(body);
    return { modelId, ...(hasMembers(request) ? request : { body: request }) };
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
    hasMembers(middlewareStack) &&
    toMembers(config)['serviceId'] === 'Bedrock Runtime',
  findProvider: () => 'bedrock',
};

function command(name: string, key: string, format: Omit<ModelMethod, 'path'>): ModelMethod {
  const takes = (value: unknown): boolean => hasMembers(value) && value.constructor.name === name;
  return { ...format, path: ['send'], key, takes };
}
