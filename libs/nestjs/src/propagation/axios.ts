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
 * Makes an axios instance, such as `HttpService.axiosRef` of @nestjs/axios, send `traceparent` with requests inside a span.
 * Use it only for your own services.
 *
 * @returns a function that stops it
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
