import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { prepare } from './prepare.mjs';
import { runMain } from './progress.mjs';
import { apiReport } from './reference/api-report.mjs';
import { apiSchemas } from './reference/api-schemas.mjs';
import { commandReference } from './reference/command-reference.mjs';
import { withConditionTable } from './reference/condition-table.mjs';
import { httpReference } from './reference/http-reference.mjs';
import { withMaskingLists } from './reference/masking-lists.mjs';
import { withOtlpTables } from './reference/otlp-table.mjs';
import { withOptionTables } from './reference/option-tables.mjs';
import { withProviderTable } from './reference/provider-table.mjs';
import { libraries, ROOT } from './workspace.mjs';

/**
 * Generates the parts of documents that come from the code: the public API report of each package, the references of HTTP and of the command line,
 * tables of options, conditions and providers, masking lists, and the schemas of the OpenAPI document. With `--check` it only lists outdated files, and fails if there are any.
 */
await runMain(prepare);
const isCheck = process.argv.includes('--check');
const docs = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
const stale = [];

for (const name of docs) {
  const path = join(ROOT, 'docs', name);
  const text = await withOptionTables(await withConditionTable(readFileSync(path, 'utf8')));
  put(path, await withOtlpTables(await withProviderTable(await withMaskingLists(text))));
}
for (const library of libraries().filter(({ isPublic }) => isPublic))
  put(join(ROOT, 'docs/api', `${library.name}.md`), await apiReport(library));

put(join(ROOT, 'libs/collector/src/http/openapi/schemas.json'), apiSchemas());
put(join(ROOT, 'docs/api/http.md'), await httpReference());
put(join(ROOT, 'docs/api/commands.md'), await commandReference());

function put(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  stale.push(path.slice(ROOT.length));
  if (isCheck) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

for (const path of stale) console.log(`${isCheck ? 'Outdated' : 'Written'}: ${path}`);
if (isCheck && stale.length > 0) {
  console.log('Run `npm run api` and review the changes, which users will see.');
  process.exitCode = 1;
}
