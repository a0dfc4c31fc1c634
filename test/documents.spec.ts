import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CaptureOptions,
  type DeliveryOptions,
  SPAN_OPTION_NAMES,
  TRACER_OPTION_NAMES,
} from '@dacapo/tracer';
import { ROOT } from './processes/program.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const documentsBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(folder, path));

const DOCUMENTS = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...documentsBelow('docs'),
  'sample-app/README.md',
  ...readdirSync(join(ROOT, 'libs'))
    .map((name) => join('libs', name, 'README.md'))
    .filter((path) => existsSync(join(ROOT, path))),
];

/** Of every heading, the name that GitHub gives its place. */
const anchorsOf = (path: string): string[] =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

describe.each(DOCUMENTS)('%s', (document) => {
  it('links to files and headings that exist', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? document : join(document, '..', path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });
});

type Listed<Options> = Record<keyof Options, true>;

/** Types make these complete: an option that is new, or gone, does not compile here. */
const CAPTURE: Listed<CaptureOptions> = {
  input: true,
  output: true,
  maxFieldBytes: true,
  maxDepth: true,
  maxBinaryBytes: true,
  codecs: true,
  redactKeys: true,
  redactPatterns: true,
  redact: true,
  redactionSalt: true,
};
const DELIVERY: Listed<DeliveryOptions> = {
  maxBatchRecords: true,
  maxBatchBytes: true,
  intervalMs: true,
  maxConcurrency: true,
  requestTimeoutMs: true,
  retryMinDelayMs: true,
  retryMaxDelayMs: true,
  shutdownTimeoutMs: true,
  exitTimeoutMs: true,
  compression: true,
  maxQueueBytes: true,
  spool: true,
  spoolDir: true,
  maxSpoolBytes: true,
};

describe('docs/tracer.md', () => {
  /** The names in the first column of each table that begins with `heading`. */
  const tablesUnder = (heading: string): string[][] =>
    read('docs/tracer.md')
      .split(`| ${heading} | Default |`)
      .slice(1)
      .map((text) =>
        [...(text.split('\n\n')[0] ?? '').matchAll(/^\| (`[^|]*`) \|/gm)]
          .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
          .sort(),
      );

  it.each([
    ['Option', [TRACER_OPTION_NAMES, SPAN_OPTION_NAMES]],
    ['`capture.`', [Object.keys(CAPTURE)]],
    ['`delivery.`', [Object.keys(DELIVERY)]],
  ])('lists every %s there is, and no other', (heading, options) => {
    expect(tablesUnder(heading)).toEqual(options.map((names) => [...names].sort()));
  });
});
