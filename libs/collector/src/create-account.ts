import type { CreatedAccount } from '@dacapo/protocol';
import type { NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountService } from './accounts/account-service.js';
import { CollectorModule } from './collector.module.js';
import { FASTIFY_OPTIONS } from './http/fastify-options.js';
import type { CollectorOptions } from './options.js';

/**
 * Creates an account and its first key in a data directory that no service uses.
 *
 * @throws DataDirectoryInUseError when a service uses it; create the account with the operator token instead
 * @throws what `startCollector` throws about the data directory
 */
export async function createAccount({
  name,
  ...options
}: Pick<CollectorOptions, 'dataDir' | 'logger'> & { name: string }): Promise<CreatedAccount> {
  const module = CollectorModule.forRoot({ ...options, reserveBytes: 0 });
  const nestOptions: Readonly<NestApplicationOptions> = { logger: false, abortOnError: false };
  // `create` does not initialize the application, so no background job starts.
  const application = await NestFactory.create<NestFastifyApplication>(
    module,
    new FastifyAdapter(FASTIFY_OPTIONS),
    nestOptions,
  );
  try {
    return await application.get(AccountService).createWithKey(name);
  } finally {
    await application.close();
  }
}
