/** A name is part of URLs and file names, and is the trace function key of the function's spans. */
const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

export function isFunctionName(text: string): boolean {
  return FUNCTION_NAME.test(text);
}
