import type { FunctionSummary, FunctionVersionRecord, FunctionVersionSummary } from '@dacapo/protocol';

export interface NewFunctionVersion {
  name: string;
  source: string;
  entry: string;
  note?: string;
  createdAt: string;
}

/** Native functions: their versions, which never change, and which of them is active. */
export interface FunctionStore {
  /** Adds a version after the newest, 1 for the first; two at once never get the same number. */
  addVersion(accountId: string, version: NewFunctionVersion): Promise<number>;
  /** `false` when there is no such version. */
  activate(accountId: string, name: string, version: number): Promise<boolean>;
  /** By name. A function without an active version is not among them. */
  list(accountId: string): Promise<FunctionSummary[]>;
  /** The newest first. */
  listVersions(accountId: string, name: string): Promise<FunctionVersionSummary[]>;
  findVersion(
    accountId: string,
    name: string,
    version: number | 'active' | 'newest',
  ): Promise<FunctionVersionRecord | undefined>;
}
