const { readdirSync } = require('node:fs');
const { join } = require('node:path');

/** Who may import whom. ARCHITECTURE.md draws the same table. */
const LAYERS = {
  protocol: [],
  client: ['protocol'],
  evaluation: ['protocol'],
  tracer: ['protocol', 'client', 'evaluation'],
  nestjs: ['protocol', 'tracer'],
  testing: ['protocol', 'evaluation', 'tracer'],
  indexes: ['protocol'],
  collector: ['protocol', 'evaluation', 'indexes'],
  dashboard: ['protocol', 'client', 'evaluation'],
  cli: ['protocol', 'client', 'evaluation', 'indexes', 'tracer', 'testing', 'collector'],
};
const libs = Object.keys(LAYERS);

const direction = Object.entries(LAYERS).map(([lib, allowed]) => ({
  name: `${lib}-direction`,
  severity: 'error',
  comment: `libs/${lib} may import ${allowed.length ? allowed.join(', ') : 'no other library'}`,
  from: { path: `^libs/${lib}/` },
  to: {
    path: `^(libs/(${libs.filter((other) => other !== lib && !allowed.includes(other)).join('|')})/|sample-app/)`,
  },
}));

const entriesOnly = libs.map((lib) => ({
  name: `${lib}-entry-only`,
  severity: 'error',
  comment: `outsiders import @dacapo/${lib} by its entries, never a file inside`,
  from: { path: '^(libs|sample-app|test)/', pathNot: `^libs/${lib}/` },
  to: {
    path: `^libs/${lib}/src/`,
    pathNot: `^libs/${lib}/src/(index|api|crawl|engine|internal|otel|otlp|storage|storage-contract|testing)\\.ts$`,
  },
}));

/** Folders of the tracer, in the order in which a call meets them. */
const TRACER_FOLDERS = [
  'replay',
  'functions|indexes|datasets',
  'adapters|otel',
  'recording',
  'capture',
  'delivery',
  'context',
  'service',
  'options',
  'diagnostics',
];
const TRACER = '^libs/tracer/src/';

/** All folders of the collector. */
const COLLECTOR_FOLDERS = [
  'contract',
  'http',
  'migration',
  'sharing',
  'accounts',
  'datasets',
  'deletions',
  'export',
  'changes',
  'functions',
  'indexes',
  'telemetry',
  'otlp',
  'ingest',
  'live',
  'media',
  'metrics',
  'runs',
  'scores',
  'forwarding',
  'traces',
  'storage',
  'memory',
  'workers',
  'prices',
];
const COLLECTOR = '^libs/collector/src/';

const unlisted = readdirSync(join(__dirname, 'libs/collector/src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !COLLECTOR_FOLDERS.includes(entry.name))
  .map(({ name }) => name);
if (unlisted.length > 0)
  throw new Error(`Add ${unlisted.join(', ')} to COLLECTOR_FOLDERS in .dependency-cruiser.cjs`);

/** A file imports from its own folder and those below in the list, so folders form no cycle. */
const importsDownwards = (lib, folders, topFiles) =>
  folders.map((folder, index) => ({
    name: `${lib}-${folder.replaceAll('|', '-')}-imports-downwards`,
    severity: 'error',
    comment: `in libs/${lib}, ${folder.replaceAll('|', ' and ')} may import ${folders.slice(index + 1).join(', ') || 'no folder'}`,
    from: { path: `^libs/${lib}/src/(${folder})/`, pathNot: '\\.spec\\.ts$' },
    to: {
      path: [
        ...folders.slice(0, index).map((above) => `^libs/${lib}/src/(${above})/`),
        `^libs/${lib}/src/(${topFiles})\\.ts$`,
      ],
    },
  }));

module.exports = {
  forbidden: [
    ...direction,
    ...entriesOnly,
    ...importsDownwards(
      'tracer',
      TRACER_FOLDERS,
      'index|testing|internal|engine|otel|tracer|assembly|function-group|find-tracer|live-tracers|test-runs|tracer-parts',
    ),
    ...importsDownwards(
      'collector',
      COLLECTOR_FOLDERS,
      'index|collector\\.module|start-collector|create-account',
    ),
    {
      name: 'collector-options-are-above-storage',
      severity: 'error',
      comment: 'the options open the storage',
      from: { path: `${COLLECTOR}(traces|storage|memory|prices)/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${COLLECTOR}options\\.ts$` },
    },
    {
      name: 'internal-is-ours',
      severity: 'error',
      comment:
        'an internal entry is for the libraries alone: what applications and tests of the whole need is public',
      from: { pathNot: '^libs/' },
      to: { path: '^libs/[^/]+/src/(internal|engine)\\.ts$' },
    },
    {
      name: 'replay-engine-knows-only-a-run-source',
      severity: 'error',
      comment: 'where calls come from and results go is behind replay/source/run-source.ts',
      from: { path: `${TRACER}replay/`, pathNot: [`${TRACER}replay/(source|test-run)/`, '\\.spec\\.ts$'] },
      to: {
        path: [`${TRACER}(service|replay/test-run)/`, `${TRACER}replay/source/`],
        pathNot: `${TRACER}replay/source/run-source\\.ts$`,
      },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-framework-in-the-core',
      severity: 'error',
      comment: 'protocol, evaluation and tracer run without Nest, and load no foreign SDK',
      from: { path: '^libs/(protocol|evaluation|tracer)/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: 'node_modules/(@nestjs|rxjs|@openai|@boundaryml)/' },
    },
    {
      name: 'no-node-where-a-browser-runs-it',
      severity: 'error',
      comment: 'the dashboard bundles protocol and evaluation',
      from: { path: '^libs/(protocol|client|evaluation)/src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'engines-are-strangers',
      severity: 'error',
      comment: 'one storage engine never imports another',
      from: { path: '^libs/collector/src/storage/engines/([^/]+)/' },
      to: {
        path: '^libs/collector/src/storage/engines/',
        pathNot: '^libs/collector/src/storage/engines/$1/',
      },
    },
    {
      name: 'ports-know-no-engine',
      severity: 'error',
      comment: 'every engine implements the ports and shares the rules; only the options choose an engine',
      from: { path: '^libs/collector/src/storage/(ports|rules|meta)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/collector/src/storage/engines/' },
    },
    {
      name: 'dashboard-features-are-strangers',
      severity: 'error',
      comment: 'what two features of the dashboard need is in shared',
      from: { path: '^libs/dashboard/src/features/([^/]+)/' },
      to: { path: '^libs/dashboard/src/(app|features)/', pathNot: '^libs/dashboard/src/features/$1/' },
    },
    {
      name: 'dashboard-shared-stands-alone',
      severity: 'error',
      from: { path: '^libs/dashboard/src/shared/' },
      to: { path: '^libs/dashboard/src/(app|features)/' },
    },
    {
      name: 'no-tests-in-products',
      severity: 'error',
      from: { pathNot: '(\\.spec\\.ts$|/test/|^test/)' },
      to: { path: '(\\.spec\\.ts$|^test/)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs'],
    },
  },
};
