const PEERS = '../../peers/arms';

/** Measured SDKs: file of the arm, package whose version is reported, and share of the workload. */
export const SUBJECTS = [
  { name: 'Dacapo', arm: 'dacapo', package: '@dacapo/tracer', share: 1 },
  {
    name: 'OpenTelemetry',
    arm: `${PEERS}/opentelemetry`,
    package: '@opentelemetry/sdk-trace-node',
    share: 1,
  },
  { name: 'Langfuse', arm: `${PEERS}/langfuse`, package: '@langfuse/tracing', share: 0.5 },
  { name: 'Opik', arm: `${PEERS}/opik`, package: 'opik', share: 0.2 },
  { name: 'Braintrust', arm: `${PEERS}/braintrust`, package: 'braintrust', share: 0.2 },
  { name: 'LangSmith', arm: `${PEERS}/langsmith`, package: 'langsmith', share: 0.1 },
  { name: 'Bitfab', arm: `${PEERS}/bitfab`, package: 'bitfab', share: 0.1 },
];

/** No SDK: the minimum cost of recording a call. */
export const BASELINE = { name: 'simple', arm: 'simple', share: 1 };
