import { type MediaReference, routePath, ROUTES } from '@dacapo/protocol';
import { useState } from 'react';
import { formatBytes } from '../../../shared/format/format-count.js';
import { shorten } from './note-text.js';
import styles from './span-panel.module.css';

const MEDIA_SHOWN = 10;

/** The images, sounds and files that a recorded value refers to. */
export function FieldMedia({ media }: { media: readonly (readonly [pointer: string, MediaReference])[] }) {
  const more = media.length - MEDIA_SHOWN;
  return (
    <>
      {media.slice(0, MEDIA_SHOWN).map(([pointer, reference]) => (
        <figure key={pointer} className={styles.media}>
          <Content media={reference} />
          <figcaption className="muted">
            <code>{pointer === '' ? '(whole value)' : shorten(pointer)}</code> {reference.type},{' '}
            {formatBytes(reference.size)}
          </figcaption>
        </figure>
      ))}
      {more > 0 && <p className="muted">and {more} more</p>}
    </>
  );
}

function Content({ media: { id, type } }: { media: MediaReference }) {
  const [isMissing, setIsMissing] = useState(false);
  const address = routePath(ROUTES.media, { id });
  const onError = (): void => {
    setIsMissing(true);
  };
  if (isMissing) return <p className="muted">The bytes are not stored, or this browser cannot show them.</p>;
  if (type.startsWith('image/')) return <img src={address} alt={type} loading="lazy" onError={onError} />;
  if (type.startsWith('audio/')) return <audio src={address} controls preload="none" onError={onError} />;
  return (
    <a href={address} download>
      Download
    </a>
  );
}
