import { join } from 'node:path';
import { ROOT } from '../workspace.mjs';

/** Whether the environment configures a model. */
export function hasProvider(env) {
  return [env.OPENAI_API_KEY, env.OPENAI_BASE_URL].some((value) => (value ?? '').trim() !== '');
}

/** Starts the stand-in model server. Resolves to the variables that make the support desk use it. */
export async function startStandInModel(children) {
  const { baseUrl } = await children.start({
    name: 'The stand-in model',
    args: [join(ROOT, 'sample-app/dist/stand-in-model/main.js'), '--json'],
    env: { PORT: '0' },
    cure: 'Set OPENAI_API_KEY to use a real model instead, or report this.',
  });
  return { OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: 'stand-in' };
}

/** Starts the sample app. Resolves to `{ url, model: { name, baseUrl } }`. */
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
    cure: 'Choose another port with --app-port, or correct the variable that the message names.',
  });
}
