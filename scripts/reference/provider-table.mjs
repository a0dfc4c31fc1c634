import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledDir, libraries, ROOT } from '../workspace.mjs';

const MARKED = /(<!-- providers -->\n)[^]*?(<!-- end of providers -->)/;
const MILLION = 1_000_000;
/** Larger requests cost more per token at some providers. */
const SOME_TOKENS = 100_000;
/** Some prices depend on the time of day. */
const AT_US = Date.UTC(2026, 10, 1, 12) * 1000;

/** Regenerates the table of providers of a document from test/providers.json, which a test compares with the price package. */
export async function withProviderTable(markdown) {
  if (!MARKED.test(markdown)) return markdown;
  const collector = libraries().find(({ name }) => name === 'collector');
  const { PriceList } = await import(
    pathToFileURL(join(compiledDir(collector), 'prices/price-list.js')).href
  );
  const prices = new PriceList(undefined, 'as installed');
  const cost = (row, tokens) =>
    prices.compute({ ...row, input_tokens: 0, output_tokens: 0, ...tokens }, AT_US)?.usd;
  /** Price of a million tokens, without a price per request. */
  const price = (row, side) => {
    const [some, none] = [cost(row, { [side]: SOME_TOKENS }), cost(row, {})];
    return some === undefined || none === undefined ? undefined : ((some - none) * MILLION) / SOME_TOKENS;
  };
  const rows = JSON.parse(readFileSync(join(ROOT, 'test/providers.json'), 'utf8')).map((row) => {
    const input = price(row, 'input_tokens');
    const output = price(row, 'output_tokens');
    const { host, pathname } = new URL(row.address);
    const address = `${host}${pathname.replace(/\/$/, '')}`;
    return `| \`${row.provider}\` | \`${address}\` | \`${row.model}\` | ${format(input)} | ${format(output)} |`;
  });
  const head = ['| Provider | Address | A model | Input | Output |', '| --- | --- | --- | ---: | ---: |'];
  return markdown.replace(MARKED, (_, begin, end) => `${begin}\n${[...head, ...rows].join('\n')}\n\n${end}`);
}

function format(usd) {
  return usd === undefined ? 'unknown' : String(Number(usd.toFixed(4)));
}
