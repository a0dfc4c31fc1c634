import type { TracerOptions } from '@dacapo/tracer';

/** What the environment says; an empty variable is none. The only place of this package that reads it. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
): Pick<TracerOptions, 'apiKey' | 'serviceUrl'> {
  const { TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: serviceUrl } = env;
  return { ...(apiKey && { apiKey }), ...(serviceUrl && { serviceUrl }) };
}
