export interface ReadyFacts {
  readonly url: string;
  readonly apiKey?: string;
  readonly dashboardUrl: string;
  readonly dataDir: string;
}

/** What a person reads when the service is up. */
export function readyMessage({ url, apiKey, dashboardUrl, dataDir }: ReadyFacts): string {
  return [
    `Dacapo is ready at ${url}`,
    '',
    `  Dashboard  ${dashboardUrl}`,
    '             Opens signed in; the link works once.',
    ...(apiKey === undefined
      ? ['  API keys   The first start showed one; the page API keys of the dashboard makes more.']
      : [
          `  API key    ${apiKey}`,
          '             Keep it: it is shown this once. Applications send it as TRACER_API_KEY.',
        ]),
    `  Data       ${dataDir}`,
    '',
    'Press Ctrl+C to stop.',
  ].join('\n');
}
