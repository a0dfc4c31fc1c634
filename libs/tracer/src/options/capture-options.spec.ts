import { InvalidOptionError } from '../errors.js';
import { resolveCaptureOptions } from './capture-options.js';

describe('capture options', () => {
  it('have defaults that suit production', () => {
    expect(resolveCaptureOptions()).toMatchObject({
      input: true,
      output: true,
      maxFieldBytes: 1024 * 1024,
      maxDepth: 100,
      codecs: [],
      redactKeys: [],
      redactPatterns: [],
    });
  });

  it.each([
    ['capture.maxFieldBytes', { maxFieldBytes: 100 }],
    ['capture.maxDepth', { maxDepth: 0.5 }],
    ['capture.input', { input: 'yes' }],
    ['capture.codecs', { codecs: [{ name: 'x' }] }],
    ['capture.codecs', { codecs: [codec('twice'), codec('twice')] }],
    ['capture.redactKeys', { redactKeys: 'password' }],
    ['capture.redactPatterns', { redactPatterns: ['secret'] }],
    ['capture.redact', { redact: true }],
    ['capture.redactionSecret', { redactionSecret: ' ' }],
    ['capture.metadataOnly', { metadataOnly: 'yes' }],
  ])('name %s when it cannot work', (option, options) => {
    const resolve = (): unknown => resolveCaptureOptions(options as never);
    expect(resolve).toThrow(InvalidOptionError);
    expect(resolve).toThrow(option);
  });
});

function codec(name: string): object {
  return { name, recognise: () => false, encode: () => 1, decode: () => ({}) };
}
