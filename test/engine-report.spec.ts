import { buildReport, type Figures, METRICS_READ, toMarkdown } from '../bench/engines/report.js';

const taken = { p50: 10, p95: 20 };
const figures = { spans: 1_000_000, perSecond: 4000, collectors: 100, server: 50, sender: 9, diskMb: 1234 };

describe('the report of bench:engines', () => {
  const build = (changes: Partial<Figures>) =>
    buildReport({
      engines: ['sqlite', 'postgres', 'clickhouse'],
      ingest: { sqlite: figures, postgres: figures, clickhouse: figures },
      reads: { traces: { sqlite: taken, postgres: taken, clickhouse: taken } },
      cpuRatio: 1.1,
      ...changes,
    });
  const results = (changes: Partial<Figures>) =>
    Object.fromEntries(build(changes).flatMap(({ name, result }) => (result === '' ? [] : [[name, result]])));
  const INGEST = 'ingest, spans/s';
  const RATIO = 'CPU a span, two collectors ÷ one';
  const TRACES = 'traces, p50 / p95 ms';

  it('meets all goals at their bounds', () => {
    expect(results({})).toEqual({ [INGEST]: 'met', [RATIO]: 'met', [TRACES]: 'met' });
  });

  it('names the engines that miss a goal', () => {
    const slow = { p50: 10, p95: 50 };
    const reads = { traces: { sqlite: slow, postgres: taken, clickhouse: { p50: 9, p95: 300 } } };
    expect(results({ reads })).toMatchObject({ [TRACES]: 'missed: sqlite, clickhouse' });
    const all = { sqlite: taken, postgres: { p50: 9, p95: 300.1 }, clickhouse: { p50: 9, p95: 299 } };
    expect(results({ reads: { [METRICS_READ]: all } })).toMatchObject({
      [`${METRICS_READ}, p50 / p95 ms`]: 'missed: postgres',
    });
    const ingest = { sqlite: figures, postgres: { ...figures, perSecond: 3999 }, clickhouse: figures };
    expect(results({ ingest })).toMatchObject({ [INGEST]: 'missed: postgres' });
    expect(results({ cpuRatio: 1.11 })).toMatchObject({ [RATIO]: 'missed: postgres' });
  });

  it('misses a goal without a figure', () => {
    expect(results({ reads: { traces: { sqlite: taken } } })).toMatchObject({
      [TRACES]: 'missed: postgres, clickhouse',
    });
    expect(results({ ingest: { sqlite: figures } })).toMatchObject({ [INGEST]: 'missed: postgres' });
    expect(results({ cpuRatio: undefined })).toMatchObject({ [RATIO]: 'missed: postgres' });
    expect(results({ cpuRatio: NaN })).toMatchObject({ [RATIO]: 'missed: postgres' });
  });

  it('compares no engines that were not asked for', () => {
    expect(results({ engines: ['clickhouse'] })).toEqual({ [TRACES]: 'met' });
  });

  it('prints a Markdown table', () => {
    const lines = toMarkdown(['sqlite', 'postgres', 'clickhouse'], build({})).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '|  | sqlite | postgres | clickhouse | goal |  |',
      '| --- | ---: | ---: | ---: | --- | --- |',
      '| spans | 1,000,000 | 1,000,000 | 1,000,000 |  |  |',
      '| ingest, spans/s | 4,000 | 4,000 | 4,000 | PostgreSQL ≥ SQLite | met |',
    ]);
    expect(lines).toContain(
      '| traces, p50 / p95 ms | 10.0 / 20.0 | 10.0 / 20.0 | 10.0 / 20.0 | p95 < 50, 300 | met |',
    );
  });
});
