'use strict';

const { default: Sequencer } = require('@jest/test-sequencer');

/** Small files that run long. Without the times of an earlier run, Jest begins with the largest files. */
const SLOW = [
  'test/dashboard-accessibility.spec.ts',
  'test/tutorial.spec.ts',
  'test/dashboard-keyboard.spec.ts',
  'libs/cli/test/proofs.spec.ts',
  'libs/cli/test/mcp.spec.ts',
  'libs/collector/test/embeddings.spec.ts',
  'libs/collector/test/forwarding.spec.ts',
  'libs/collector/test/storage-health.spec.ts',
  'libs/tracer/src/delivery/refused-batches.spec.ts',
  'test/verdict-doors.spec.ts',
  'test/replay-exit.spec.ts',
  'test/cli-replay.spec.ts',
  'test/cli-eval.spec.ts',
  'libs/collector/test/services.clickhouse.ts',
  'libs/collector/test/services.postgres.ts',
  'libs/collector/test/storage-contracts.clickhouse.ts',
  'libs/collector/test/storage-contracts.postgres.ts',
  'libs/collector/test/storage-contracts.spec.ts',
  'test/dashboard.clickhouse.ts',
  'libs/tracer/test/exit-codes/exit-codes.spec.ts',
  'libs/nestjs/test/mixing/mixing.spec.ts',
  'test/nest-add.spec.ts',
  'test/ci-recipe.spec.ts',
  'test/faults/collector.spec.ts',
  'test/sample-app-start.spec.ts',
  'test/nest-pii.spec.ts',
];

/** Runs slow suites first: none of them is then left alone at the end, while the other processors wait. */
module.exports = class extends Sequencer {
  async sort(tests) {
    const isSlow = ({ path }) => SLOW.some((name) => path.replaceAll('\\', '/').endsWith(`/${name}`));
    const sorted = await super.sort(tests);
    return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
  }
};
