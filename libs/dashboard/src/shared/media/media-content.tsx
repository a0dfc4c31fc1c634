import type { MediaReference } from '@dacapo/protocol';
import { API, routePath } from '@dacapo/protocol/api';
import { useState } from 'react';
import { routeAddress } from '../http/shared-link.js';

/** An image, a sound or a link to a file that a recorded value refers to. */
export function MediaContent({ media: { id, type } }: { media: MediaReference }) {
  const [isMissing, setIsMissing] = useState(false);
  const address = routeAddress(routePath(API.media.get, { id }));
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
