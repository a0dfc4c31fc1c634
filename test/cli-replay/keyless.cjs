const { Tracer } = require('@dacapo/tracer');

const tracer = new Tracer();
exports.greet = tracer.withSpan('greet', (name) => `Hello ${name}`);
exports.tracer = tracer;
