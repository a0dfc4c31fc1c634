/** Who may import whom. ARCHITECTURE.md draws the same table. */
const LAYERS = {
  protocol: [],
  evaluation: ['protocol'],
  tracer: ['protocol', 'evaluation'],
  nestjs: ['protocol', 'tracer'],
  collector: ['protocol', 'evaluation'],
  dashboard: ['protocol', 'evaluation'],
  cli: ['protocol', 'evaluation', 'tracer', 'collector'],
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
  to: { path: `^libs/${lib}/src/`, pathNot: `^libs/${lib}/src/(index|internal|testing)\\.ts$` },
}));

/** Folders of the tracer, in the order in which a call meets them: a file imports from its own folder and those below. */
const STAGES = [
  'replay',
  'functions|indexes|datasets',
  'adapters',
  'recording',
  'capture',
  'delivery',
  'context',
  'service|diagnostics',
];
const TRACER = '^libs/tracer/src/';

const tracerStages = STAGES.map((stage, index) => ({
  name: `tracer-${stage.replaceAll('|', '-')}-imports-downwards`,
  severity: 'error',
  comment: `in the tracer, ${stage.replaceAll('|', ' and ')} may import ${STAGES.slice(index + 1).join(', ') || 'no stage'}`,
  from: { path: `${TRACER}(${stage})/`, pathNot: '\\.spec\\.ts$' },
  to: {
    path: [
      ...STAGES.slice(0, index).map((above) => `${TRACER}(${above})/`),
      `${TRACER}(index|testing|internal|tracer|assembly|function-group|find-tracer|live-tracers|tracer-parts)\\.ts$`,
    ],
  },
}));

module.exports = {
  forbidden: [
    ...direction,
    ...entriesOnly,
    ...tracerStages,
    {
      name: 'internal-is-ours',
      severity: 'error',
      comment:
        'an internal entry is for the libraries alone: what applications and tests of the whole need is public',
      from: { pathNot: '^libs/' },
      to: { path: '^libs/[^/]+/src/internal\\.ts$' },
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
      from: { path: '^libs/(protocol|evaluation)/src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'drivers-are-strangers',
      severity: 'error',
      comment: 'one storage driver never imports another',
      from: { path: '^libs/collector/src/storage/drivers/([^/]+)/' },
      to: {
        path: '^libs/collector/src/storage/drivers/',
        pathNot: '^libs/collector/src/storage/drivers/$1/',
      },
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
