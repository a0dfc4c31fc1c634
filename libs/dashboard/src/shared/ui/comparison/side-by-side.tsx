import { Fragment, type ReactNode, useMemo, useState } from 'react';
import { formatQuantity } from '../../format/format-count.js';
import { type DiffLine, type DiffRow, diffRows } from './diff-rows.js';
import { diffWords, type WordPart } from './diff-words.js';
import { foldRows } from './fold-rows.js';
import styles from './side-by-side.module.css';

const ROWS_SHOWN = 200;
const LINE_CHARACTERS_SHOWN = 2_000;

interface SideBySideProps {
  original: string;
  replayed: string;
}

/** Two texts side by side. Changed lines have a sign and a colour, changed words a mark. */
export function SideBySide({ original, replayed }: SideBySideProps) {
  const [isWhole, setIsWhole] = useState(false);
  const rows = useMemo(() => diffRows(original, replayed), [original, replayed]);
  const shown = isWhole ? rows : foldRows(rows).slice(0, ROWS_SHOWN);
  const isCut =
    shown.length < rows.length ||
    rows.some(
      (row) => Math.max(row.left?.text.length ?? 0, row.right?.text.length ?? 0) > LINE_CHARACTERS_SHOWN,
    );
  return (
    <div className={styles.comparison}>
      <div className={styles.rows}>
        {shown.map((row, index) =>
          'folded' in row ? (
            <p key={index} className={styles.fold}>
              {formatQuantity(row.folded.length, 'unchanged line')}
            </p>
          ) : (
            <Row key={index} row={row} isWhole={isWhole} />
          ),
        )}
      </div>
      {isCut && !isWhole && (
        <p className={styles.more}>
          <button
            type="button"
            className="small"
            onClick={() => {
              setIsWhole(true);
            }}
          >
            Show all
          </button>
        </p>
      )}
    </div>
  );
}

function Row({ row: { left, right, isChanged }, isWhole }: { row: DiffRow; isWhole: boolean }) {
  const words = isChanged && left && right ? diffWords(left.text, right.text) : undefined;
  const renderText = (line: DiffLine | undefined, parts: WordPart[] | undefined): ReactNode => {
    if (!line) return null;
    if (parts) return <Words parts={parts} />;
    if (isWhole || line.text.length <= LINE_CHARACTERS_SHOWN) return line.text;
    return `${line.text.slice(0, LINE_CHARACTERS_SHOWN)}…`;
  };
  return (
    <>
      <Line line={left} sign={isChanged ? '−' : ' '}>
        {renderText(left, words?.left)}
      </Line>
      <Line line={right} sign={isChanged ? '+' : ' '}>
        {renderText(right, words?.right)}
      </Line>
    </>
  );
}

interface LineProps {
  line: DiffLine | undefined;
  sign: '−' | '+' | ' ';
  children: ReactNode;
}

function Line({ line, sign, children }: LineProps) {
  return (
    <div className={styles.line} data-change={line ? sign.trim() : 'absent'}>
      <span className={styles.number} aria-hidden="true">
        {line?.number}
      </span>
      <span className={styles.sign}>{line && sign}</span>
      <span className={styles.text}>{children}</span>
    </div>
  );
}

function Words({ parts }: { parts: WordPart[] }) {
  return parts.map(({ text, isChanged }, index) =>
    isChanged ? (
      <mark key={index} className={styles.word}>
        {text}
      </mark>
    ) : (
      <Fragment key={index}>{text}</Fragment>
    ),
  );
}
