import type { TestRunRecord } from '@dacapo/protocol';

/** What a test run is called: its name, or the beginning of its id. */
export function testRunTitle({ id, name }: Pick<TestRunRecord, 'id' | 'name'>): string {
  return name ?? `Test run ${id.slice(0, 8)}`;
}
