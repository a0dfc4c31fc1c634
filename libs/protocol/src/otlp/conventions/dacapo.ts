import { type OtlpConvention, written } from '../attribute.js';

/** Our own attributes: with them a span is exported and imported without loss. */
export const DACAPO: OtlpConvention = {
  name: 'Dacapo',
  attributes: [
    ...written('key', 'dacapo.key'),
    ...written('type', 'dacapo.type'),
    ...written('kind', 'dacapo.kind'),
    ...written('level', 'dacapo.level'),
    ...written('status', 'dacapo.status'),
    ...written('duration', 'dacapo.duration_ms'),
    ...written('recorded_input', 'dacapo.input'),
    ...written('recorded_output', 'dacapo.output'),
    ...written('recorded_error', 'dacapo.error'),
    ...written('recorded_contexts', 'dacapo.contexts'),
    ...written('recorded_usage', 'dacapo.usage'),
    ...written('recorded_meta', 'dacapo.meta'),
    ...written('prompt', 'dacapo.prompt'),
    ...written('tags', 'dacapo.tags'),
    ...written('metadata', 'dacapo.trace.metadata'),
    ...written('trace_contexts', 'dacapo.trace.contexts'),
    ...written('test_run', 'dacapo.test_run_id'),
    ...written('source_span', 'dacapo.source_span_id'),
    { name: 'dacapo.keep', field: 'keep' },
  ],
};
