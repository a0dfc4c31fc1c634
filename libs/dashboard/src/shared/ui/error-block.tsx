import type { ErrorRecord } from '@dacapo/protocol';
import { formatQuantity } from '../format/format-count.js';
import { Disclosure } from './disclosure.js';
import styles from './error-block.module.css';
import { TextBlock } from './text-block.js';
import { ValueBlock } from './value-block.js';

const LINE_CHARACTERS = 1_000;

/** A recorded error with properties, stack, nested errors and cause. */
export function ErrorBlock({ error }: { error: ErrorRecord }) {
  const isLong = error.message.length > LINE_CHARACTERS;
  const own = error.properties ?? error.thrown ?? null;
  return (
    <div className={styles.error}>
      <p className={styles.message}>
        <strong>{error.name}</strong>
        {error.code !== undefined && <code> {String(error.code)}</code>}
        {isLong ? ':' : `: ${error.message}`}
        {error.class !== undefined && <span className="muted"> (class {error.class})</span>}
      </p>
      {isLong && <TextBlock text={error.message} />}
      {own !== null && Object.keys(own).length > 0 && (
        <>
          <p className="muted">{error.thrown === undefined ? 'Properties' : 'Thrown value'}</p>
          <ValueBlock value={own} />
        </>
      )}
      {error.cut && <p className="muted">Part of this error was not recorded.</p>}
      {error.stack && (
        <Disclosure summary="Stack">
          <TextBlock text={error.stack} />
        </Disclosure>
      )}
      {error.errors && error.errors.length > 0 && (
        <>
          <p className="muted">{formatQuantity(error.errors.length, 'nested error')}</p>
          {error.errors.map((inner, index) => (
            <ErrorBlock key={index} error={inner} />
          ))}
        </>
      )}
      {error.cause && (
        <>
          <p className="muted">Caused by</p>
          <ErrorBlock error={error.cause} />
        </>
      )}
    </div>
  );
}
