import { STAND_IN_MODEL, STAND_IN_PORT } from '../stand-in-model/identity.js';
import { type AppConfig, type ModelConfig, type Platform, PLATFORMS } from './app-config.js';
import { ConfigError } from './config-error.js';

type Environment = Readonly<Record<string, string | undefined>>;

const OPENAI_URL = 'https://api.openai.com/v1';
const OPENAI_MODEL = 'gpt-4o-mini';

/**
 * Reads the configuration from environment variables.
 *
 * | Variable | Default |
 * |---|---|
 * | `PORT` | 3000; 0 picks a free port |
 * | `HTTP_PLATFORM` | `express`; or `fastify` |
 * | `OPENAI_API_KEY` | none: uses the local stand-in model |
 * | `OPENAI_BASE_URL` | OpenAI with a key, the stand-in without |
 * | `OPENAI_MODEL` | `gpt-4o-mini` with a key, `stand-in` without |
 * | `TRACER_API_KEY`, `TRACER_SERVICE_URL` | see TracerModule |
 *
 * @throws ConfigError if a value is invalid
 */
export function loadConfig(env: Environment): AppConfig {
  const apiKey = text(env.TRACER_API_KEY);
  const serviceUrl = text(env.TRACER_SERVICE_URL);
  return {
    platform: platform(text(env.HTTP_PLATFORM) ?? 'express'),
    port: port(text(env.PORT) ?? '3000'),
    model: model(env),
    tracer: { ...(apiKey !== undefined && { apiKey }), ...(serviceUrl !== undefined && { serviceUrl }) },
  };
}

function model(env: Environment): ModelConfig {
  const apiKey = text(env.OPENAI_API_KEY);
  const isStandIn = apiKey === undefined && text(env.OPENAI_BASE_URL) === undefined;
  const baseUrl = text(env.OPENAI_BASE_URL) ?? (isStandIn ? standInUrl(STAND_IN_PORT) : OPENAI_URL);
  if (!URL.canParse(baseUrl)) {
    throw new ConfigError('OPENAI_BASE_URL', `is not a URL: "${baseUrl}"`, `Example: ${OPENAI_URL}.`);
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ''),
    name: text(env.OPENAI_MODEL) ?? (isStandIn ? STAND_IN_MODEL : OPENAI_MODEL),
    ...(apiKey !== undefined && { apiKey }),
  };
}

function standInUrl(standInPort: number): string {
  return `http://127.0.0.1:${standInPort}/v1`;
}

function platform(value: string): Platform {
  const known = PLATFORMS.find((name) => name === value);
  if (known !== undefined) return known;
  throw new ConfigError('HTTP_PLATFORM', `is "${value}"`, `Set it to one of ${PLATFORMS.join(', ')}.`);
}

function port(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 65_535) return number;
  throw new ConfigError('PORT', `is "${value}"`, 'Set it to a whole number from 0 to 65535.');
}

/** Treats a blank variable as unset. */
function text(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
