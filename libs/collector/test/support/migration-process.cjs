'use strict';

// The built `migrateStorage` in a process of its own, which kills itself after so many reports of progress.
const { migrateStorage } = require('@dacapo/collector');

const [, , places, reports] = process.argv;
let left = Number(reports);

const onProgress = () => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL');
};

migrateStorage({ ...JSON.parse(places), onProgress }).catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exitCode = 1;
});
