/** The entry `@dacapo/collector/storage/contract`: what every storage driver must do, as tests. They run in Jest, and in Vitest with globals. */
export { describeMetaStore } from './contract/meta-store.contract.js';
export { describeSpanStore } from './contract/span-store.contract.js';
export type { OpenedSpanStore } from './contract/span-store/span-store-account.js';
