import { SPAN_TYPES } from '@dacapo/protocol';
import { lazy, Suspense, useMemo, useState } from 'react';
import { formatCount } from '../../../shared/format/format-count.js';
import { type KeySet, useKeySet, usePageKeys } from '../../../shared/keys/page-keys.js';
import type { TraceAnalysis } from '../analysis/analyse-trace.js';
import { nextFailure } from '../analysis/failures.js';
import { filterTree, isFiltering, type SpanFilter } from './filter-tree.js';
import { Minimap } from './minimap.js';
import styles from './span-pane.module.css';
import { SpanTree } from './span-tree.js';
import { type Timeline, zoomTo } from '../analysis/timeline.js';
import { visibleRows } from '../analysis/visible-rows.js';

const FlameView = lazy(async () => ({ default: (await import('./flame-view.js')).FlameView }));

const NOTHING: ReadonlySet<string> = new Set();

/** The tree handles them while it has the focus. */
const TREE_KEYS: KeySet = {
  rows: [
    { keys: ['↑', '↓', 'Home', 'End'], action: 'in the tree: select another span' },
    { keys: ['←', '→'], action: 'in the tree: fold or unfold the span' },
  ],
  find: () => undefined,
};

interface SpanPaneProps {
  analysis: TraceAnalysis;
  selectedId: string;
  /** @param isPointed selected by pointer, not by keyboard */
  onSelect: (spanId: string, isPointed: boolean) => void;
}

/** The spans of a trace as a tree or as flames, with search, type filter, critical path and minimap. */
export function SpanPane({ analysis, selectedId, onSelect }: SpanPaneProps) {
  const { roots, rows: all } = analysis;
  const [collapsed, setCollapsed] = useState(NOTHING);
  const [filter, setFilter] = useState<SpanFilter>({ text: '', type: '' });
  const [zoom, setZoom] = useState<Timeline>();
  const [isPathShown, setIsPathShown] = useState(false);
  const [isFlame, setIsFlame] = useState(false);
  const rows = useMemo(
    () =>
      isFiltering(filter) || collapsed.size > 0 ? visibleRows(filterTree(roots, filter), collapsed) : all,
    [roots, all, filter, collapsed],
  );
  const types = useMemo(() => new Set(all.map(({ span }) => span.type)), [all]);
  const hasErrors = useMemo(() => all.some(({ span }) => span.status === 'error'), [all]);
  const timeline = zoom ?? analysis.timeline;
  const toggle = (spanId: string) => {
    const next = new Set(collapsed);
    if (!next.delete(spanId)) next.add(spanId);
    setCollapsed(next);
  };
  const goToNextError = () => {
    const next = nextFailure(all, selectedId);
    if (!next) return;
    setCollapsed(NOTHING);
    setFilter({ text: '', type: '' });
    onSelect(next.id, false);
  };
  const goToMatch = () => {
    const first = rows.find(({ span, isExpanded }) => isExpanded === undefined && span.id !== selectedId);
    if (first) onSelect(first.span.id, false);
  };
  const selectNext = (step: 1 | -1) => () => {
    const next = rows[rows.findIndex(({ span }) => span.id === selectedId) + step];
    if (next) onSelect(next.span.id, false);
  };
  const zoomToSelected = () => {
    const selected = all.find(({ span }) => span.id === selectedId)?.span;
    if (selected) setZoom(zoomTo(selected, analysis.timeline));
  };
  const togglePath = () => {
    setIsPathShown(!isPathShown);
  };
  const toggleFlame = () => {
    setIsFlame(!isFlame);
  };
  useKeySet(TREE_KEYS);
  usePageKeys([
    { key: 'j', action: 'next span', run: selectNext(1) },
    { key: 'k', action: 'previous span', run: selectNext(-1) },
    { key: 'f', action: 'tree or flames', run: toggleFlame },
    { key: 'c', action: 'critical path', run: togglePath },
    { key: 'e', action: 'next error', run: goToNextError },
    { key: 'z', action: 'zoom to the span', run: zoomToSelected },
    {
      key: '0',
      action: 'show the whole time',
      run: () => {
        setZoom(undefined);
      },
    },
  ]);
  return (
    <section className={styles.panel} aria-label="Spans">
      <div className={styles.bar}>
        <h2>Spans</h2>
        <span className="muted">{formatCount(all.length)}</span>
        <input
          type="search"
          aria-label="Search spans"
          placeholder="Name, key, error, model"
          value={filter.text}
          onChange={({ target }) => {
            setFilter({ ...filter, text: target.value });
          }}
          onKeyDown={({ key }) => {
            if (key === 'Enter') goToMatch();
          }}
        />
        {types.size > 1 && (
          <select
            aria-label="Type"
            value={filter.type}
            onChange={({ target }) => {
              setFilter({ ...filter, type: target.value });
            }}
          >
            <option value="">All types</option>
            {SPAN_TYPES.filter((type) => types.has(type)).map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
        )}
        {hasErrors && (
          <button type="button" className="small" onClick={goToNextError}>
            Next error
          </button>
        )}
        <button
          type="button"
          className="small"
          aria-pressed={isPathShown}
          title="Key: c"
          onClick={togglePath}
        >
          Critical path
        </button>
        <button type="button" className="small" aria-pressed={isFlame} title="Key: f" onClick={toggleFlame}>
          Flames
        </button>
      </div>
      {all.length > 1 && <Minimap rows={all} whole={analysis.timeline} shown={timeline} onZoom={setZoom} />}
      {isFlame ? (
        <Suspense>
          <FlameView rows={rows} timeline={timeline} selectedId={selectedId} onSelect={onSelect} />
        </Suspense>
      ) : (
        <SpanTree
          rows={rows}
          analysis={analysis}
          timeline={timeline}
          filter={filter}
          isPathShown={isPathShown}
          selectedId={selectedId}
          onSelect={onSelect}
          onToggle={toggle}
        />
      )}
      {rows.length === 0 && <p className={`muted ${styles.none ?? ''}`}>No span matches.</p>}
    </section>
  );
}
