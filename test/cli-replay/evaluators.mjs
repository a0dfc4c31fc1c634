export const politeness = ({ output }) => output.startsWith('Hello');
export function brevity({ input, output }) {
  return input === 'Bob' ? null : 1 - output.length / 20;
}
