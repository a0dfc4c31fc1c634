import type * as AdaptersModule from './adapters/adapters.js';
import type * as WrapClientModule from './adapters/clients/wrap-client.js';
import type * as WrapMcpClientModule from './adapters/mcp/wrap-mcp-client.js';
import type * as WrapModelModule from './adapters/models/wrap-model.js';
import type * as NativeFunctionsModule from './functions/native-functions.js';

/**
 * What is in files of its own, so that an application that never asks for it never loads it. By `require` and not by
 * `import()`: `wrapFramework` and its like answer at once, and `call` captures its input before the caller can change it.
 * The package is CommonJS in all its forms (docs/adr/0008).
 */
export function loadAdapters(): typeof AdaptersModule {
  return require('./adapters/adapters.js') as typeof AdaptersModule;
}

export function loadWrapClient(): typeof WrapClientModule {
  return require('./adapters/clients/wrap-client.js') as typeof WrapClientModule;
}

export function loadWrapMcpClient(): typeof WrapMcpClientModule {
  return require('./adapters/mcp/wrap-mcp-client.js') as typeof WrapMcpClientModule;
}

export function loadWrapModel(): typeof WrapModelModule {
  return require('./adapters/models/wrap-model.js') as typeof WrapModelModule;
}

export function loadNativeFunctions(): typeof NativeFunctionsModule {
  return require('./functions/native-functions.js') as typeof NativeFunctionsModule;
}
