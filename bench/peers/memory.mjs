import { measureInChild } from '../tracer/children.mjs';
import { SUBJECTS } from './peers.mjs';
import { withPrivateHome } from '../private-home.mjs';
import { SILENT } from './silent.mjs';
import { withSink } from './sink/with-sink.mjs';

/** Peak growth of resident memory in MiB for spans of A at full speed, with a service that never responds. */
export async function measureMemory(spans, progress) {
  const rows = [];
  for (const { name, arm } of [{ name: 'bare call', arm: 'bare' }, ...SUBJECTS]) {
    progress(`memory against a hanging service, ${name}`);
    rows.push({ name, growthMiB: await measureGrowth(arm, spans) });
  }
  return rows;
}

/** `undefined` if the process crashed before its last span. */
function measureGrowth(arm, spans) {
  return withSink({ behaviour: 'hanging' }, ({ url }) =>
    withPrivateHome(async (env) => {
      const options = { execArgv: ['--expose-gc'], env, stdio: SILENT };
      const measured = measureInChild('memory-child.mjs', [arm, spans, url], options);
      return (await measured.catch(() => ({ growthMiB: undefined }))).growthMiB;
    }),
  );
}
