import type { ConnectionOptions } from '../service/connection.js';

export interface ProveWords extends ConnectionOptions {
  readonly check?: true;
  readonly base: string;
  readonly others: number;
  readonly allowUnknown: number;
  readonly out: string;
  readonly timeout: number;
}
