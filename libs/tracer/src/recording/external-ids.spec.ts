import { isSpanId, isTraceId } from '@dacapo/protocol';
import { toSpanId, toTraceId } from './external-spans.js';

describe('toTraceId', () => {
  it.each([
    ['trace_0123456789abcdef0123456789abcdef', '01234567-89ab-cdef-0123-456789abcdef'],
    ['0123456789ABCDEF0123456789ABCDEF', '01234567-89ab-cdef-0123-456789abcdef'],
    ['01a1fd2b-0682-70a0-ad5e-0e9b3888b0f2', '01a1fd2b-0682-70a0-ad5e-0e9b3888b0f2'],
  ])('keeps the UUID in %s', (externalId, traceId) => {
    expect(toTraceId(externalId)).toBe(traceId);
  });

  it.each(['order 17', '', 'call-odfI6GsenuFlzocVlu0Rqdh9', '00000000000000000000000000000000'])(
    'derives a UUID of version 8 from %j, always the same',
    (externalId) => {
      expect(isTraceId(toTraceId(externalId))).toBe(true);
      expect(toTraceId(externalId)).toMatch(/^.{14}8.{4}[89ab]/);
      expect(toTraceId(externalId)).toBe(toTraceId(externalId));
    },
  );
});

describe('toSpanId', () => {
  it('derives a span id from both ids', () => {
    expect(isSpanId(toSpanId('t', 's'))).toBe(true);
    expect(toSpanId('t', 's')).toBe(toSpanId('t', 's'));
    expect(toSpanId('t', 's')).not.toBe(toSpanId('u', 's'));
  });
});
