import * as adapters from './adapters/adapters.js';
import * as client from './adapters/clients/wrap-client.js';
import * as mcpClient from './adapters/mcp/wrap-mcp-client.js';
import * as model from './adapters/models/wrap-model.js';

/** The ES module build has this in the place of `load-later.ts`: nothing loads an ES module at once but a static import. */
export const loadAdapters = (): typeof adapters => adapters;

export const loadWrapClient = (): typeof client => client;

export const loadWrapMcpClient = (): typeof mcpClient => mcpClient;

export const loadWrapModel = (): typeof model => model;
