import type { INestApplication, NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { AppConfig } from './config/app-config.js';

const OPTIONS: Readonly<NestApplicationOptions> = { logger: ['warn', 'error', 'fatal'], abortOnError: false };

/** Creates the application on the configured platform. It does not listen yet. */
export async function createApplication(config: AppConfig): Promise<INestApplication> {
  const adapter = config.platform === 'fastify' ? new FastifyAdapter() : new ExpressAdapter();
  const app = await NestFactory.create(AppModule.register(config), adapter, OPTIONS);
  // On SIGTERM and Ctrl+C, Nest waits until the tracer has sent its records.
  app.enableShutdownHooks();
  return app;
}
