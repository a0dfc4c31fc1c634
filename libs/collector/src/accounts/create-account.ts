import type { CreatedAccount } from '@dacapo/protocol';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { CollectorModule } from '../collector.module.js';
import { FASTIFY_OPTIONS } from '../http/fastify-options.js';
import type { CollectorOptions } from '../options.js';
import { AccountService } from './account-service.js';

/**
 * Creates an account and its first key in a data directory that no service runs on.
 *
 * @throws DataDirectoryInUseError when a service runs on it: use the operator token instead
 * @throws what `startCollector` throws of the data directory
 */
export async function createAccount({
  name,
  ...options
}: Pick<CollectorOptions, 'dataDir' | 'logger'> & { name: string }): Promise<CreatedAccount> {
  const module = CollectorModule.forRoot({ ...options, reserveBytes: 0 });
  // Created, not initialised: no job of the service starts.
  const application = await NestFactory.create<NestFastifyApplication>(
    module,
    new FastifyAdapter(FASTIFY_OPTIONS),
    nestOptions(),
  );
  try {
    return await application.get(AccountService).createWithKey(name);
  } finally {
    await application.close();
  }
}

function nestOptions(): Readonly<NestApplicationOptions> {
  return { logger: false, abortOnError: false };
}
