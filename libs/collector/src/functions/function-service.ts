import {
  formatTimestamp,
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  type PushFunctionRequest,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';

/** Keeps native functions. It stores their source and never runs it: a tracer does, with the keys that it has. */
@Injectable()
export class FunctionService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
  ) {}

  list(accountId: string): Promise<FunctionSummary[]> {
    return this.meta.functions.list(accountId);
  }

  /** The newest first. @throws NotFoundException */
  async listVersions(accountId: string, name: string): Promise<FunctionVersionSummary[]> {
    const versions = await this.meta.functions.listVersions(accountId, name);
    if (versions.length === 0) throw new NotFoundException(`Function ${name} not found`);
    return versions;
  }

  /** @throws NotFoundException */
  async get(accountId: string, name: string, version: number | 'active'): Promise<FunctionVersionRecord> {
    const found = await this.meta.functions.findVersion(accountId, name, version);
    if (found) return found;
    throw new NotFoundException(
      version === 'active'
        ? `Function ${name} not found`
        : `Version ${version} of function ${name} not found`,
    );
  }

  /** Adds a version, or finds that the newest is the same already. The first version is active in any case. */
  async push(
    accountId: string,
    name: string,
    { source, entry = name, note, activate = true }: PushFunctionRequest,
  ): Promise<FunctionVersionRecord> {
    const newest = await this.meta.functions.findVersion(accountId, name, 'newest');
    const isSame = newest?.source === source && newest.entry === entry;
    const version = isSame
      ? newest.version
      : await this.meta.functions.addVersion(accountId, {
          name,
          source,
          entry,
          ...(note !== undefined && { note }),
          createdAt: formatTimestamp(this.clock.nowUs()),
        });
    if (activate || version === 1) await this.meta.functions.activate(accountId, name, version);
    return this.get(accountId, name, version);
  }

  /** @throws NotFoundException */
  async activate(accountId: string, name: string, version: number): Promise<FunctionVersionRecord> {
    await this.meta.functions.activate(accountId, name, version);
    return this.get(accountId, name, version);
  }
}
