import { join } from 'node:path';
import { ROOT } from '../workspace.mjs';

/** Whether the environment names a model to ask. */
export function hasProvider(env) {
  return [env.OPENAI_API_KEY, env.OPENAI_BASE_URL].some((value) => (value ?? '').trim() !== '');
}

/** Starts the stand-in model server; resolves to what makes the support desk ask it. */
export async function startStandInModel(children) {
  const { baseUrl } = await children.start({
    name: 'The stand-in model',
    args: [join(ROOT, 'sample-app/dist/stand-in-model/main.js'), '--json'],
    env: { PORT: '0' },
    cure: 'Set OPENAI_API_KEY to do without it, or report this.',
  });
  return { OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: 'stand-in' };
}

/** Starts the sample app; resolves to `{ url, model: { name, baseUrl } }`. */
export function startSupportDesk(children, { port, collector, modelEnv }) {
  return children.start({
    name: 'The support desk',
    args: [join(ROOT, 'sample-app/dist/main.js'), '--json'],
    env: {
      ...modelEnv,
      PORT: `${port}`,
      TRACER_API_KEY: collector.apiKey,
      TRACER_SERVICE_URL: collector.url,
    },
    cure: 'Choose another port with --app-port; for a variable, write what the message says.',
  });
}
