import { startStandInModel } from './http/start-stand-in-model.js';
import { STAND_IN_PORT } from './identity.js';

async function main(): Promise<void> {
  const standIn = await startStandInModel({ port: Number(process.env.PORT ?? STAND_IN_PORT) });
  const { baseUrl } = standIn;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void standIn.close());
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ baseUrl }));
    return;
  }
  console.log(`Stand-in model: ${baseUrl}. It answers by rules, not with a language model.`);
  console.log('To use a real model, set OPENAI_API_KEY for the support desk.');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
