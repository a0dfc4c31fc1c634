import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackages } from '../../scripts/npm.mjs';
import { runMain } from '../../scripts/progress.mjs';
import { documents } from './documents.mjs';
import { QUESTIONS, SET_ASIDE } from './questions.mjs';

const FILES = 5000;
const RESULTS = 5;
const here = import.meta.dirname;
if (!existsSync(join(here, 'node_modules')))
  await runMain(() => installPackages('Installing the search engines', ['ci'], { cwd: here }));
const { create, insertMultiple, search } = await import('@orama/orama');
const { default: MiniSearch } = await import('minisearch');
const { startCollector } = createRequire(import.meta.url)('../../libs/collector/dist/cjs/index.js');

const dataDir = mkdtempSync(join(tmpdir(), 'dacapo-bench-'));
const silentLogger = { info() {}, warn() {}, error() {} };
const collector = await startCollector({ port: 0, dataDir, logger: silentLogger });
try {
  await quality();
  await speed();
} finally {
  await collector.close();
  rmSync(dataDir, { recursive: true });
}

async function quality() {
  const index = await newIndex(documents());
  const sections = await allSections(index);
  const ways = {
    Dacapo: async (query) => (await ask({ index_id: index, query, limit: RESULTS })).results,
    minisearch: miniSearch(sections),
    Orama: await orama(sections),
    'counting words': countWords(sections),
  };
  const parts = {
    'tuned on': QUESTIONS.filter((_, at) => at % 2 === 0),
    'set aside, looked at before': QUESTIONS.filter((_, at) => at % 2 === 1),
    // Held out until tuning is finished.
    ...(process.argv.includes('--set-aside') && { 'set aside': SET_ASIDE }),
  };
  const lost = [...QUESTIONS, ...SET_ASIDE].filter(
    ([, source, title]) => !sections.some((one) => isRight(one, source, title)),
  );
  if (lost.length > 0) throw new Error(`No passage found for ${JSON.stringify(lost, null, 1)}`);
  for (const [part, terms] of Object.entries(parts)) {
    console.log(`\n${terms.length} questions ${part}, ${sections.length} sections`);
    for (const [name, find] of Object.entries(ways)) console.log(name.padEnd(16), await score(find, terms));
  }
}

async function score(find, questions) {
  const ranks = [];
  let characters = 0;
  for (const [query, source, title] of questions) {
    const results = (await find(query)).slice(0, RESULTS);
    ranks.push(results.findIndex((one) => isRight(one, source, title)) + 1);
    characters += results.reduce((sum, { content }) => sum + content.length, 0);
    if (process.env.MISSES && ranks.at(-1) !== 1)
      console.log('  ', ranks.at(-1), query, '→', results[0]?.title);
  }
  const share = (test) => (ranks.filter(test).length / ranks.length).toFixed(3);
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length;
  return `recall@1 ${share((rank) => rank === 1)}  recall@5 ${share((rank) => rank > 0)}  MRR ${mrr.toFixed(3)}  ${Math.round(characters / ranks.length)} characters`;
}

function isRight(section, source, title) {
  return section.source.endsWith(source) && section.title.toLowerCase().includes(title.toLowerCase());
}

/** All sections as split by Dacapo, so that all engines rank the same passages. */
async function allSections(index) {
  const Database = createRequire(import.meta.url)('libsql');
  const database = new Database(join(dataDir, 'dacapo.db'), { readonly: true });
  const rows = database
    .prepare(
      'SELECT s.section_no AS id, s.title, s.content, d.source FROM sections s JOIN documents d USING (document_no) WHERE d.index_id = ?',
    )
    .all(index);
  database.close();
  return rows;
}

function miniSearch(sections) {
  const engine = new MiniSearch({
    fields: ['title', 'content'],
    storeFields: ['title', 'content', 'source'],
  });
  engine.addAll(sections);
  return async (query) => engine.search(query, { fuzzy: 0.2, prefix: true, boost: { title: 4 } });
}

async function orama(sections) {
  const engine = create({ schema: { title: 'string', content: 'string', source: 'string' } });
  await insertMultiple(
    engine,
    sections.map(({ title, content, source }) => ({ title, content, source })),
  );
  const ask = { properties: ['title', 'content'], boost: { title: 4 }, tolerance: 1, limit: RESULTS };
  return async (term) => (await search(engine, { term, ...ask })).hits.map(({ document }) => document);
}

function countWords(sections) {
  const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const known = sections.map((section) => ({
    ...section,
    words: words(`${section.title} ${section.content}`),
  }));
  return async (query) => {
    const terms = [...words(query)];
    const counted = known.map((section) => ({
      section,
      count: terms.filter((word) => section.words.has(word)).length,
    }));
    return counted
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count)
      .map(({ section }) => section);
  };
}

async function speed() {
  const base = documents().filter(({ content_type: type }) => type === 'text/markdown');
  const files = Array.from({ length: FILES }, (_, at) => {
    const { content, ...document } = base[at % base.length];
    return {
      ...document,
      source: `${at}/${document.source}`,
      content: content.slice(0, 6000).replaceAll('the', `the${at}`),
    };
  });
  const before = performance.now();
  const cpuBefore = process.cpuUsage();
  const index = await newIndex(files);
  const added = performance.now();
  await ask({ index_id: index, query: 'timeout' });
  const warm = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  const times = [];
  for (let round = 0; round < 3; round++)
    for (const [query] of QUESTIONS) {
      const start = performance.now();
      await ask({ index_id: index, query });
      times.push(performance.now() - start);
    }
  times.sort((a, b) => a - b);
  const ms = (share) => times[Math.floor(share * times.length)].toFixed(1);
  console.log(
    `\n${FILES} files added in ${((added - before) / 1000).toFixed(1)} s; first query after ${((warm - added) / 1000).toFixed(1)} s; CPU of all threads ${((user + system) / 1e6).toFixed(1)} s`,
  );
  console.log(`queries over HTTP: p50 ${ms(0.5)} ms, p95 ${ms(0.95)} ms, p99 ${ms(0.99)} ms`);
}

async function newIndex(files) {
  const { index_id } = await post('/api/v1/indexes', { name: `bench ${files.length}`, type: 'SDK' });
  for (let at = 0; at < files.length; at += 50) {
    const answer = await post(`/api/v1/indexes/${index_id}/documents`, {
      documents: files.slice(at, at + 50),
    });
    for (const { source, reason } of answer.skipped) console.log(`skipped ${source}: ${reason}`);
  }
  return index_id;
}

async function ask(body) {
  return (await post('/api/v1/developer/get-context', body)).data;
}

async function post(path, body) {
  const headers = { 'api-key': collector.apiKey, 'content-type': 'application/json' };
  const answer = await fetch(`${collector.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
