/** Loaded before the application: OpenTelemetry with instrumentations, and Sentry if it supports this Nest. */
const assert = require('node:assert/strict');
const { trace } = require('@opentelemetry/api');
const { getNodeAutoInstrumentations } = require('@opentelemetry/auto-instrumentations-node');
const { NodeSDK } = require('@opentelemetry/sdk-node');

const { dependencies } = require('./package.json');
const SERVER = 1;
const hasSentry = '@sentry/nestjs' in dependencies;

/** Events that Sentry would send. */
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

/** Spans that OpenTelemetry would export. */
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
  /** The catch-all filter from Sentry's documentation. */
  filter: hasSentry ? require('@sentry/nestjs/setup').SentryGlobalFilter : undefined,

  /** OpenTelemetry's current span. */
  inside() {
    return trace.getActiveSpan()?.spanContext();
  },

  check(answers) {
    assert.equal(trace.getTracerProvider(), provider);
    // One of each kind per request: HTTP spans, and that of the controller method.
    const of = (name) =>
      spans.filter(
        ({ instrumentationScope }) => instrumentationScope.name === `@opentelemetry/instrumentation-${name}`,
      );
    const servers = of('http').filter(({ kind }) => kind === SERVER);
    assert.equal(servers.length, answers.length + 1);
    // Its Nest instrumentation does not support Nest 12 either.
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
    // Background requests of the tracer are in no trace of the application.
    const sent = spans.filter(({ attributes }) => JSON.stringify(attributes).includes('/api/v1/ingest'));
    assert.deepEqual(
      sent.filter(({ parentSpanContext, instrumentationScope }) => {
        const isNested = sent.some((other) => other.spanContext().spanId === parentSpanContext?.spanId);
        return parentSpanContext !== undefined && !isNested && instrumentationScope.name !== '@sentry/node';
      }),
      [],
    );
    // None of our spans are OpenTelemetry spans.
    assert.deepEqual(
      spans.filter(({ name }) => /classify|model/.test(name)),
      [],
    );
    if (hasSentry) {
      assert.deepEqual(
        errors.map(({ exception }) => exception.values.map(({ value }) => value)),
        [['the model is unavailable']],
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
