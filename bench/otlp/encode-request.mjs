import { createRequire } from 'node:module';

/** The static code with which the collector decodes. */
const { Writer } = createRequire(new URL('../../libs/collector/package.json', import.meta.url))(
  'protobufjs/minimal.js',
);

const message = (writer, field, write) => {
  writer.uint32(field * 8 + 2).fork();
  write(writer);
  writer.ldelim();
};

function writeValue(writer, value) {
  if (typeof value === 'string') writer.uint32(10).string(value);
  else if (typeof value === 'boolean') writer.uint32(16).bool(value);
  else if (Number.isInteger(value)) writer.uint32(24).int64(value);
  else if (typeof value === 'number') writer.uint32(33).double(value);
  else if (Array.isArray(value))
    message(writer, 5, (list) => {
      for (const item of value) message(list, 1, (one) => writeValue(one, item));
    });
  else message(writer, 6, (list) => writeAttributes(list, 1, value));
}

function writeAttributes(writer, field, attributes) {
  for (const [key, value] of Object.entries(attributes))
    message(writer, field, (entry) => {
      entry.uint32(10).string(key);
      message(entry, 2, (one) => writeValue(one, value));
    });
}

const fixed64 = (writer, field, nanos) =>
  writer
    .uint32(field * 8 + 1)
    .fixed64({ low: Number(nanos & 0xffffffffn) | 0, high: Number(nanos >> 32n) | 0, unsigned: true });
const bytes = (writer, field, hex) => writer.uint32(field * 8 + 2).bytes(Buffer.from(hex, 'hex'));

function writeSpan(writer, span) {
  bytes(writer, 1, span.traceId);
  bytes(writer, 2, span.spanId);
  if (span.parentSpanId !== undefined) bytes(writer, 4, span.parentSpanId);
  writer.uint32(42).string(span.name);
  writer.uint32(48).int32(span.kind);
  fixed64(writer, 7, span.startNanos);
  fixed64(writer, 8, span.endNanos);
  writeAttributes(writer, 9, span.attributes);
  message(writer, 15, (status) => status.uint32(24).int32(span.status.code));
}

/** Encodes written spans as an `ExportTraceServiceRequest`. All get the resource and scope of the first one. */
export function encodeRequest(written) {
  const writer = Writer.create();
  const [{ source }] = written;
  message(writer, 1, (resourceSpans) => {
    message(resourceSpans, 1, (resource) => writeAttributes(resource, 1, source.resource));
    message(resourceSpans, 2, (scopeSpans) => {
      message(scopeSpans, 1, (scope) => scope.uint32(10).string(source.scope.name));
      for (const { span } of written) message(scopeSpans, 2, (one) => writeSpan(one, span));
    });
  });
  return Buffer.from(writer.finish());
}
