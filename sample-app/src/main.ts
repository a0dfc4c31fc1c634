import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { ConfigError } from './config/config-error.js';
import { loadConfig } from './config/load-config.js';
import { createApplication } from './create-application.js';
import { STAND_IN_MODEL } from './stand-in-model/identity.js';

async function main(): Promise<void> {
  const config = loadConfig(process.env);
  const app = await createApplication(config);
  await listen(app, config.port);
  const url = await app.getUrl();
  const { name, baseUrl } = config.model;
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ url, model: { name, baseUrl } }));
    return;
  }
  console.log(`Support desk: ${url} (${config.platform})`);
  console.log(
    `Model: ${name} at ${baseUrl}${name === STAND_IN_MODEL ? ' (rules, not a language model)' : ''}`,
  );
  console.log(`Try: curl -s ${url}/tickets -H 'content-type: application/json' \\`);
  console.log(`  -d '{"customer":"Ada","message":"Where is my order LM-1042?"}'`);
}

async function listen(app: INestApplication, port: number): Promise<void> {
  try {
    await app.listen(port, '127.0.0.1');
  } catch (error) {
    await app.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new ConfigError(
      'PORT',
      `${port} is in use by another program`,
      'Choose another port, or 0 for any free port.',
    );
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
});
