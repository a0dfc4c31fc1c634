/** Where a JSON Pointer into recorded arguments leads, for a sentence: `/1/order` to `argument 2 at /order`. */
export function describeArgument(pointer: string): string {
  const [, index = '', rest = ''] = /^\/(\d+)(.*)$/s.exec(pointer) ?? [];
  if (index === '') return 'a value';
  return `argument ${Number(index) + 1}${rest === '' ? '' : ` at ${rest}`}`;
}
