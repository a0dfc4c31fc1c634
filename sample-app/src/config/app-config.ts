export const PLATFORMS = ['express', 'fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

export interface ModelConfig {
  /** Base URL of an OpenAI-compatible API including its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly name: string;
}

interface TracerConfig {
  readonly apiKey?: string;
  readonly serviceUrl?: string;
}

/** Settings from the environment. */
export interface AppConfig {
  readonly platform: Platform;
  readonly port: number;
  readonly model: ModelConfig;
  readonly tracer: TracerConfig;
}

/** Injection token. */
export const AppConfig = Symbol('AppConfig');
