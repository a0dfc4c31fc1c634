const page = (text, path) => ({ text, link: `/${path}` });

/** The pages in reading order. `test/documents.spec.ts` fails if a page is missing. */
export const SIDEBAR = [
  { text: 'Start', items: [page('Overview', ''), page('Tutorial', 'tutorial')] },
  {
    text: 'Record',
    items: [
      page('The tracer', 'tracer'),
      page('Plain Node', 'node'),
      page('Next.js', 'nextjs'),
      page('Clients', 'clients'),
      page('Adapters', 'adapters'),
      page('OpenTelemetry', 'opentelemetry'),
      page('To OpenTelemetry', 'opentelemetry-export'),
      page('Secrets', 'redaction'),
      page('Usage and cost', 'usage'),
      page('Delivery', 'delivery'),
    ],
  },
  {
    text: 'NestJS',
    items: [
      page('Setup', 'nestjs'),
      page('Requests and context', 'nestjs-context'),
      page('Replay and tests', 'nestjs-replay'),
    ],
  },
  {
    text: 'Test a change',
    items: [
      page('Replay', 'replay'),
      page('Evaluations', 'evaluation'),
      page('The gate', 'gate'),
      page('Datasets and scores', 'datasets'),
      page('Cassettes', 'cassettes'),
      page('Coding agents', 'coding-agents'),
      page('Proved fixes', 'proofs'),
      page('CI', 'ci'),
    ],
  },
  {
    text: 'Find and count',
    items: [page('Finding traces', 'reading'), page('Metrics', 'metrics'), page('Indexes', 'indexes')],
  },
  {
    text: 'Run the service',
    items: [
      page('Deployment', 'deployment'),
      page('Operations', 'operations'),
      page('Scaling', 'scaling'),
      page('Storage drivers', 'storage-drivers'),
      page('Upgrading', 'upgrading'),
      page('Security', 'security'),
      page('Keys and members', 'keys'),
      page('Deleting and exporting data', 'data'),
    ],
  },
  {
    text: 'Reference',
    collapsed: false,
    items: [
      page('Command line', 'cli'),
      page('Help of each command', 'api/commands'),
      page('HTTP API', 'api/http'),
      page('Errors', 'errors'),
      page('Limits', 'limits'),
      page('Glossary', 'glossary'),
      page('Benchmarks', 'benchmarks'),
      page('Costs of masking', 'masking-costs'),
      page('Decisions', 'adr/'),
      {
        text: 'API of the packages',
        collapsed: true,
        items: [
          'tracer',
          'nestjs',
          'testing',
          'evaluation',
          'client',
          'protocol',
          'collector',
          'indexes',
          'cli',
        ].map((name) => page(`@dacapo/${name}`, `api/${name}`)),
      },
    ],
  },
];
