import type { SpanDetail, UsageRecord } from '@dacapo/protocol';
import { formatCount } from '../../../shared/format/format-count.js';
import { Cost } from '../../../shared/ui/cost.js';
import styles from './span-panel.module.css';

const LABELS: Record<string, string> = {
  model: 'Model',
  provider: 'Provider',
  input_tokens: 'Input tokens',
  output_tokens: 'Output tokens',
};

/** Known fields first, then all other recorded fields. */
export function Usage({ usage }: { usage: UsageRecord }) {
  const known = Object.keys(LABELS);
  const others = Object.keys(usage).filter((field) => !known.includes(field));
  return (
    <dl className={styles.pairs}>
      {[...known, ...others].map((field) => {
        const value = usage[field];
        if (value === undefined) return null;
        return (
          <div key={field} className={styles.pair}>
            <dt>{LABELS[field] ?? field}</dt>
            <dd>
              {typeof value === 'number'
                ? formatCount(value)
                : typeof value === 'string'
                  ? value
                  : JSON.stringify(value)}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Model, tokens and cost in one line. */
export function UsageSummary({ span }: { span: SpanDetail }) {
  const { usage } = span.span_data;
  if (usage === undefined) return null;
  const { model, input_tokens: input, output_tokens: output } = usage;
  const tokens = [
    input === undefined ? [] : [`${formatCount(input)} in`],
    output === undefined ? [] : [`${formatCount(output)} out`],
  ].flat();
  return (
    <>
      {typeof model === 'string' && <li>{model}</li>}
      {tokens.length > 0 && <li>Tokens {tokens.join(', ')}</li>}
      {span.type === 'llm' && (
        <li>
          Cost{' '}
          <Cost usage={span} priceVersions={span.price_version === undefined ? [] : [span.price_version]} />
        </li>
      )}
    </>
  );
}
