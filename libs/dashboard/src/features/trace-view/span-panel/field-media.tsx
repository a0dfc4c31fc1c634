import type { MediaReference } from '@dacapo/protocol';
import { formatBytes } from '../../../shared/format/format-count.js';
import { MediaContent } from '../../../shared/media/media-content.js';
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
          <MediaContent media={reference} />
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
