import { newSpanId, newTraceId, toW3cTraceId } from '@dacapo/protocol';

export const SHELLS = ['bash', 'PowerShell'] as const;
export type Shell = (typeof SHELLS)[number];

interface Setup {
  shell: Shell;
  serviceUrl: string;
  apiKey: string;
}

/** A way to send a first call. All lines can be pasted into a terminal at once. */
export interface SetupPath {
  name: string;
  /** What the lines do, and what is left to do. */
  about: string;
  toCode: (setup: Setup) => string;
}

const TRACER = `const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});`;

const SDK_FILE = `import { Tracer } from '@dacapo/tracer';

${TRACER}
const classify = tracer.withSpan('classify-ticket', { type: 'llm' }, async (message) => {
  return message.includes('charged') ? 'billing' : 'other'; // your model call
});

console.log(await classify('I was charged twice.'));
await tracer.shutdown();`;

const CLIENT_FILE = `import OpenAI from 'openai';
import { Tracer } from '@dacapo/tracer';

${TRACER}
const openai = tracer.wrapClient(new OpenAI()); // reads OPENAI_API_KEY

const answer = await openai.chat.completions.create({
  model: 'gpt-5-mini',
  messages: [{ role: 'user', content: 'Will it rain in Oslo?' }],
});
console.log(answer.choices[0]?.message.content);
await tracer.shutdown();`;

const runFile = (install: string, file: string, setup: Setup): string =>
  [
    install,
    appendVariables(setup),
    writeFile(setup.shell, 'first-call.mjs', file),
    'node --env-file=.env first-call.mjs',
  ].join('\n\n');

export const SETUP_PATHS: readonly [SetupPath, ...SetupPath[]] = [
  {
    name: 'SDK',
    about: 'Wraps one function and calls it. Then wrap a function of your own.',
    toCode: (setup) => runFile('npm install @dacapo/tracer', SDK_FILE, setup),
  },
  {
    name: 'NestJS',
    about:
      'Run it in the folder of your application. The last command adds TracerModule, a line that loads .env, and @Traced on the method that you pick. Then start the application and call the method.',
    toCode: (setup) =>
      [
        'npm install @dacapo/nestjs @dacapo/tracer\nnpm install --save-dev @dacapo/cli',
        appendVariables(setup),
        'npx dacapo init',
      ].join('\n\n'),
  },
  {
    name: 'Clients',
    about: 'Wraps the client of OpenAI and needs OPENAI_API_KEY. Other clients are wrapped the same way.',
    toCode: (setup) => runFile('npm install @dacapo/tracer openai', CLIENT_FILE, setup),
  },
  {
    name: 'OTLP',
    about:
      'Nothing to install. The variables configure the OpenTelemetry SDK of any language, and the request sends one span.',
    toCode: (setup) => `${exportVariables(setup)}\n\n${postSpan(setup.shell)}`,
  },
];

/** Appends, because the application may have a `.env`. The empty line ends its last one. */
function appendVariables({ shell, serviceUrl, apiKey }: Setup): string {
  const text = `\nTRACER_API_KEY=${apiKey}\nTRACER_SERVICE_URL=${serviceUrl}`;
  return shell === 'bash' ? `cat >> .env <<'END'\n${text}\nEND` : `@'\n${text}\n'@ | Add-Content .env`;
}

function writeFile(shell: Shell, path: string, text: string): string {
  return shell === 'bash' ? `cat > ${path} <<'END'\n${text}\nEND` : `@'\n${text}\n'@ | Set-Content ${path}`;
}

function exportVariables({ shell, serviceUrl, apiKey }: Setup): string {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: serviceUrl,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${apiKey}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'none',
  };
  return Object.entries(variables)
    .map(([name, value]) => (shell === 'bash' ? `export ${name}='${value}'` : `$env:${name} = '${value}'`))
    .join('\n');
}

function postSpan(shell: Shell): string {
  const body = toSpanBody(Date.now());
  return shell === 'bash'
    ? `curl "$OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces" \\
  -H "authorization: \${OTEL_EXPORTER_OTLP_HEADERS#*=}" \\
  -H 'content-type: application/json' \\
  -d '${body}'`
    : `Invoke-RestMethod "$env:OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces" -Method Post \`
  -Headers @{ authorization = ($env:OTEL_EXPORTER_OTLP_HEADERS -split '=', 2)[1] } \`
  -ContentType 'application/json' \`
  -Body '${body}'`;
}

const SPAN_MS = 250;

/** A request with one span, in a trace of its own. */
function toSpanBody(endMs: number): string {
  const span = {
    traceId: toW3cTraceId(newTraceId()),
    spanId: newSpanId(),
    name: 'classify-ticket',
    startTimeUnixNano: `${endMs - SPAN_MS}000000`,
    endTimeUnixNano: `${endMs}000000`,
    attributes: [
      { key: 'input.value', value: { stringValue: 'I was charged twice.' } },
      { key: 'output.value', value: { stringValue: 'billing' } },
    ],
  };
  return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }, null, 1).replace(
    /\n\s*/g,
    ' ',
  );
}
