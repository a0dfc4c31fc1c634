import { type RunningService, startService } from '../running-service.js';

/** A service with calls for agents. */
export interface RecordingService extends RunningService {
  readonly env: { readonly TRACER_API_KEY: string; readonly TRACER_SERVICE_URL: string };
  /** @param path below `/api/v1` */
  get<T>(path: string): Promise<T>;
}

export async function startRecordingService(): Promise<RecordingService> {
  const service = await startService();
  const { url, apiKey } = service;
  return {
    ...service,
    env: { TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: url },
    get: async <T>(path: string) => {
      const response = await fetch(`${url}/api/v1${path}`, { headers: { 'API-Key': apiKey } });
      expect(response.status).toBe(200);
      return (await response.json()) as T;
    },
  };
}
