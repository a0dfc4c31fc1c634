import type { ApiKeySummary } from '@dacapo/protocol';
import { formatCount } from '../../shared/format/format-count.js';
import { Badge } from '../../shared/ui/badge.js';
import { Menu } from '../../shared/ui/menu.js';
import { Time } from '../../shared/ui/time.js';
import styles from './api-keys.module.css';
import { RevokeApiKey } from './revoke-api-key.js';
import { RotateApiKey } from './rotate-api-key.js';

export function ApiKeyTable({ apiKeys }: { apiKeys: ApiKeySummary[] }) {
  return (
    <div className="table-frame">
      <table className="lines-on-phones">
        <thead>
          <tr>
            <th>Name</th>
            <th>Key</th>
            <th>Scopes</th>
            <th>Created</th>
            <th>Last used</th>
            <th>Expires</th>
            <th className="number">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {apiKeys.map((apiKey) => (
            <tr key={apiKey.id}>
              <td>
                <strong className="one-line">{apiKey.name}</strong>
              </td>
              <td>
                <code className="nowrap">{apiKey.hint}</code>
              </td>
              <td>
                <span className={styles.badges}>
                  {apiKey.scopes.map((scope) => (
                    <Badge key={scope} tone={scope === 'manage' ? 'warning' : 'neutral'}>
                      {scope}
                    </Badge>
                  ))}
                </span>
                {apiKey.requests_per_minute !== undefined && (
                  <span className="muted nowrap">{formatCount(apiKey.requests_per_minute)} per minute</span>
                )}
              </td>
              <td data-label="Created">
                <Time at={apiKey.created_at} />
              </td>
              <td data-label="Last used">
                {apiKey.last_used_at === undefined ? (
                  <span className="muted">never</span>
                ) : (
                  <Time at={apiKey.last_used_at} />
                )}
              </td>
              <td data-label="Expires">
                <Expiry apiKey={apiKey} />
              </td>
              <td className="number">
                <span className={styles.actions}>
                  {!isExpired(apiKey) && apiKey.replaced_by === undefined && <RotateApiKey apiKey={apiKey} />}
                  <Menu label={`Actions for ${apiKey.name}`}>
                    <RevokeApiKey apiKey={apiKey} />
                  </Menu>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Expiry({ apiKey }: { apiKey: ApiKeySummary }) {
  if (apiKey.expires_at === undefined) return <span className="muted">never</span>;
  return (
    <>
      <Time at={apiKey.expires_at} />{' '}
      {isExpired(apiKey) ? (
        <Badge tone="error">expired</Badge>
      ) : (
        apiKey.replaced_by !== undefined && <Badge tone="warning">rotated</Badge>
      )}
    </>
  );
}

function isExpired({ expires_at }: ApiKeySummary): boolean {
  return expires_at !== undefined && Date.parse(expires_at) <= Date.now();
}
