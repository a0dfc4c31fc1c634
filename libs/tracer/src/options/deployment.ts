import { LIMITS } from '@dacapo/protocol';

/** Variables in order of precedence: our own, OpenTelemetry's, those of other tracers, then of hosts and CI systems. */
const ENVIRONMENT_VARIABLES = [
  'SENTRY_ENVIRONMENT',
  'LANGFUSE_TRACING_ENVIRONMENT',
  'VERCEL_TARGET_ENV',
  'VERCEL_ENV',
  'RAILWAY_ENVIRONMENT_NAME',
  'CI_ENVIRONMENT_NAME',
  'NODE_ENV',
];

const RELEASE_VARIABLES = [
  'SENTRY_RELEASE',
  'LANGFUSE_RELEASE',
  'VERCEL_GIT_COMMIT_SHA',
  'HEROKU_BUILD_COMMIT',
  'HEROKU_SLUG_COMMIT',
  'SOURCE_VERSION',
  'RENDER_GIT_COMMIT',
  'RAILWAY_GIT_COMMIT_SHA',
  'CF_PAGES_COMMIT_SHA',
  'COMMIT_REF',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'CIRCLE_SHA1',
  'BITBUCKET_COMMIT',
  'BUILD_SOURCEVERSION',
  'GIT_COMMIT',
  'GIT_SHA',
];

/** Where the application runs, and which version of it. */
export interface Deployment {
  readonly environment: string | undefined;
  readonly release: string | undefined;
}

/** Options override environment variables. A blank value counts as not set, and a long one is cut. */
export function resolveDeployment(
  options: Partial<Deployment>,
  env: NodeJS.ProcessEnv = process.env,
): Deployment {
  const attributes = resourceAttributes(env['OTEL_RESOURCE_ATTRIBUTES']);
  const readVariables = (names: readonly string[]): (string | undefined)[] => names.map((name) => env[name]);
  return {
    environment: firstText([
      options.environment,
      env['TRACER_ENVIRONMENT'],
      attributes.get('deployment.environment.name'),
      attributes.get('deployment.environment'),
      ...readVariables(ENVIRONMENT_VARIABLES),
    ]),
    release: firstText([
      options.release,
      env['TRACER_RELEASE'],
      attributes.get('service.version'),
      ...readVariables(RELEASE_VARIABLES),
    ]),
  };
}

function firstText(candidates: readonly (string | undefined)[]): string | undefined {
  const found = candidates.find((text) => text !== undefined && text.trim() !== '');
  return found?.trim().slice(0, LIMITS.labelLength);
}

/** Parses `service.version=1.2.0,deployment.environment.name=staging`, percent-encoded. Values that cannot be decoded stay unchanged. */
function resourceAttributes(text = ''): Map<string, string> {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(at, 0)).trim(), decoded(pair.slice(at + 1).trim())];
  });
  return new Map(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
