import { ANSWERS } from '../client.mjs';
import { SCENARIOS } from '../scenarios.mjs';
import { short, table, whole } from './table.mjs';

const WORKLOADS = ['A', 'B', 'C'];

/** Formats the figures for docs/benchmarks.md. */
export function toMarkdown({
  date,
  machine,
  node,
  versions,
  rounds,
  cpu,
  clients,
  memorySpans,
  memory,
  delivery,
}) {
  return [
    `${date}: ${machine}, Node ${node}; medians of ${rounds} interleaved ${rounds === 1 ? 'round' : 'rounds'}.`,
    `${versions.join(' · ')}`,
    '### CPU µs a span, until all is delivered',
    'In parentheses: times the *simple* baseline / times Dacapo.',
    table(
      ['', ...WORKLOADS],
      cpu.map((row) => [row.name, ...WORKLOADS.map((workload) => cost(row[workload]))]),
    ),
    ...formatClients(clients),
    `### Peak memory over the start, ${whole(memorySpans)} spans of A, a service that never answers`,
    table(
      ['', 'MiB'],
      memory.map(({ name, growthMiB }) => [
        name,
        growthMiB === undefined ? 'broke down' : whole(Math.round(growthMiB)),
      ]),
    ),
    '### Delivered, of the spans recorded',
    table(
      ['', ...SCENARIOS.map(({ name, spans }) => `${name}, of ${whole(spans)}`)],
      delivery.map(({ name, delivered }) => [
        name,
        ...SCENARIOS.map((scenario) => arrived(delivered[scenario.name] ?? {})),
      ]),
    ),
  ].join('\n\n');
}

export function formatClients(clients) {
  return [
    "### CPU µs that a wrapper of OpenAI's client adds to a request, until all is delivered",
    "In parentheses: times Dacapo's.",
    table(
      ['', ...ANSWERS.map(({ label }) => label)],
      clients.map((row) => [
        row.name,
        ...ANSWERS.map(({ name }) => {
          const { addedUs, toDacapo } = row[name];
          return `${whole(Math.round(addedUs))} (${short(toDacapo)})`;
        }),
      ]),
    ),
  ];
}

const cost = ({ cpuUsASpan, toSimple, toDacapo }) =>
  `${short(cpuUsASpan)} (${short(toSimple)} / ${short(toDacapo)})`;

function arrived({ first, nextStart }) {
  if (first === undefined) return 'not measured';
  if (nextStart === undefined || nextStart === first) return whole(first);
  return `${whole(first)}; ${whole(nextStart)} after the next start`;
}
