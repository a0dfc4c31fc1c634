import type * as AdaptersModule from './adapters/adapters.js';
import type * as WrapClaudeQueryModule from './adapters/claude/wrap-claude-query.js';
import type * as WrapClientModule from './adapters/wrap-client.js';
import type * as WrapMastraAgentModule from './adapters/mastra/wrap-mastra-agent.js';
import type * as WrapMcpClientModule from './adapters/mcp/wrap-mcp-client.js';
import type * as WrapModelModule from './adapters/models/wrap-model.js';
import type * as WrapRealtimeModule from './adapters/realtime/wrap-realtime.js';

/**
 * Parts that CommonJS loads at their first use. It uses `require`, because `wrapClient` and similar methods are synchronous. ES modules
 * cannot load modules synchronously, so their build has `load-later.esm.ts` instead (docs/adr/0061).
 */
export function loadAdapters(): typeof AdaptersModule {
  return require('./adapters/adapters.js') as typeof AdaptersModule;
}

export function loadWrapClaudeQuery(): typeof WrapClaudeQueryModule {
  return require('./adapters/claude/wrap-claude-query.js') as typeof WrapClaudeQueryModule;
}

export function loadWrapClient(): typeof WrapClientModule {
  return require('./adapters/wrap-client.js') as typeof WrapClientModule;
}

export function loadWrapMastraAgent(): typeof WrapMastraAgentModule {
  return require('./adapters/mastra/wrap-mastra-agent.js') as typeof WrapMastraAgentModule;
}

export function loadWrapMcpClient(): typeof WrapMcpClientModule {
  return require('./adapters/mcp/wrap-mcp-client.js') as typeof WrapMcpClientModule;
}

export function loadWrapModel(): typeof WrapModelModule {
  return require('./adapters/models/wrap-model.js') as typeof WrapModelModule;
}

export function loadWrapRealtime(): typeof WrapRealtimeModule {
  return require('./adapters/realtime/wrap-realtime.js') as typeof WrapRealtimeModule;
}
