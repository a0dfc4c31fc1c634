import type { JsonValue } from '@dacapo/protocol';
import { useState } from 'react';
import { ValueBlock } from '../ui/value-block.js';
import styles from './message-list.module.css';

/** A recorded image. The page loads nothing from other hosts, so an image elsewhere is a link. */
export function ImagePart({ address, value }: { address: string; value: JsonValue }) {
  const [isBroken, setIsBroken] = useState(false);
  if (isBroken) return <ValueBlock value={value} />;
  if (!address.startsWith('data:')) {
    return (
      <p>
        Image:{' '}
        <a href={address} target="_blank" rel="noreferrer noopener">
          {address}
        </a>
      </p>
    );
  }
  return (
    <img
      className={styles.image}
      src={address}
      alt="Recorded image"
      onError={() => {
        setIsBroken(true);
      }}
    />
  );
}
