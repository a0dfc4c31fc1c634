import type { JsonObject } from '@dacapo/protocol';
import type { WrittenOtlpSpan } from '@dacapo/protocol/otlp';

const NAME = 'dacapo.forwarded';

/** Marks the resource of a span. A collector stores marked spans but does not forward them, so collectors in a circle repeat nothing. */
export function markForwarded({ span, source }: WrittenOtlpSpan): WrittenOtlpSpan {
  return { span, source: { ...source, resource: { ...source.resource, [NAME]: true } } };
}

export function isForwarded(resource: Readonly<JsonObject>): boolean {
  return resource[NAME] === true || resource[NAME] === 'true';
}
