import { startCollector } from '@dacapo/collector';
import { setFlagsFromString } from 'node:v8';

// Like `dacapo serve`.
setFlagsFromString('--heap-growing-percent=100');

// The second argument: more options, as JSON.
const [dataDir, options = '{}'] = process.argv.slice(2);
const { url, apiKey, close } = await startCollector({ port: 0, dataDir, ...JSON.parse(options) });
process.send({ url, apiKey });
const begun = process.cpuUsage();
process.once('message', async () => {
  const { user, system } = process.cpuUsage(begun);
  process.send({
    cpuSeconds: (user + system) / 1e6,
    rssMb: process.memoryUsage.rss() / 1024 / 1024,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  });
  await close();
  process.disconnect();
});
