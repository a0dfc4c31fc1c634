import * as adapters from './adapters/adapters.js';
import * as claudeQuery from './adapters/claude/wrap-claude-query.js';
import * as client from './adapters/wrap-client.js';
import * as mastraAgent from './adapters/mastra/wrap-mastra-agent.js';
import * as mcpClient from './adapters/mcp/wrap-mcp-client.js';
import * as model from './adapters/models/wrap-model.js';
import * as realtime from './adapters/realtime/wrap-realtime.js';

/** Replaces `load-later.ts` in the ES module build, because only a static import loads an ES module synchronously. */
export const loadAdapters = (): typeof adapters => adapters;

export const loadWrapClaudeQuery = (): typeof claudeQuery => claudeQuery;

export const loadWrapClient = (): typeof client => client;

export const loadWrapMastraAgent = (): typeof mastraAgent => mastraAgent;

export const loadWrapMcpClient = (): typeof mcpClient => mcpClient;

export const loadWrapModel = (): typeof model => model;

export const loadWrapRealtime = (): typeof realtime => realtime;
