import { injectTraceContext } from '@dacapo/tracer';

/** The part of an axios instance that is used. */
export interface AxiosLike {
  readonly interceptors: {
    readonly request: { use(onRequest: unknown): number; eject(id: number): void };
  };
}

interface AxiosConfig {
  readonly headers: { set(name: string, value: string): unknown };
}

/**
 * Has an axios instance (`HttpService.axiosRef` of @nestjs/axios too) send `traceparent` with requests that are made
 * inside a span. Use it for services of your own; others need not know.
 *
 * @returns takes it back
 */
export function propagateThroughAxios(axios: AxiosLike): () => void {
  const addHeader = (config: AxiosConfig): AxiosConfig => {
    const { traceparent } = injectTraceContext<{ traceparent?: string }>({});
    if (traceparent !== undefined) config.headers.set('traceparent', traceparent);
    return config;
  };
  const id = axios.interceptors.request.use(addHeader);
  return () => {
    axios.interceptors.request.eject(id);
  };
}
