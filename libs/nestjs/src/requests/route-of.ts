interface RoutedRequest {
  /** Express */
  readonly baseUrl?: string;
  readonly route?: { readonly path?: unknown };
  /** Fastify 4 and 5 */
  readonly routeOptions?: { readonly url?: string };
}

/** The template of the route that a request was given to, such as `/tickets/:id`; `undefined` before, or without one. */
export function routeOf(request: object): string | undefined {
  const { baseUrl = '', route, routeOptions } = request as RoutedRequest;
  if (typeof route?.path === 'string') return baseUrl + route.path;
  return routeOptions?.url;
}
