import { route } from '../route.js';

export const otlp = {
  send: route({
    method: 'POST',
    path: '/v1/traces',
    scope: 'ingest',
    tag: 'Recording',
    summary:
      'Stores spans of OpenTelemetry (OTLP/HTTP). Spans that are invalid do not affect the others; spans without AI content are not stored.',
    bodyStream: {
      type: 'application/x-protobuf',
      text: 'An `ExportTraceServiceRequest` in protobuf or, as `application/json`, in JSON.',
    },
    answerStream: {
      type: 'application/x-protobuf',
      text: 'An `ExportTraceServiceResponse` in the media type of the request. Errors are a `google.rpc.Status`.',
    },
  }),
};
