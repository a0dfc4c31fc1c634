import {
  type ActivateFunctionRequest,
  formatTimestamp,
  type FunctionSummary,
  type FunctionVersionRecord,
  type FunctionVersionSummary,
  ProtocolError,
  type PushFunctionRequest,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta/meta-store.js';

/** Stores native functions. Only tracers run them, with their own API keys. */
@Injectable()
export class FunctionService {
  constructor(
    private readonly meta: MetaStore,
    private readonly clock: Clock,
  ) {}

  list(accountId: string): Promise<FunctionSummary[]> {
    return this.meta.functions.list(accountId);
  }

  /** Newest first. @throws NotFoundException */
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

  /**
   * Adds a version, unless the newest is equal. The first version always becomes active. The source is not compiled, only searched for
   * the entry.
   *
   * @throws ProtocolError when the source does not declare the entry
   */
  async push(
    accountId: string,
    { name, source, entry = name, note, activate = true }: PushFunctionRequest,
  ): Promise<FunctionVersionRecord> {
    if (!declares(source, entry))
      throw new ProtocolError('entry', `must name a function of the source, which has no function ${entry}`);
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
    return activate || version === 1
      ? this.activate(accountId, { name, version })
      : this.get(accountId, name, version);
  }

  /**
   * @throws NotFoundException
   * @throws ConflictException when another version than `replaces` is active
   */
  async activate(
    accountId: string,
    { name, version, replaces }: ActivateFunctionRequest,
  ): Promise<FunctionVersionRecord> {
    const activatedAt = formatTimestamp(this.clock.nowUs());
    const outcome = await this.meta.functions.activate(accountId, name, { version, activatedAt, replaces });
    if (outcome === 'replaced')
      throw new ConflictException(
        `Version ${replaces ?? ''} of function ${name} is not active any more. Look at its versions and activate again`,
      );
    return this.get(accountId, name, version);
  }
}

function declares(source: string, entry: string): boolean {
  return /^\w+$/.test(entry) && new RegExp(`^[ \\t]*function\\s+${entry}\\s*\\(`, 'm').test(source);
}
