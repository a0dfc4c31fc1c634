const { Tracer } = require('@dacapo/tracer');

const tracer = new Tracer({
  apiKey: process.env.TRACER_API_KEY,
  serviceUrl: process.env.TRACER_SERVICE_URL,
});

exports.greet = tracer.withSpan('greet', (name) => `${process.env.GREETING ?? 'Hello'} ${name}`);
exports.shout = tracer.withSpan('shout', (name) => name.toUpperCase());
