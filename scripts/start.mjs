import { prepare } from './prepare.mjs';
import { runMain, stage } from './progress.mjs';
import { Children } from './start/children.mjs';
import { startCollector } from './start/collector.mjs';
import { StartFailure } from './start/failure.mjs';
import { choosePort } from './start/free-port.mjs';
import { addIndexes } from './start/indexes.mjs';
import { HELP, readOptions } from './start/options.mjs';
import { ask, request } from './start/service.mjs';
import { hasProvider, startStandInModel, startSupportDesk } from './start/support-desk.mjs';
import { addressesText, indexesText, replayText, ticketsText, traceText } from './start/report/report.mjs';
import { sendTickets, TICKETS } from './start/tickets.mjs';
import { showTrace, waitForTrace } from './start/trace.mjs';

const children = new Children();
const warn = (text) => process.stderr.write(`${text}\n`);

try {
  const options = readOptions(process.argv.slice(2), process.env);
  if (options.help) console.log(HELP);
  else await start(options);
} catch (error) {
  await fail(error);
}

async function start(options) {
  await runMain(prepare);
  const stopped = untilStopped();
  const startedAt = performance.now();
  const isShown = await Promise.race([run(options).then(() => true), stopped.then(() => false)]);
  if (isShown) {
    console.log(`\nReady after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    if (!options.once) {
      console.log('Press Ctrl+C to stop.');
      await stopped;
    }
  }
  await stage('Stopping', undefined, () => children.close());
}

async function run(options) {
  const { collector, app, isStandIn } = await startPrograms(options);

  let sent = 0;
  const results = await stage(
    `Sending ${TICKETS.length} tickets`,
    () => `${sent} answered`,
    () => sendTickets(app.url, (count) => (sent = count)),
  );
  const shown = results.find(({ ticket }, position) => position > 0 && ticket) ?? results[0];
  const trace = await stage('Waiting for the traces', undefined, () =>
    waitForTrace(collector, shown.ticket.traceId),
  );
  const { indexes } = await ask(`${app.url}/indexes`);
  const replay = await stage('Replaying the classifier through its next version', undefined, () =>
    ask(`${app.url}/replays`, { method: 'POST', body: { version: 'classifier-v2', limit: TICKETS.length } }),
  );
  await checkPage(replay.testRunUrl);

  console.log(ticketsText(results));
  console.log(traceText(shown, await showTrace(collector, trace.id)));
  console.log(indexesText(indexes));
  console.log(replayText(replay));
  const { testRunUrl } = replay;
  const isEnding = options.once;
  console.log(addressesText({ collector, app, testRunUrl, traceId: trace.id, isStandIn, isEnding }));
  if (results.some(({ failure }) => failure)) process.exitCode = 1;
}

async function startPrograms({ dataDir, storage, spans, collectorPort, appPort }) {
  const ports = { collector: await choosePort(collectorPort, warn), app: await choosePort(appPort, warn) };
  const collector = await stage('Starting the collector', undefined, () =>
    startCollector(children, { port: ports.collector, dataDir, storage, spans }),
  );
  await stage('Adding indexes of documentation', undefined, () => addIndexes(collector));
  const isStandIn = !hasProvider(process.env);
  const modelEnv = isStandIn
    ? await stage('Starting the stand-in model (no OPENAI_API_KEY is set)', undefined, () =>
        startStandInModel(children),
      )
    : {};
  const app = await stage('Starting the support desk', undefined, () =>
    startSupportDesk(children, { port: ports.app, collector, modelEnv }),
  );
  return { collector, app, isStandIn };
}

async function checkPage(url) {
  const { status, headers } = await request(url);
  if (status === 200 && headers.get('content-type')?.startsWith('text/html')) return;
  throw new StartFailure(
    'The page of the test run cannot be opened',
    `${url} returned status ${status}.`,
    'Build the dashboard with `npm run build -- dashboard`, then start again.',
  );
}

/** Resolves on the first stop signal; a second one exits immediately. Rejects if one of the programs exits. */
function untilStopped() {
  return new Promise((resolve, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, () => {
        resolve();
        process.once(signal, () => process.exit(1));
      });
    }
    children.onEnd(reject);
  });
}

async function fail(error) {
  process.stderr.write(error instanceof StartFailure ? error.text : `\n${error.stack}\n`);
  process.exitCode = 1;
  await children.close();
}
