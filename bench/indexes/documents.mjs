import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspace.mjs';

const PACKAGES = 'fastify undici pino commander avvio find-my-way light-my-request'.split(' ');
const TYPES = [
  [/\.md$/, 'text/markdown'],
  [/\.d\.ts$/, 'text/typescript'],
];

/** Documents of packages in node_modules, and an invented API description. */
export function documents() {
  return [...PACKAGES.flatMap((name) => listFiles(name)), shopApi()];
}

function listFiles(name) {
  const root = join(ROOT, 'node_modules');
  return readdirSync(join(root, name), { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    const source = path.slice(root.length + 1);
    const type = TYPES.find(([pattern]) => pattern.test(entry.name))?.[1];
    if (!entry.isFile() || !type || /\/(?:node_modules|test|tests)\//.test(source.slice(name.length)))
      return [];
    return [{ source, content: readFileSync(path, 'utf8'), content_type: type }];
  });
}

function shopApi() {
  const error = (description) => ({ description });
  const id = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const body = (properties) => ({
    content: { 'application/json': { schema: { type: 'object', properties } } },
  });
  const text = { type: 'string' };
  const api = {
    openapi: '3.0.3',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/orders': {
        get: {
          summary: 'List orders',
          operationId: 'listOrders',
          responses: { 200: error('Orders.'), 429: error('Too many.') },
        },
        post: {
          summary: 'Place an order',
          operationId: 'placeOrder',
          requestBody: body({ sku: text }),
          responses: {},
        },
      },
      '/orders/{id}': {
        get: {
          summary: 'One order',
          operationId: 'getOrder',
          parameters: id,
          responses: { 404: error('No such order.') },
        },
        delete: { summary: 'Cancel an order', operationId: 'cancelOrder', parameters: id, responses: {} },
      },
      '/orders/{id}/refunds': {
        post: {
          summary: 'Refund an order',
          operationId: 'refundOrder',
          parameters: id,
          requestBody: body({ amount: text }),
          responses: {},
        },
      },
      '/customers': {
        post: {
          summary: 'Add a customer',
          operationId: 'createCustomer',
          requestBody: body({ email: text }),
          responses: {},
        },
      },
      '/webhooks/{id}': {
        delete: { summary: 'Delete a webhook', operationId: 'deleteWebhook', parameters: id, responses: {} },
      },
    },
  };
  return { source: 'bench/shop-api.json', content: JSON.stringify(api), content_type: 'application/json' };
}
