import type { JsonValue } from '@dacapo/protocol';
import { useMemo } from 'react';
import { jsonText } from '../json/json-text.js';
import { TextBlock } from './text-block.js';

/** A recorded value: a string as text, anything else as coloured JSON. */
export function ValueBlock({ value }: { value: JsonValue }) {
  const text = useMemo(() => jsonText(value), [value]);
  if (text === '') return <p className="muted">Empty string.</p>;
  return <TextBlock text={text} json={typeof value !== 'string'} />;
}
