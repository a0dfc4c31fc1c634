/** What is loaded before the application: OpenTelemetry with its instrumentations, and Sentry where it supports this Nest. */
const assert = require('node:assert/strict');
const { trace } = require('@opentelemetry/api');
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const { dependencies } = require('./package.json');
const SERVER = 1;
const hasSentry = '@sentry/nestjs' in dependencies;

/** What Sentry would send. */
const errors = [];
const transactions = [];
const Sentry = hasSentry ? require('@sentry/nestjs') : undefined;
Sentry?.init({
  dsn: 'http://key@127.0.0.1:1/1',
  tracesSampleRate: 1,
  skipOpenTelemetrySetup: true,
  beforeSend: (event) => void errors.push(event),
  beforeSendTransaction: (event) => void transactions.push(event),
});

/** What OpenTelemetry would export. */
const spans = [];
let isShutDown = false;
const processor = {
  onStart: () => undefined,
  onEnd: (span) => void spans.push(span),
  forceFlush: async () => undefined,
  shutdown: async () => {
    isShutDown = true;
  },
};
const sdk = new NodeSDK({
  spanProcessors: [processor],
  instrumentations: [
    getNodeAutoInstrumentations({ '@opentelemetry/instrumentation-fs': { enabled: false } }),
  ],
});
sdk.start();
const provider = trace.getTracerProvider();

const instrument = {
  names: ['@nestjs/observe', 'nestjs-cls', 'nestjs-pino', 'OpenTelemetry', ...(hasSentry ? ['Sentry'] : [])],
  modules: hasSentry ? [require('@sentry/nestjs/setup').SentryModule.forRoot()] : [],
  /** Catches what no other filter does, as its documents have it. */
  filter: hasSentry ? require('@sentry/nestjs/setup').SentryGlobalFilter : undefined,

  /** What OpenTelemetry takes for the current span. */
  inside() {
    return trace.getActiveSpan()?.spanContext();
  },

  check(answers) {
    assert.equal(trace.getTracerProvider(), provider);
    // One of each kind for each request: those of HTTP, and of the controller's method.
    const of = (name) =>
      spans.filter(
        ({ instrumentationScope }) => instrumentationScope.name === `@opentelemetry/instrumentation-${name}`,
      );
    const servers = of('http').filter(({ kind }) => kind === SERVER);
    assert.equal(servers.length, answers.length + 1);
    // Its instrumentation of Nest knows Nest 12 as little as Sentry does.
    const controllers = of('nestjs-core').filter(({ name }) => name === 'Tickets.open');
    assert.equal(controllers.length, hasSentry ? servers.length : 0);
    const traces = new Set(servers.map((span) => span.spanContext().traceId));
    assert.equal(traces.size, servers.length);
    for (const { otel } of answers) {
      assert.ok(traces.has(otel.traceId));
      assert.deepEqual(otel.after, {
        traceId: otel.traceId,
        spanId: otel.spanId,
        traceFlags: otel.traceFlags,
      });
    }
    // What the tracer sends in the background is in no trace of the application.
    const sent = spans.filter(({ attributes }) => JSON.stringify(attributes).includes('/api/v1/ingest'));
    assert.deepEqual(
      sent.filter(({ parentSpanContext, instrumentationScope }) => {
        const isNested = sent.some((other) => other.spanContext().spanId === parentSpanContext?.spanId);
        return parentSpanContext !== undefined && !isNested && instrumentationScope.name !== '@sentry/node';
      }),
      [],
    );
    // Nothing of ours is one of theirs.
    assert.deepEqual(
      spans.filter(({ name }) => /classify|model/.test(name)),
      [],
    );
    if (hasSentry) {
      assert.deepEqual(
        errors.map(({ exception }) => exception.values.map(({ value }) => value)),
        [['the model is away']],
      );
    }
  },
};

async function ended() {
  await sdk.shutdown();
  assert.equal(isShutDown, true);
  await Sentry?.close(1000);
}

module.exports = { instrument, ended };
