import type { ApiKeySummary } from '@dacapo/protocol';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmedButton } from '../../shared/ui/confirmed-button.js';
import { apiKeysQuery, revokeApiKey } from './api.js';

export function RevokeApiKey({ apiKey }: { apiKey: ApiKeySummary }) {
  const client = useQueryClient();
  const revoke = async (): Promise<void> => {
    await revokeApiKey(apiKey.id);
    await client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
  };
  return (
    <ConfirmedButton
      verb="Revoke"
      name={apiKey.name}
      action="Revoke key"
      failure="Could not revoke the key."
      onConfirm={revoke}
    >
      The collector rejects applications that use this key, and signs out browsers that signed in with it.
      This cannot be undone.
    </ConfirmedButton>
  );
}
