export const PLATFORMS = ['express', 'fastify'] as const;
export type Platform = (typeof PLATFORMS)[number];

export interface ModelConfig {
  /** Address of an OpenAI-compatible API, up to and with its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  readonly name: string;
}

interface TracerConfig {
  readonly apiKey?: string;
  readonly serviceUrl?: string;
}

/** Everything that the application takes from its environment. */
export interface AppConfig {
  readonly platform: Platform;
  readonly port: number;
  readonly model: ModelConfig;
  readonly tracer: TracerConfig;
}

/** The token it is injected by. */
export const AppConfig = Symbol('AppConfig');
