const { Tracer } = require('@dacapo/tracer');

const { TRACER_API_KEY: apiKey, TRACER_SERVICE_URL: serviceUrl } = process.env;
const [one, other] = [new Tracer({ apiKey, serviceUrl }), new Tracer({ apiKey, serviceUrl })];

exports.greet = one.withSpan('greet', (name) => `Hello ${name}`);
exports.other = other.withSpan('other', () => undefined);
if (process.env.EXPORT_TRACER) exports.tracer = one;
